/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies a device's current primary context, and waits for its work. An application's
 * cudaDeviceReset destroys objects, which must not be freed again. */
#include "cuda_common.h"

#include <pthread.h>
#include <stddef.h>

/* The types of cuDevicePrimaryCtxGetState, ...Retain, ...Release and cuCtxGetId; 0 is
 * CUDA_SUCCESS. */
typedef int (*state_fn)(int device, unsigned *flags, int *active);
typedef int (*retain_fn)(void **context, int device);
typedef int (*release_fn)(int device);
typedef int (*id_fn)(void *context, unsigned long long *id);

static state_fn driver_state;
static retain_fn driver_retain;
static release_fn driver_release;
static id_fn driver_id;

static void find_driver(void)
{
    *(void **)&driver_state = cuda_driver_entry("cuDevicePrimaryCtxGetState");
    *(void **)&driver_retain = cuda_driver_entry("cuDevicePrimaryCtxRetain");
    *(void **)&driver_release = cuda_driver_entry("cuDevicePrimaryCtxRelease");
    *(void **)&driver_id = cuda_driver_entry("cuCtxGetId");
}

uint64_t cuda_primary(int32_t device)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned long long id = 0;
    void *context = NULL;
    unsigned flags;
    int active = 0;

    pthread_once(&once, find_driver);
    if (!driver_state || !driver_retain || !driver_release || !driver_id || cuda_process() != 0 ||
        driver_state(device, &flags, &active) != 0 || !active ||
        driver_retain(&context, device) != 0)
        return 0;
    if (driver_id(context, &id) != 0)
        id = 0;
    (void)driver_release(device);
    return id;
}

/* Waits for the device. cudaFree waits like cudaDeviceSynchronize, but is permitted during a
 * capture and leaves it intact. If the allocation fails, this function does not wait; objects
 * freed afterwards do not require it. */
void cuda_wait_device(int32_t device)
{
    struct cuda_visit visit;
    void *memory = NULL;

    if (!cuda_primary(device) || cuda_enter(&visit, device) != 0)
        return;
    if (cudaMalloc(&memory, 1) != cudaSuccess || cudaFree(memory) != cudaSuccess)
        (void)cudaGetLastError();
    cuda_leave(&visit);
}
