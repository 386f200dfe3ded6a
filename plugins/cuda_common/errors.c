/* SPDX-License-Identifier: Apache-2.0 */
/* Converts errors of the CUDA runtime to statuses and messages, and tracks sticky errors and
 * forks. */
#include "cuda_common.h"

#include <stdatomic.h>

/* The largest number of devices whose errors are recorded. The driver shows no more devices. */
#define DEVICES_MAX 128

static atomic_uchar sticky[DEVICES_MAX];

/* Returns 1 for a sticky error. According to the runtime's documentation, every later call then
 * fails, and the process must be restarted. */
static int sticks(cudaError_t error)
{
    static const cudaError_t all[] = {
        cudaErrorECCUncorrectable,
        cudaErrorNvlinkUncorrectable,
        cudaErrorIllegalAddress,
        cudaErrorLaunchTimeout,
        cudaErrorAssert,
        cudaErrorHardwareStackError,
        cudaErrorIllegalInstruction,
        cudaErrorMisalignedAddress,
        cudaErrorInvalidAddressSpace,
        cudaErrorInvalidPc,
        cudaErrorLaunchFailure,
        cudaErrorContextIsDestroyed,
        cudaErrorMpsClientTerminated,
    };
    int found = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        found |= error == all[i];
    return found;
}

static int32_t status_of(cudaError_t error)
{
    switch (error) {
    case cudaErrorMemoryAllocation:
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidDevice:
        return ANYDNN_PLUGIN_STATUS_BAD_PARAM;
    case cudaErrorNotSupported:
    case cudaErrorNoKernelImageForDevice:
        return ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED;
    default:
        return ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED;
    }
}

int32_t cuda_check(int32_t device, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    if (sticks(error) && device >= 0 && device < DEVICES_MAX)
        atomic_store(&sticky[device], 1);
    /* This clears an error that is not sticky, so that the next caller of cudaGetLastError does
     * not see it. */
    (void)cudaGetLastError();
    return kit_fail(status_of(error), "%s on CUDA device %d: %s (%s, %d)%s", what, device,
                    cudaGetErrorString(error), cudaGetErrorName(error), (int)error,
                    sticks(error) ? "; this process cannot use CUDA any more" : "");
}

/* Returns 1 if the device is unusable. Another backend may have caused the error, so the context
 * is checked, too. cudaMemGetInfo does not wait, and is permitted during a capture. */
int32_t cuda_poisoned(int32_t device)
{
    struct cuda_visit visit;
    size_t available, total;
    cudaError_t error;

    if (device < 0 || device >= DEVICES_MAX)
        return 0;
    if (atomic_load(&sticky[device]) || cuda_process() != 0)
        return atomic_load(&sticky[device]);
    if (cuda_enter(&visit, device) == 0) {
        error = cudaMemGetInfo(&available, &total);
        if (sticks(error))
            atomic_store(&sticky[device], 1);
        cuda_leave(&visit);
    }
    return atomic_load(&sticky[device]);
}

int32_t cuda_process(void)
{
    static atomic_ullong owner; /* fork number + 1 of the process that uses CUDA; 0 if none yet */
    unsigned long long mine = kit_host->fork_number() + 1, found = 0;

    if (atomic_load(&owner) == mine || atomic_compare_exchange_strong(&owner, &found, mine) ||
        found == mine)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    return kit_fail(ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED,
                    "this process was forked from one that had used CUDA, where the driver does "
                    "not work; fork earlier, or start a new program");
}
