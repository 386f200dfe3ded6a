/* SPDX-License-Identifier: Apache-2.0 */
/* A handle's stream is captured, by a recording or by the caller: what is legal is captured and
 * replays right, what is not is refused, and neither waits nor breaks the capture. */
#include "faults.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEMS_MAX 16

static struct gpu_work *works[PROBLEMS_MAX];

static void make_all(anydnnHandle_t handle)
{
    must(gpu_problem_count <= PROBLEMS_MAX);
    for (int i = 0; i < gpu_problem_count; i++)
        works[i] = gpu_work_make(handle, gpu_problems[i]);
}

static void run_all(anydnnHandle_t handle)
{
    for (int i = 0; i < gpu_problem_count; i++)
        must_be(SUCCESS, gpu_work_run(handle, works[i]));
}

static void spoil_all(anydnnHandle_t handle)
{
    for (int i = 0; i < gpu_problem_count; i++)
        gpu_work_spoil(handle, works[i]);
}

static void check_all(anydnnHandle_t handle)
{
    for (int i = 0; i < gpu_problem_count; i++)
        gpu_work_check(handle, works[i]);
}

/* Nothing of the capture has run yet: the outputs hold what they were spoilt with. */
static void nothing_ran(anydnnHandle_t other)
{
    const struct gpu_work *relu = works[3];
    unsigned char byte = 0;

    must_be(SUCCESS, anydnnMemCopy(other, &byte, relu->data[1], 1, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    must(byte == 0x55);
}

static void replay(anydnnHandle_t handle, anydnnRecording_t recording)
{
    for (int i = 0; i < 3; i++) {
        spoil_all(handle);
        must_be(SUCCESS, anydnnReplay(handle, recording));
        check_all(handle);
    }
}

/* The plans are made while the recording is under way; code is loaded, and memory taken. */
void fault_record_first_call(void)
{
    anydnnHandle_t maker = gpu_handle("cuda:0", "cuda_simt");
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    anydnnRecording_t recording;
    void *memory = NULL;

    make_all(maker);
    spoil_all(maker);
    must_be(SUCCESS, anydnnSynchronize(maker));
    must_be(SUCCESS, anydnnRecordBegin(handle));
    run_all(handle);
    must_be(SUCCESS, anydnnMemAlloc(handle, 1 << 20, &memory));
    must_be(SUCCESS, anydnnMemSet(handle, memory, 1, 1 << 20));
    must_be(SUCCESS, anydnnRecordEnd(handle, &recording));
    nothing_ran(maker);
    replay(handle, recording);
    must_be(SUCCESS, anydnnMemFree(handle, memory));
    must_be(SUCCESS, anydnnRecordingDestroy(handle, recording));
    must_be(SUCCESS, anydnnDestroy(handle));
    must_be(SUCCESS, anydnnDestroy(maker));
}

/* What does not belong in a capture fails, and the capture goes on. */
static void refuse_all(anydnnHandle_t handle)
{
    const anydnnStatus_t refused = ANYDNN_STATUS_NOT_SUPPORTED;
    const struct gpu_work *relu = works[3];
    char bytes[16] = {0};
    void *memory = NULL;
    anydnnMark_t mark;

    must_say(refused, "anydnnSynchronize", anydnnSynchronize(handle));
    must_say(refused, "anydnnMark", anydnnMark(handle, &mark));
    must_say(
        refused, "recording",
        anydnnMemCopy(handle, bytes, relu->data[0], sizeof bytes, ANYDNN_MEMCPY_DEVICE_TO_HOST));
    must_say(
        refused, "recording",
        anydnnMemCopy(handle, relu->data[0], bytes, sizeof bytes, ANYDNN_MEMCPY_HOST_TO_DEVICE));
    must_be(ANYDNN_STATUS_ALLOC_FAILED, anydnnMemAlloc(handle, (size_t)1 << 60, &memory));
    must_be(SUCCESS, anydnnMemAlloc(handle, 1 << 20, &memory));
    must_be(SUCCESS, anydnnMemFree(handle, memory));
}

void fault_record_refusals(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    anydnnRecording_t recording, none = NULL;

    make_all(handle);
    run_all(handle);
    must_be(SUCCESS, anydnnSynchronize(handle));
    must_be(SUCCESS, anydnnRecordBegin(handle));
    run_all(handle);
    refuse_all(handle);
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnRecordBegin(handle));
    must_be(SUCCESS, anydnnRecordEnd(handle, &recording));
    must_be(ANYDNN_STATUS_BAD_PARAM, anydnnRecordEnd(handle, &none));
    replay(handle, recording);
    must_be(SUCCESS, anydnnRecordingDestroy(handle, recording));
    must_be(SUCCESS, anydnnDestroy(handle));
}

/* The call that would go through the host is refused, whether the recording is ours or not. */
void fault_record_staged(void)
{
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt"), host = NULL;
    anydnnRecording_t recording;
    cudaGraph_t graph = NULL;
    cudaStream_t stream;

    make_all(handle);
    spoil_all(handle);
    must_be(SUCCESS, anydnnCreateOnDevice(&host, "cuda:0"));
    must_be(SUCCESS, anydnnSetRoute(host, "activation_forward", NULL, "cpu_ref"));
    must_be(SUCCESS, anydnnSetRoute(host, "convolution_forward", NULL, "cuda_simt"));
    must_be(SUCCESS, anydnnRecordBegin(host));
    must_be(SUCCESS, gpu_work_run(host, works[1]));
    must_say(ANYDNN_STATUS_NOT_SUPPORTED, "staged", gpu_work_run(host, works[3]));
    must_be(SUCCESS, anydnnRecordEnd(host, &recording));
    must_be(SUCCESS, anydnnReplay(host, recording));
    gpu_work_check(host, works[1]);
    must_be(SUCCESS, gpu_work_run(host, works[3]));
    gpu_work_check(host, works[3]);
    must_be(SUCCESS, anydnnRecordingDestroy(host, recording));

    must(cudaStreamCreate(&stream) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(host, stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    must_be(SUCCESS, gpu_work_run(host, works[1]));
    must(gpu_work_run(host, works[3]) != SUCCESS);
    must(gpu_says("recording"));
    must(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    must_be(SUCCESS, gpu_work_run(host, works[3]));
    gpu_work_check(host, works[3]);
    must_be(SUCCESS, anydnnDestroy(host));
    must_be(SUCCESS, anydnnDestroy(handle));
}

/* The caller captures a stream of its own and replays the graph itself. */
static void capture(enum cudaStreamCaptureMode mode)
{
    anydnnHandle_t maker = gpu_handle("cuda:0", "cuda_simt");
    anydnnHandle_t handle = gpu_handle("cuda:0", "cuda_simt");
    cudaGraphExec_t executable;
    cudaStream_t stream;
    cudaGraph_t graph;

    make_all(maker);
    spoil_all(maker);
    must_be(SUCCESS, anydnnSynchronize(maker));
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(handle, stream));
    must(cudaStreamBeginCapture(stream, mode) == cudaSuccess);
    run_all(handle);
    refuse_all(handle);
    must_say(ANYDNN_STATUS_NOT_SUPPORTED, "captured already", anydnnRecordBegin(handle));
    run_all(handle);
    must(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    nothing_ran(maker);
    must(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    for (int i = 0; i < 3; i++) {
        spoil_all(handle);
        must(cudaGraphLaunch(executable, stream) == cudaSuccess);
        check_all(handle);
    }
    must(cudaGetLastError() == cudaSuccess);
    must_be(SUCCESS, anydnnDestroy(handle));
    must_be(SUCCESS, anydnnDestroy(maker));
}

/* A capture of first calls under `fastest` times nothing and keeps no plan; later calls are as
 * right. */
void fault_capture_fastest(void)
{
    anydnnHandle_t maker = gpu_handle("cuda:0", "cuda_simt");
    anydnnHandle_t handle = gpu_handle("cuda:0", "fastest, cuda_simt");
    cudaStream_t stream;
    cudaGraph_t graph;
    char plan[40];

    make_all(maker);
    must_be(SUCCESS, anydnnSynchronize(maker));
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(handle, stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    run_all(handle);
    must(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    spoil_all(handle);
    must_be(SUCCESS, gpu_work_run(handle, works[1]));
    must_be(SUCCESS, anydnnGetDispatchInfo(handle, "plan", plan, sizeof plan));
    must(strcmp(plan, "miss") == 0);
    run_all(handle);
    check_all(handle);
    must_be(SUCCESS, anydnnDestroy(handle));
    must_be(SUCCESS, anydnnDestroy(maker));
}

void fault_capture_own(void)
{
    capture(cudaStreamCaptureModeRelaxed);
}

/* In this mode CUDA itself ends the capture when memory is taken by anybody. */
void fault_capture_global(void)
{
    capture(cudaStreamCaptureModeGlobal);
}

/* A handle on the default stream records with the thread's own one, and another handle of the same
 * thread is told so; a handle on a stream of its own is not concerned. */
void fault_capture_default(void)
{
    anydnnHandle_t first = gpu_handle("cuda:0", "cuda_simt");
    anydnnHandle_t second = gpu_handle("cuda:0", "cuda_simt");
    anydnnRecording_t recording;
    cudaStream_t stream;

    make_all(first);
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnRecordBegin(first));
    must_say(ANYDNN_STATUS_NOT_SUPPORTED, "under way", anydnnRecordBegin(second));
    run_all(first);
    must_be(SUCCESS, anydnnSetStream(second, stream));
    gpu_work_spoil(second, works[3]);
    must_be(SUCCESS, gpu_work_run(second, works[3]));
    gpu_work_check(second, works[3]);
    must_be(SUCCESS, anydnnRecordEnd(first, &recording));
    replay(first, recording);
    must_be(SUCCESS, anydnnRecordingDestroy(first, recording));
    must_be(SUCCESS, anydnnDestroy(second));
    must_be(SUCCESS, anydnnDestroy(first));
}

/* The workspace that this handle's route needs. */
static void make_room(anydnnHandle_t handle, struct gpu_work *work)
{
    size_t bytes = 0;

    must_be(SUCCESS, anydnnProblemGetWorkspaceSize(handle, work->problem, &bytes));
    if (bytes <= work->workspace_bytes)
        return;
    must_be(SUCCESS, anydnnMemFree(handle, work->workspace));
    must_be(SUCCESS, anydnnMemAlloc(handle, bytes, &work->workspace));
    work->workspace_bytes = bytes;
}

/* While the caller captures elsewhere, so that CUDA would end the capture with whatever it takes
 * for unsafe, first calls make plans and contests, and leave the capture alone. */
static void beside_capture(const char *route)
{
    anydnnHandle_t maker = gpu_handle("cuda:0", "cuda_simt");
    anydnnHandle_t handle = gpu_handle("cuda:0", route);
    cudaStream_t stream, own;
    cudaGraph_t graph;

    make_all(maker);
    spoil_all(maker);
    must_be(SUCCESS, anydnnSynchronize(maker));
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    must(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnSetStream(handle, own));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    for (int i = 0; i < gpu_problem_count; i++) {
        make_room(handle, works[i]);
        must_be(SUCCESS, gpu_work_run(handle, works[i]));
    }
    must(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    must_be(SUCCESS, anydnnSynchronize(handle));
    check_all(handle);
    must_be(SUCCESS, anydnnDestroy(handle));
    must_be(SUCCESS, anydnnDestroy(maker));
}

void fault_beside_capture_simt(void)
{
    beside_capture("cuda_simt");
}

void fault_beside_capture_cudnn(void)
{
    beside_capture("cudnn, cuda_simt");
}

void fault_beside_capture_fastest(void)
{
    beside_capture("fastest, cuda_tensorcore, cuda_simt");
}

void fault_beside_capture_fastest_cudnn(void)
{
    beside_capture("fastest, cudnn, cuda_tensorcore, cuda_simt");
}
