/* SPDX-License-Identifier: Apache-2.0 */
/* Finds devices, makes one current, and manages its streams and scratch memory. */
#include "cuda_common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* The largest number of devices with a pool. The driver shows no more devices. */
#define DEVICES_MAX 128

/* ------------------------------------------------------------------ device queries */

int32_t cuda_device_count(const char **why)
{
    int count = 0;
    cudaError_t error;

    *why = "no CUDA device found";
    if (cuda_process() != 0) {
        *why = "this process was forked from one that had used CUDA";
        return 0;
    }
    error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess)
        return count;
    *why = error == cudaErrorInsufficientDriver
               ? "the CUDA driver is missing or too old for the CUDA runtime of this backend"
           : error == cudaErrorNoDevice ? "the CUDA driver finds no device"
                                        : cudaGetErrorString(error);
    (void)cudaGetLastError();
    return 0;
}

int32_t cuda_device_usable(int32_t device)
{
    const char *why;
    int32_t count, status = cuda_process();
    int major = 0, minor = 0;

    if (status)
        return status;
    count = cuda_device_count(&why);
    if (count == 0)
        return kit_fail(ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED, "%s", why);
    if (device < 0 || device >= count)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the CUDA device is %d; it must be below the number of devices, %d", device,
                        count);
    status = cuda_check(device,
                        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                        "querying the compute capability");
    if (!status)
        status = cuda_check(
            device, cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
            "querying the compute capability");
    if (status)
        return status;
    if (major < CUDA_LEAST_MAJOR || (major == CUDA_LEAST_MAJOR && minor < CUDA_LEAST_MINOR))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "CUDA device %d has compute capability %d.%d; the minimum is %d.%d", device,
                        major, minor, CUDA_LEAST_MAJOR, CUDA_LEAST_MINOR);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ current device */

void cuda_aside_begin(enum cudaStreamCaptureMode *mode)
{
    *mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(mode);
}

void cuda_aside_end(enum cudaStreamCaptureMode mode)
{
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

int32_t cuda_enter(struct cuda_visit *visit, int32_t device)
{
    cudaError_t error = cudaGetDevice(&visit->before);

    visit->device = device;
    if (error == cudaSuccess && visit->before != device)
        error = cudaSetDevice(device);
    if (error == cudaSuccess)
        cuda_aside_begin(&visit->mode);
    return cuda_check(device, error, "making the device current");
}

void cuda_leave(const struct cuda_visit *visit)
{
    cuda_aside_end(visit->mode);
    if (visit->before != visit->device)
        (void)cudaSetDevice(visit->before);
}

/* ------------------------------------------------------------------ streams */

int cuda_is_captured(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    if (!stream || stream == cudaStreamLegacy)
        return 0;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return status != cudaStreamCaptureStatusNone;
}

cudaStream_t cuda_stream(void *stream)
{
    cudaStream_t callers = (cudaStream_t)stream;

    if ((!callers || callers == cudaStreamLegacy) && cuda_is_captured(cudaStreamPerThread))
        return cudaStreamPerThread;
    return callers;
}

/* ------------------------------------------------------------------ scratch */

static _Atomic(cudaMemPool_t) pools[DEVICES_MAX];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

/* Creates a pool of its own, which retains freed memory. The application's default pool stays
 * unchanged. */
static int32_t make_pool(int32_t device)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location = {.type = cudaMemLocationTypeDevice, .id = device}};
    uint64_t keep = UINT64_MAX;
    cudaMemPool_t made = NULL;
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    pthread_mutex_lock(&pools_lock);
    if (!atomic_load(&pools[device])) {
        status = cuda_check(device, cudaMemPoolCreate(&made, &props), "creating a memory pool");
        if (!status)
            status = cuda_check(
                device, cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep),
                "configuring a memory pool");
        if (!status)
            atomic_store(&pools[device], made);
    }
    pthread_mutex_unlock(&pools_lock);
    return status;
}

int32_t cuda_scratch_take(int32_t device, cudaStream_t stream, size_t bytes, void **pointer)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    if (device < 0 || device >= DEVICES_MAX)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the CUDA device is %d; the maximum number of devices is %d", device,
                        DEVICES_MAX);
    if (!atomic_load(&pools[device]))
        status = make_pool(device);
    return status ? status
                  : cuda_check(device,
                               cudaMallocFromPoolAsync(pointer, bytes, atomic_load(&pools[device]),
                                                       stream),
                               "allocating memory in stream order");
}

int32_t cuda_scratch_drop(int32_t device, cudaStream_t stream, void *pointer)
{
    return cuda_check(device, cudaFreeAsync(pointer, stream), "freeing memory");
}
