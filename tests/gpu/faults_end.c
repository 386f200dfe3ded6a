/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that the end of a handle needs nothing from the application. Its stream, or the whole
 * context of the device, may end before it, as in programs for cuDNN. */
#include "faults.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

/* A problem that the backend runs. Sums of small integers are exact in TF32, too. */
static const struct user {
    const char *backend, *problem;
} simt = {"cuda_simt", "convolution_backward_filter x=f32:16,3,20,18:nchw dy=f32:16,5,20,18:nchw "
                       "dw=f32:5,3,3,3:nchw pad=1,1"},
  tensorcore = {"cuda_tensorcore", "convolution_forward x=f32:4,64,14,14:nhwc w=f32:64,64,3,3:nhwc "
                                   "y=f32:4,64,14,14:nhwc pad=1,1 math=allow_conversion"},
  cudnn = {"cudnn", "convolution_forward x=f32:4,32,14,13:nchw w=f32:16,32,3,3:nchw "
                    "y=f32:4,16,14,13:nchw pad=1,1"};

/* The objects of a handle, and the stream of its calls. */
struct held {
    anydnnHandle_t handle;
    cudaStream_t stream;
    struct gpu_work *work;
    anydnnRecording_t recording;
    anydnnMark_t mark;
    anydnnDropoutDescriptor_t dropout;
    void *states;
};

static void need(const struct user *user)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", user->backend);
    anydnnProblem_t problem;
    size_t size;

    must_be(SUCCESS, anydnnProblemParse(user->problem, &problem));
    if (anydnnProblemGetWorkspaceSize(handle, problem, &size) != SUCCESS)
        gpu_skip(must_error());
    must_be(SUCCESS, anydnnProblemDestroy(problem));
    must_be(SUCCESS, anydnnDestroy(handle));
}

static struct held hold(const struct user *user)
{
    struct held held = {.handle = NULL};
    size_t bytes;

    need(user);
    held.handle = gpu_handle("cuda:0", user->backend);
    must(cudaStreamCreateWithFlags(&held.stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(held.handle, held.stream));
    held.work = gpu_work_make(held.handle, user->problem);
    must_be(SUCCESS, gpu_work_run(held.handle, held.work));
    gpu_work_check(held.handle, held.work);
    must_be(SUCCESS, anydnnCreateDropoutDescriptor(&held.dropout));
    must_be(SUCCESS, anydnnDropoutGetStatesSize(held.handle, &bytes));
    must_be(SUCCESS, anydnnMemAlloc(held.handle, bytes, &held.states));
    must_be(SUCCESS,
            anydnnSetDropoutDescriptor(held.dropout, held.handle, 0.5f, held.states, bytes, 1));
    must_be(SUCCESS, anydnnMark(held.handle, &held.mark));
    must_be(SUCCESS, anydnnRecordBegin(held.handle));
    must_be(SUCCESS, gpu_work_run(held.handle, held.work));
    must_be(SUCCESS, anydnnRecordEnd(held.handle, &held.recording));
    must_be(SUCCESS, anydnnReplay(held.handle, held.recording));
    return held;
}

/* Checks that the device works with a new handle. */
static void works_still(const struct user *user)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", user->backend);
    struct gpu_work *work = gpu_work_make(handle, user->problem);

    must_be(SUCCESS, gpu_work_run(handle, work));
    gpu_work_check(handle, work);
    gpu_work_free(handle, work);
    must_be(SUCCESS, anydnnDestroy(handle));
    must(cudaDeviceSynchronize() == cudaSuccess);
    must(cudaGetLastError() == cudaSuccess);
}

static void free_all(const struct held *held)
{
    must_be(SUCCESS, anydnnMarkDestroy(held->handle, held->mark));
    must_be(SUCCESS, anydnnRecordingDestroy(held->handle, held->recording));
    must_be(SUCCESS, anydnnSetRoute(held->handle, "*", NULL, "cuda_simt"));
    must_be(SUCCESS, anydnnSetDeterministic(held->handle, 0));
}

/* Destroys the stream, frees the objects one by one, and then destroys the handle. */
static void stream_gone(const struct user *user)
{
    struct held held = hold(user);

    must(cudaStreamDestroy(held.stream) == cudaSuccess);
    free_all(&held);
    must_be(SUCCESS, anydnnMemFree(held.handle, held.states));
    gpu_work_free(held.handle, held.work);
    must_be(SUCCESS, anydnnDestroyDropoutDescriptor(held.dropout));
    must_be(SUCCESS, anydnnDestroy(held.handle));
    works_still(user);
}

