/* SPDX-License-Identifier: Apache-2.0 */
/* Implements streams, marks and recordings. A mark is an event; a recording is a stream capture
 * that becomes an executable graph. */
#include "cuda_common.h"

#include <pthread.h>

/* A mark or a recording, with the number of its context. The host holds a pointer to it. */
struct object {
    uint64_t primary;
    union {
        cudaEvent_t event;
        cudaGraphExec_t graph;
    };
};

static int32_t keep(struct object **object, int32_t device)
{
    *object = kit_host->alloc(sizeof **object);
    if (!*object)
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                        "out of memory for a mark or a recording");
    **object = (struct object){.primary = cuda_primary(device)};
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Makes an object's context current until cuda_leave. Returns 0 if the context still exists. */
static int32_t enter_again(struct cuda_visit *visit, const struct object *object, int32_t device)
{
    return cuda_process() == 0 && cuda_primary(device) == object->primary
               ? cuda_enter(visit, device)
               : -1;
}

/* ------------------------------------------------------------------ streams */

/* A stream and the number of its context. The host gets the CUDA stream itself, which every
 * function of CUDA accepts. The list of these entries ensures that no stream of a destroyed
 * context is destroyed again. */
struct made {
    cudaStream_t stream;
    uint64_t primary;
    struct made *next;
};

static struct made *streams;
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

static void put_stream(struct made *made)
{
    pthread_mutex_lock(&streams_lock);
    made->next = streams;
    streams = made;
    pthread_mutex_unlock(&streams_lock);
}

/* Removes and returns the newest entry of a stream address; a destroyed context may have used
 * the same address. Returns NULL if there is none. */
static struct made *take_stream(cudaStream_t stream)
{
    struct made **at = &streams, *found;

    pthread_mutex_lock(&streams_lock);
    while (*at && (*at)->stream != stream)
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&streams_lock);
    return found;
}

int32_t cuda_stream_create(int32_t device, void **stream)
{
    struct made *made = kit_host->alloc(sizeof *made);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status && !made)
        status = kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, "out of memory for a stream");
    if (!status)
        status = cuda_enter(&visit, device);
    if (status) {
        kit_host->free(made);
        return status;
    }
    status = cuda_check(device, cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking),
                        "creating a stream");
    made->primary = cuda_primary(device);
    cuda_leave(&visit);
    if (status) {
        kit_host->free(made);
        return status;
    }
    *stream = made->stream;
    put_stream(made);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

void cuda_stream_destroy(int32_t device, void *stream)
{
    struct made *made = take_stream((cudaStream_t)stream);
    struct cuda_visit visit;

    if (made && cuda_process() == 0 && cuda_primary(device) == made->primary &&
        cuda_enter(&visit, device) == 0) {
        cuda_check(device, cudaStreamDestroy(made->stream), "destroying a stream");
        cuda_leave(&visit);
    }
    kit_host->free(made);
}

int32_t cuda_stream_wait(int32_t device, void *stream, void *mark)
{
    cudaStream_t target = cuda_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status && cuda_is_captured(target))
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          "a stream cannot wait for a mark while it is recorded");
    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaStreamWaitEvent(target, ((struct object *)mark)->event, 0),
                        "making a stream wait for an event");
    cuda_leave(&visit);
    return status;
}

/* ------------------------------------------------------------------ marks */

int32_t cuda_mark_create(int32_t device, void **mark)
{
    struct cuda_visit visit;
    cudaEvent_t made = NULL;
    struct object *object;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaEventCreate(&made), "creating an event");
    if (!status) {
        status = keep(&object, device);
        if (status)
            (void)cudaEventDestroy(made);
    }
    cuda_leave(&visit);
    if (!status) {
        object->event = made;
        *mark = object;
    }
    return status;
}

int32_t cuda_mark_record(int32_t device, void *stream, void *mark)
{
    cudaStream_t target = cuda_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status && cuda_is_captured(target))
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          "a mark cannot be set while its stream is recorded");
    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaEventRecord(((struct object *)mark)->event, target),
                        "recording an event");
    cuda_leave(&visit);
    return status;
}

int32_t cuda_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    cudaEvent_t begin = ((struct object *)from)->event, end = ((struct object *)to)->event;
    struct cuda_visit visit;
    float milliseconds = 0;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaEventSynchronize(begin), "waiting for an event");
    if (!status)
        status = cuda_check(device, cudaEventSynchronize(end), "waiting for an event");
    if (!status)
        status = cuda_check(device, cudaEventElapsedTime(&milliseconds, begin, end),
                            "querying the time between two events");
    cuda_leave(&visit);
    if (!status)
        *microseconds = 1e3 * (double)milliseconds;
    return status;
}

void cuda_mark_destroy(int32_t device, void *mark)
{
    struct object *object = mark;
    struct cuda_visit visit;

    if (enter_again(&visit, object, device) == 0) {
        cuda_check(device, cudaEventDestroy(object->event), "freeing an event");
        cuda_leave(&visit);
    }
    kit_host->free(object);
}

/* ------------------------------------------------------------------ recordings */

/* Returns the stream to capture for a recording on the application's stream. */
static cudaStream_t captured_stream(void *stream)
{
    cudaStream_t callers = (cudaStream_t)stream;
    return !callers || callers == cudaStreamLegacy ? cudaStreamPerThread : callers;
}

/* Begins a recording in relaxed mode, since creating a plan during a recording may allocate
 * memory. */
int32_t cuda_record_begin(int32_t device, void *stream)
{
    cudaStream_t target = captured_stream(stream);
    struct cuda_visit visit;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    if (cuda_is_captured(target))
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          stream ? "the stream is already being captured"
                                 : "this thread is already recording on the default stream; use a "
                                   "separate stream for each handle");
    else
        status = cuda_check(device, cudaStreamBeginCapture(target, cudaStreamCaptureModeRelaxed),
                            "beginning a capture");
    cuda_leave(&visit);
    return status;
}

int32_t cuda_record_end(int32_t device, void *stream, void **recording)
{
    struct cuda_visit visit;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    struct object *object;
    int32_t status = cuda_process();

    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    status = cuda_check(device, cudaStreamEndCapture(captured_stream(stream), &graph),
                        "ending a capture");
    if (!status)
        status = cuda_check(device, cudaGraphInstantiate(&made, graph, 0), "instantiating a graph");
    if (graph)
        (void)cudaGraphDestroy(graph);
    if (!status) {
        status = keep(&object, device);
        if (status)
            (void)cudaGraphExecDestroy(made);
    }
    cuda_leave(&visit);
    if (!status) {
        object->graph = made;
        *recording = object;
    }
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
    status = cuda_check(device,
                        cudaGraphLaunch(((struct object *)recording)->graph, (cudaStream_t)stream),
                        "launching a graph");
    cuda_leave(&visit);
    return status;
}

void cuda_record_destroy(int32_t device, void *recording)
{
    struct object *object = recording;
    struct cuda_visit visit;

    if (enter_again(&visit, object, device) == 0) {
        cuda_check(device, cudaGraphExecDestroy(object->graph), "freeing a graph");
        /* Memory that replays allocated between their kernels stays allocated in the process
         * until it is trimmed. */
        cuda_check(device, cudaDeviceGraphMemTrim(device), "freeing a graph's memory");
        cuda_leave(&visit);
    }
    kit_host->free(object);
}
