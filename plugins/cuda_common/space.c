/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the function table of the CUDA space: devices, pointers, memory, copies and waiting. */
#include "cuda_common.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ devices */

/* Counts devices. A machine without a driver has 0 devices; this is a valid result, and the
 * reason is reported. */
static int32_t device_count(int32_t *count)
{
    const char *why;

    *count = cuda_device_count(&why);
    if (*count == 0)
        kit_fail(ANYDNN_PLUGIN_STATUS_SUCCESS, "%s", why);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t device_current(int32_t *device)
{
    int32_t status = cuda_process();
    int current = 0;

    if (!status)
        status = cuda_check(0, cudaGetDevice(&current), "querying the current device");
    if (!status)
        *device = current;
    return status;
}

static int32_t device_name(int32_t device, char *text, size_t size)
{
    static struct cudaDeviceProp empty;
    struct cudaDeviceProp props = empty;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_check(device, cudaGetDeviceProperties(&props, device),
                            "querying the device's name");
    if (!status && size > 0)
        snprintf(text, size, "%s, compute capability %d.%d", props.name, props.major, props.minor);
    return status;
}

/* Reads the driver's release from a file of Linux: the first word of digits and dots. The
 * runtime reports only the newest CUDA version that the driver supports. */
static void driver_release(char *release, size_t size)
{
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    char line[256] = "";

    release[0] = '\0';
    if (!file)
        return;
    if (fgets(line, sizeof line, file))
        for (char *left, *word = strtok_r(line, " \t\n", &left); word && !release[0];
             word = strtok_r(NULL, " \t\n", &left))
            if (strchr(word, '.') && word[strspn(word, "0123456789.")] == '\0')
                snprintf(release, size, " release %s", word);
    fclose(file);
}

static int32_t device_identity(int32_t device, char *text, size_t size)
{
    static struct cudaDeviceProp empty;
    struct cudaDeviceProp props = empty;
    char release[64];
    int multiprocessors = 0, driver = 0;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_check(device, cudaGetDeviceProperties(&props, device),
                            "querying the device's name");
    if (!status)
        status = cuda_check(
            device,
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
            "querying the number of multiprocessors");
    if (!status)
        status = cuda_check(device, cudaDriverGetVersion(&driver), "querying the driver version");
    if (status || size == 0)
        return status;
    driver_release(release, sizeof release);
    snprintf(text, size, "%s, %d multiprocessors, driver CUDA %d.%d%s", props.name, multiprocessors,
             driver / 1000, driver % 1000 / 10, release);
    return status;
}

/* Returns the owner of a pointer. Managed memory and registered host memory count as device memory,
 * since the device can access them. */
static int32_t pointer_owner(int32_t device, const void *pointer, int32_t *owner)
{
    struct cudaPointerAttributes attributes = {.type = cudaMemoryTypeUnregistered};
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaPointerGetAttributes(&attributes, pointer),
                        "querying the owner of a pointer");
    cuda_leave(&visit);
    if (status)
        return status;
    if (attributes.type == cudaMemoryTypeUnregistered)
        *owner = pointer ? ANYDNN_PLUGIN_POINTER_HOST : ANYDNN_PLUGIN_POINTER_UNKNOWN;
    else
        *owner = ANYDNN_PLUGIN_POINTER_DEVICE;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ memory */

/* A kind of memory: device memory, or host memory that every device can access directly. */
struct memory {
    const char *name;
    cudaError_t (*take)(void **pointer, size_t bytes);
    cudaError_t (*drop)(void *pointer);
};

static cudaError_t take_of_device(void **pointer, size_t bytes)
{
    return cudaMalloc(pointer, bytes);
}

static cudaError_t take_of_host(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocPortable);
}

static const struct memory of_device = {.name = "memory", .take = take_of_device, .drop = cudaFree};
static const struct memory of_host = {
    .name = "the host's memory", .take = take_of_host, .drop = cudaFreeHost};

static int32_t take(const struct memory *memory, int32_t device, uint64_t bytes, void **pointer)
{
    struct cuda_visit visit;
    char what[64];
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    snprintf(what, sizeof what, "allocating %llu bytes of %s", (unsigned long long)bytes,
             memory->name);
    status = cuda_check(device, memory->take(pointer, bytes ? bytes : 1), what);
    cuda_leave(&visit);
    return status;
}