/* Destroys the stream while all objects exist and work is left. The work must be done when the
 * handle has ended. */
static void stream_gone_busy(const struct user *user)
{
    struct held held = hold(user);
    cudaEvent_t last;

    must(cudaEventCreateWithFlags(&last, cudaEventDisableTiming) == cudaSuccess);
    fault_keep_busy(held.handle);
    must_be(SUCCESS, gpu_work_run(held.handle, held.work));
    must(cudaEventRecord(last, held.stream) == cudaSuccess);
    must(cudaStreamDestroy(held.stream) == cudaSuccess);
    must(cudaEventQuery(last) == cudaErrorNotReady);
    must_be(SUCCESS, anydnnDestroy(held.handle));
    must(cudaEventQuery(last) == cudaSuccess);
    (void)cudaGetLastError();
    works_still(user);
}

static void stream_gone_recording(const struct user *user)
{
    struct held held = hold(user);

    must_be(SUCCESS, anydnnRecordBegin(held.handle));
    must_be(SUCCESS, gpu_work_run(held.handle, held.work));
    fprintf(stderr, "# a captured stream is destroyed: %s\n",
            cudaGetErrorName(cudaStreamDestroy(held.stream)));
    (void)cudaGetLastError();
    must_be(SUCCESS, anydnnDestroy(held.handle));
    works_still(user);
}

/* Resets the device. Nothing that the reset freed may be freed again. */
static void device_reset(const struct user *user)
{
    struct held held = hold(user), second = hold(user);

    must(cudaStreamDestroy(held.stream) == cudaSuccess);
    must(cudaDeviceReset() == cudaSuccess);
    free_all(&held);
    must_be(SUCCESS, anydnnDestroy(held.handle));
    must_be(SUCCESS, anydnnDestroy(second.handle));
    must(cudaFree(NULL) == cudaSuccess); /* creates the next context */
    must_be(SUCCESS, anydnnDestroyDropoutDescriptor(held.dropout));
}

/* Resets the device, and uses a new context before the handle ends. */
static void device_reset_and_used(const struct user *user)
{
    struct held held = hold(user), second = hold(user);
    void *memory;

    must(cudaDeviceReset() == cudaSuccess);
    must(cudaMalloc(&memory, 1 << 20) == cudaSuccess);
    free_all(&held);
    must_be(SUCCESS, anydnnDestroy(held.handle));
    must_be(SUCCESS, anydnnDestroy(second.handle));
    must(cudaMemset(memory, 0, 1 << 20) == cudaSuccess);
    must(cudaDeviceSynchronize() == cudaSuccess);
    must(cudaFree(memory) == cudaSuccess);
}

#define FAULT_END(user)                                                                            \
    void fault_gone_##user(void)                                                                   \
    {                                                                                              \
        stream_gone(&user);                                                                        \
    }                                                                                              \
    void fault_gone_busy_##user(void)                                                              \
    {                                                                                              \
        stream_gone_busy(&user);                                                                   \
    }                                                                                              \
    void fault_gone_recording_##user(void)                                                         \
    {                                                                                              \
        stream_gone_recording(&user);                                                              \
    }                                                                                              \
    void fault_reset_##user(void)                                                                  \
    {                                                                                              \
        device_reset(&user);                                                                       \
    }                                                                                              \
    void fault_reset_used_##user(void)                                                             \
    {                                                                                              \
        device_reset_and_used(&user);                                                              \
    }

FAULT_END(simt)
FAULT_END(tensorcore)
FAULT_END(cudnn)

/* Ends a handle while the caller captures another stream. The capture must continue. */
void fault_end_beside_capture(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", simt.backend);
    struct gpu_work *work = gpu_work_make(handle, simt.problem);
    struct held held = hold(&simt);
    cudaGraphExec_t executable;
    cudaStream_t stream;
    cudaGraph_t graph;

    must(cudaStreamDestroy(held.stream) == cudaSuccess);
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(handle, stream));
    must_be(SUCCESS, gpu_work_run(handle, work));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    must_be(SUCCESS, gpu_work_run(handle, work));
    must_be(SUCCESS, anydnnDestroy(held.handle));
    must_be(SUCCESS, gpu_work_run(handle, work));
    must(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    must(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    gpu_work_spoil(handle, work);
    must(cudaGraphLaunch(executable, stream) == cudaSuccess);
    gpu_work_check(handle, work);
    must_be(SUCCESS, anydnnDestroy(handle));
}
