/* SPDX-License-Identifier: Apache-2.0 */
/* Implements streams, which are in-order queues, and marks, which are events. */
#include "opencl.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ streams */

/* Returns the place of a stream in the device's list, or the number of streams. The caller holds
 * the lock. */
static size_t place_of(const struct opencl_device *device, const void *stream)
{
    size_t at = 0;

    while (at < device->stream_count && device->streams[at] != stream)
        at++;
    return at;
}

int32_t opencl_finish(struct opencl_device *device)
{
    int32_t status = opencl_check(opencl.clFinish(device->queue), "waiting for a queue");

    pthread_mutex_lock(&device->lock);
    for (size_t i = 0; i < device->stream_count && !status; i++)
        status = opencl_check(opencl.clFinish(device->streams[i]), "waiting for a queue");
    pthread_mutex_unlock(&device->lock);
    return status;
}

int32_t opencl_synchronize(int32_t number, void *stream)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    return status
               ? status
               : opencl_check(opencl.clFinish(opencl_queue(device, stream)), "waiting for a queue");
}

/* Accepts the queues of stream_create and of adopt alone. The loader may crash on other pointers,
 * and memory_free would not wait for other queues. */
int32_t opencl_stream_check(int32_t number, void *stream)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);
    int is_own;

    if (status || !stream)
        return status;
    pthread_mutex_lock(&device->lock);
    is_own = place_of(device, stream) < device->stream_count;
    pthread_mutex_unlock(&device->lock);
    return is_own ? ANYDNN_PLUGIN_STATUS_SUCCESS
                  : kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                             "the stream was not created for OpenCL device %d", number);
}

/* Makes the device's list longer. Returns 0 if memory runs out. */
static int grow(struct opencl_device *device)
{
    size_t more = device->stream_capacity * 2 + 16;
    void **grown = realloc(device->streams, more * sizeof grown[0]);

    if (!grown)
        return 0;
    device->streams = grown;
    device->stream_capacity = more;
    return 1;
}

/* Adds a queue to the device's list. Returns 0 if memory runs out. */
static int keep(struct opencl_device *device, void *queue)
{
    int kept;

    pthread_mutex_lock(&device->lock);
    kept = device->stream_count < device->stream_capacity || grow(device);
    if (kept)
        device->streams[device->stream_count++] = queue;
    pthread_mutex_unlock(&device->lock);
    return kept;
}

int32_t opencl_stream_create(int32_t number, void **stream)
{
    struct opencl_device *device;
    cl_command_queue queue;
    cl_int error = CL_SUCCESS;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    queue = opencl_make_queue(device, &error);
    status = opencl_check(error, "creating a command queue");
    if (status)
        return status;
    if (!keep(device, queue)) {
        opencl.clReleaseCommandQueue(queue);
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, "out of memory for a stream");
    }
    *stream = queue;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Checks that a queue belongs to the device and its context, and runs in order. */
static int32_t check_queue(const struct opencl_device *device, cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_int error;

    error = opencl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error)
        error = opencl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    if (!error)
        error = opencl.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                             &properties, NULL);
    if (error)
        return opencl_check(error, "querying a command queue");
    if (context != device->context || id != device->id)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the command queue belongs to another context or device");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the command queue runs out of order; a stream must run in order");
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Takes over a context of the application, which has one device, and a queue of it. */
int32_t opencl_adopt(void *context, void *native, int32_t *number, void **stream)
{
    struct opencl_device *device;
    cl_device_id ids[2];
    size_t bytes = 0;
    const char *why;
    int32_t status;

    if (opencl_device_count(&why) == 0)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why);
    if (opencl.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes) !=
            CL_SUCCESS ||
        bytes != sizeof ids[0])
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the OpenCL context must be valid and have one device");
    status = opencl_adopt_context(ids[0], context, &device);
    if (!status && native)
        status = check_queue(device, native);
    if (status)
        return status;
    *number = device->number;
    *stream = native;
    if (!native)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    if (!keep(device, native))
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, "out of memory for a stream");
    return opencl_check(opencl.clRetainCommandQueue(native), "taking over a command queue");
}

/* Waits for the queue, since memory_free could not wait for it any more. */
void opencl_stream_destroy(int32_t number, void *stream)
{
    struct opencl_device *device;
    size_t at;

    if (opencl_enter(number, &device) || !stream)
        return;
    opencl.clFinish(stream);
    pthread_mutex_lock(&device->lock);
    at = place_of(device, stream);
    if (at < device->stream_count)
        device->streams[at] = device->streams[--device->stream_count];
    pthread_mutex_unlock(&device->lock);
    opencl.clReleaseCommandQueue(stream);
}

/* ------------------------------------------------------------------ marks */

struct mark {
    cl_event event; /* NULL if never recorded */
};

int32_t opencl_mark_create(int32_t number, void **mark)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    *mark = kit_alloc(sizeof(struct mark), "a mark");
    return *mark ? ANYDNN_PLUGIN_STATUS_SUCCESS : ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
}

/* Records a mark. Another queue may wait for its event only after this one is flushed. */
int32_t opencl_mark_record(int32_t number, void *stream, void *mark)
{
    struct mark *to = mark;
    struct opencl_device *device;
    cl_command_queue queue;
    cl_event event = NULL;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    queue = opencl_queue(device, stream);
    status = opencl_check(opencl.clEnqueueMarkerWithWaitList(queue, 0, NULL, &event),
                          "recording a mark");
    if (status)
        return status;
    if (to->event)
        opencl.clReleaseEvent(to->event);
    to->event = event;
    return opencl_check(opencl.clFlush(queue), "submitting a mark");
}

/* Reads the time at which the device passed a mark, after it has done so. */
static int32_t time_of(const struct mark *mark, cl_ulong *nanoseconds)
{
    int32_t status;

    if (!mark->event)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "the mark was never recorded");
    status = opencl_check(opencl.clWaitForEvents(1, &mark->event), "waiting for a mark");
    if (status)
        return status;
    return opencl_check(opencl.clGetEventProfilingInfo(mark->event, CL_PROFILING_COMMAND_END,
                                                       sizeof *nanoseconds, nanoseconds, NULL),
                        "reading the time of a mark");
}

int32_t opencl_mark_elapsed(int32_t number, void *from, void *to, double *microseconds)
{
    struct opencl_device *device;
    cl_ulong begin = 0, end = 0;
    int32_t status = opencl_enter(number, &device);

    if (!status)
        status = time_of(to, &end);
    if (!status)
        status = time_of(from, &begin);
    if (!status)
        *microseconds = ((double)end - (double)begin) / 1000;
    return status;
}

void opencl_mark_destroy(int32_t number, void *mark)
{
    struct mark *old = mark;
    struct opencl_device *device;

    if (!old)
        return;
    if (old->event && opencl_enter(number, &device) == 0)
        opencl.clReleaseEvent(old->event);
    kit_host->free(old);
}

int32_t opencl_stream_wait(int32_t number, void *stream, void *mark)
{
    const struct mark *before = mark;
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status || !before->event)
        return status;
    return opencl_check(
        opencl.clEnqueueBarrierWithWaitList(opencl_queue(device, stream), 1, &before->event, NULL),
        "letting a stream wait for a mark");
}