static int32_t drop(const struct memory *memory, int32_t device, void *pointer)
{
    struct cuda_visit visit;
    char what[64];
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    snprintf(what, sizeof what, "freeing %s", memory->name);
    status = cuda_check(device, memory->drop(pointer), what);
    cuda_leave(&visit);
    return status;
}

static int32_t memory_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    return take(&of_device, device, bytes, pointer);
}

static int32_t memory_free(int32_t device, void *pointer)
{
    return drop(&of_device, device, pointer);
}

static int32_t host_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    return take(&of_host, device, bytes, pointer);
}

static int32_t host_free(int32_t device, void *pointer)
{
    return drop(&of_host, device, pointer);
}

/* Copies memory. CUDA determines the kind of copy from the addresses, so managed memory works,
 * too. */
static int32_t copy(int32_t device, void *stream, void *to, const void *from, uint64_t bytes,
                    int32_t kind, int waits)
{
    cudaStream_t target = cuda_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status && kind != ANYDNN_PLUGIN_COPY_WITHIN && cuda_is_captured(target))
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          "a copy to or from the host cannot be part of a recording");
    if (status || bytes == 0)
        return status;
    status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, target),
                        "copying memory");
    if (!status && waits)
        status = cuda_check(device, cudaStreamSynchronize(target), "waiting for a copy");
    cuda_leave(&visit);
    return status;
}

/* Copies memory. If host memory is involved, pageable or not, it waits until that memory has
 * been read or written. */
static int32_t memory_copy(int32_t device, void *stream, void *to, const void *from, uint64_t bytes,
                           int32_t kind)
{
    return copy(device, stream, to, from, bytes, kind, kind != ANYDNN_PLUGIN_COPY_WITHIN);
}

static int32_t memory_copy_async(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind)
{
    return copy(device, stream, to, from, bytes, kind, 0);
}

static int32_t memory_set(int32_t device, void *stream, void *to, int32_t byte, uint64_t bytes)
{
    cudaStream_t target = cuda_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (status || bytes == 0)
        return status;
    status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaMemsetAsync(to, byte, bytes, target), "setting memory");
    cuda_leave(&visit);
    return status;
}

/* ------------------------------------------------------------------ streams */

static int32_t synchronize(int32_t device, void *stream)
{
    cudaStream_t target = cuda_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status && cuda_is_captured(target))
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          "a stream that is recorded cannot be waited for");
    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaStreamSynchronize(target), "waiting for a stream");
    cuda_leave(&visit);
    return status;
}

/* Checks a stream's device. The default streams belong to every device. */
static int32_t stream_check(int32_t device, void *stream)
{
    cudaStream_t callers = (cudaStream_t)stream;
    int32_t status = cuda_process();
    int owner = device;

    if (status || !callers || callers == cudaStreamLegacy || callers == cudaStreamPerThread)
        return status;
    /* Querying the device of a captured stream failed on an H200 (CUDA 13.0), and broke the
     * capture. */
    if (cuda_is_captured(callers))
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    status = cuda_check(device, cudaStreamGetDevice(callers, &owner), "querying a stream's device");
    if (!status && owner != device)
        status = kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                          "the stream belongs to CUDA device %d, not to device %d", owner, device);
    return status;
}

/* A stream of the space is CUDA's. The primary context is shared without a pointer to it. */
static int32_t native(int32_t device, int32_t kind, void *stream, void **object)
{
    if (kind != ANYDNN_PLUGIN_NATIVE_STREAM)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "CUDA device %d publishes its streams alone; its context is the primary "
                        "one",
                        device);
    *object = stream;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

const struct anydnn_plugin_space cuda_space = {
    .struct_size = sizeof(struct anydnn_plugin_space),
    .device_count = device_count,
    .device_current = device_current,
    .device_name = device_name,
    .pointer_owner = pointer_owner,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .memory_copy = memory_copy,
    .memory_set = memory_set,
    .synchronize = synchronize,
    .stream_check = stream_check,
    .mark_create = cuda_mark_create,
    .mark_record = cuda_mark_record,
    .mark_elapsed = cuda_mark_elapsed,
    .mark_destroy = cuda_mark_destroy,
    .record_begin = cuda_record_begin,
    .record_end = cuda_record_end,
    .record_replay = cuda_record_replay,
    .record_destroy = cuda_record_destroy,
    .poisoned = cuda_poisoned,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .stream_wait = cuda_stream_wait,
    .device_identity = device_identity,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .memory_copy_async = memory_copy_async,
    .count_special = cuda_count_special,
    .native = native,
};
