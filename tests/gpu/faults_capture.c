/* SPDX-License-Identifier: Apache-2.0 */
/* Tests captures of a handle's stream, by a recording or by the caller. Legal calls are captured,
 * and their replay gives right results. Other calls are refused; they neither wait nor break the
 * capture. */
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

/* Checks that nothing of the capture has run: the outputs still hold the bytes of spoil_all. */
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

/* Makes plans, loads code and allocates memory during a recording. */
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

/* Checks that calls that are illegal in a capture fail, and that the capture continues. */
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

/* Checks that a call that would go through the host is refused, in a recording and in a capture by
 * the caller. */
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

/* Captures a stream of the caller, who also replays the graph. */
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
    must_say(ANYDNN_STATUS_NOT_SUPPORTED, "already being captured", anydnnRecordBegin(handle));
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

/* Checks first calls under `fastest` during a capture. They time nothing and keep no plan, and
 * later calls give right results. */
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

/* Uses the mode in which CUDA itself ends the capture if any thread allocates memory. */
void fault_capture_global(void)
{
    capture(cudaStreamCaptureModeGlobal);
}

/* Checks a recording of a handle on the default stream, which uses the thread's own default stream.
 * A recording of another such handle of this thread fails with a sentence. A handle on another
 * stream is not affected. */
void fault_capture_default(void)
{
    anydnnHandle_t first = gpu_handle("cuda:0", "cuda_simt");
    anydnnHandle_t second = gpu_handle("cuda:0", "cuda_simt");
    anydnnRecording_t recording;
    cudaStream_t stream;

    make_all(first);
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    must_be(SUCCESS, anydnnRecordBegin(first));
    must_say(ANYDNN_STATUS_NOT_SUPPORTED, "already recording", anydnnRecordBegin(second));
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

/* Makes the workspace as large as this handle's route requires. */
static void set_workspace(anydnnHandle_t handle, struct gpu_work *work)
{
    size_t bytes = 0;

    must_be(SUCCESS, anydnnProblemGetWorkspaceSize(handle, work->problem, &bytes));
    if (bytes <= work->workspace_bytes)
        return;
    must_be(SUCCESS, anydnnMemFree(handle, work->workspace));
    must_be(SUCCESS, anydnnMemAlloc(handle, bytes, &work->workspace));
    work->workspace_bytes = bytes;
}

/* Checks first calls while the caller captures another stream in global mode, where CUDA ends the
 * capture on calls that it considers unsafe. The first calls make plans and run contests, and do
 * not affect the capture. */
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
        set_workspace(handle, works[i]);
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
