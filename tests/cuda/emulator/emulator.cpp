// SPDX-License-Identifier: Apache-2.0
// Emulates the CUDA runtime: one device, whose memory is host memory and whose streams do their
// work at once. threads.cpp runs the kernels.
#include "cuda_runtime.h"

#include <chrono>
#include <map>
#include <mutex>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

namespace
{
std::recursive_mutex lock;
std::map<const char *, size_t> blocks; // blocks of device memory, by their first addresses
} // namespace

// ---- captures

struct CUgraph_st {
    std::vector<std::function<void()>> work;
    std::vector<void *> memory; // allocated during the capture; lives as long as the graph
};
struct CUgraphExec_st {
    CUgraph_st graph;
};

namespace
{
std::map<cudaStream_t, CUgraph_st *> captures;
// Each thread captures its own default stream.
thread_local CUgraph_st *own_capture;

CUgraph_st *capture_of(cudaStream_t stream)
{
    if (stream == cudaStreamPerThread)
        return own_capture;
    auto found = captures.find(stream);
    return found == captures.end() ? nullptr : found->second;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work)
{
    std::lock_guard<std::recursive_mutex> guard(lock);
    CUgraph_st *capture = capture_of(stream);

    if (capture)
        capture->work.push_back(work);
    else
        work();
    return cudaSuccess;
}
} // namespace

cudaError_t emulator_launch(std::function<void()> thread, dim3 grid, dim3 block,
                            cudaStream_t stream)
{
    return enqueue(stream, [=] { emulator_run_grid(thread, grid, block); });
}

cudaError_t emulator_enqueue_together(std::function<void()> thread, dim3 grid, dim3 block,
                                      cudaStream_t stream)
{
    if (getenv("EMULATOR_NO_MEMORY"))
        return cudaErrorCooperativeLaunchTooLarge;
    return enqueue(stream, [=] { emulator_run_together(thread, grid, block); });
}

extern "C" {

// ---- devices

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int)
{
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
        *value = 4;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = EMULATOR_CAPABILITY / 10;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = EMULATOR_CAPABILITY % 10;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (EMULATOR_CAPABILITY == 75 ? 64 : 227) << 10;
        break;
    default:
        *value = 1;
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *props, int)
{
    *props = {"emulated device", EMULATOR_CAPABILITY / 10, EMULATOR_CAPABILITY % 10};
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t)
{
    return "an error of the emulator";
}

const char *cudaGetErrorName(cudaError_t)
{
    return "emulated";
}

// ---- memory

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = (size_t)1 << 30;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    std::lock_guard<std::recursive_mutex> guard(lock);
    size_t whole = (bytes + 255) / 256 * 256;
    void *made = bytes <= (size_t)1 << 40 ? aligned_alloc(256, whole) : nullptr;

    if (!made)
        return cudaErrorMemoryAllocation;
    memset(made, 0xff, whole);
    blocks[(char *)made] = bytes;
    *pointer = made;
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    std::lock_guard<std::recursive_mutex> guard(lock);

    if (pointer && blocks.erase((char *)pointer) == 0)
        return cudaErrorInvalidValue;
    free(pointer);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    std::lock_guard<std::recursive_mutex> guard(lock);
    auto after = blocks.upper_bound((const char *)pointer);

    attributes->type = cudaMemoryTypeUnregistered;
    if (after != blocks.begin()) {
        --after;
        if ((size_t)((const char *)pointer - after->first) < after->second)
            attributes->type = cudaMemoryTypeDevice;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind,
                            cudaStream_t stream)
{
    return enqueue(stream, [=] { memcpy(to, from, bytes); });
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    return enqueue(stream, [=] { memset(to, byte, bytes); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *)
{
    *pool = (cudaMemPool_t)&blocks;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(lock);
    cudaError_t error = cudaMalloc(pointer, bytes);

    if (error == cudaSuccess && capture_of(stream))
        capture_of(stream)->memory.push_back(*pointer);
    return error;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(lock);
    return capture_of(stream) ? cudaSuccess : cudaFree(pointer);
}

// ---- streams and graphs

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = (cudaStream_t) new char;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete (char *)stream;
    return cudaSuccess;
}

/* Does nothing, since all enqueued work is done. */
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t, int *device)
{
    *device = 0;
    return cudaSuccess;
}

/* Does nothing, since there is only one mode. */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *)
{
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    std::lock_guard<std::recursive_mutex> guard(lock);
    *status = capture_of(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode)
{
    std::lock_guard<std::recursive_mutex> guard(lock);

    if (capture_of(stream) || !stream || stream == cudaStreamLegacy)
        return cudaErrorInvalidValue;
    if (stream == cudaStreamPerThread)
        own_capture = new CUgraph_st;
    else
        captures[stream] = new CUgraph_st;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    std::lock_guard<std::recursive_mutex> guard(lock);

    *graph = capture_of(stream);
    if (stream == cudaStreamPerThread)
        own_capture = nullptr;
    else
        captures.erase(stream);
    return *graph ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long)
{
    *made = new CUgraphExec_st{*graph};
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    for (const std::function<void()> &work : graph->graph.work)
        enqueue(stream, work);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
    for (void *pointer : graph->graph.memory)
        cudaFree(pointer);
    delete graph;
    return cudaSuccess;
}

/* Does nothing, since memory is freed with its graph. */
cudaError_t cudaDeviceGraphMemTrim(int)
{
    return cudaSuccess;
}

// ---- the context, which nothing resets

uint64_t cuda_primary(int32_t)
{
    return 1;
}

void cuda_wait_device(int32_t)
{
}

// ---- events

struct CUevent_st {
    std::chrono::steady_clock::time_point time;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new CUevent_st;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}
}
