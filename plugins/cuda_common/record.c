/* SPDX-License-Identifier: Apache-2.0 */
/* Marks as events; recordings as stream captures that become executable graphs. */
#include "cuda_common.h"

/* ------------------------------------------------------------------ marks */

int32_t cuda_mark_create(int32_t device, void **mark)
{
    struct cuda_visit visit;
    cudaEvent_t made = NULL;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaEventCreate(&made), "making an event");
    cuda_leave(&visit);
    if (!status)
        *mark = made;
    return status;
}

int32_t cuda_mark_record(int32_t device, void *stream, void *mark)
{
    cudaStream_t place = cuda_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status && cuda_is_captured(place))
        status = cuda_fail(CUDA_NOT_SUPPORTED, "a mark cannot be set while its stream is recorded");
    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaEventRecord((cudaEvent_t)mark, place), "recording an event");
    cuda_leave(&visit);
    return status;
}

int32_t cuda_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    struct cuda_visit visit;
    float milliseconds = 0;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaEventSynchronize((cudaEvent_t)from), "waiting for an event");
    if (!status)
        status = cuda_check(device, cudaEventSynchronize((cudaEvent_t)to), "waiting for an event");
    if (!status)
        status = cuda_check(device,
                            cudaEventElapsedTime(&milliseconds, (cudaEvent_t)from, (cudaEvent_t)to),
                            "asking for the time between two events");
    cuda_leave(&visit);
    if (!status)
        *microseconds = 1e3 * (double)milliseconds;
    return status;
}

void cuda_mark_destroy(int32_t device, void *mark)
{
    struct cuda_visit visit;

    if (cuda_process() == 0 && cuda_enter(&visit, device) == 0) {
        cuda_check(device, cudaEventDestroy((cudaEvent_t)mark), "freeing an event");
        cuda_leave(&visit);
    }
}

/* ------------------------------------------------------------------ recordings */

/* The stream that is captured for a recording on the application's stream. */
static cudaStream_t captured_stream(void *stream)
{
    cudaStream_t given = (cudaStream_t)stream;
    return !given || given == cudaStreamLegacy ? cudaStreamPerThread : given;
}

/* Relaxed: making a plan while one records may take memory. */
int32_t cuda_record_begin(int32_t device, void *stream)
{
    cudaStream_t place = captured_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    if (cuda_is_captured(place))
        status = cuda_fail(CUDA_NOT_SUPPORTED,
                           stream ? "the stream is being captured already"
                                  : "a recording on the default stream is under way in this "
                                    "thread; give each handle a stream of its own");
    else
        status = cuda_check(device, cudaStreamBeginCapture(place, cudaStreamCaptureModeRelaxed),
                            "beginning a capture");
    cuda_leave(&visit);
    return status;
}

int32_t cuda_record_end(int32_t device, void *stream, void **recording)
{
    struct cuda_visit visit;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaStreamEndCapture(captured_stream(stream), &graph),
                        "ending a capture");
    if (!status)
        status = cuda_check(device, cudaGraphInstantiate(&made, graph, 0), "making a graph");
    if (graph)
        (void)cudaGraphDestroy(graph);
    cuda_leave(&visit);
    if (!status)
        *recording = made;
    return status;
}

int32_t cuda_record_replay(int32_t device, void *stream, void *recording)
{
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaGraphLaunch((cudaGraphExec_t)recording, (cudaStream_t)stream),
                        "launching a graph");
    cuda_leave(&visit);
    return status;
}

void cuda_record_destroy(int32_t device, void *recording)
{
    struct cuda_visit visit;

    if (cuda_process() == 0 && cuda_enter(&visit, device) == 0) {
        cuda_check(device, cudaGraphExecDestroy((cudaGraphExec_t)recording), "freeing a graph");
        cuda_leave(&visit);
    }
}
