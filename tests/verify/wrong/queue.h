/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of the space of shelf.h, for the faults that need some: queues whose work is done
 * when something waits for it, which no clock decides. Included by shelf.h. */
#ifndef TESTS_VERIFY_QUEUE_H
#define TESTS_VERIFY_QUEUE_H

struct queue_work {
    struct queue_work *next;
    struct anydnn_plugin_plan *plan; /* NULL: set or copy */
    struct anydnn_plugin_operands operands;
    void *to;
    const void *from; /* NULL: set */
    int32_t byte;
    size_t bytes;
};

struct queue {
    struct queue_work *first;
    struct queue_work *recorded;
    int records;
};

/* The default stream, whose work is done at once, and the stream of a backend that uses its own. */
static struct queue queue_default, queue_own;

static int queue_has_streams(void)
{
    return fault == STREAMS || fault == IGNORES_STREAM || fault == OWN_STREAM ||
           fault == RUNS_RECORDED;
}

static void queue_do(const struct queue_work *work)
{
    if (work->plan)
        run_plan(work->plan, &work->operands);
    else if (work->from)
        memcpy(work->to, work->from, work->bytes);
    else
        memset(work->to, work->byte, work->bytes);
}

static void queue_append(struct queue_work **list, const struct queue_work *work)
{
    struct queue_work *copy = malloc(sizeof(*copy));

    *copy = *work;
    copy->next = NULL;
    while (*list)
        list = &(*list)->next;
    *list = copy;
}

static void queue_free(struct queue_work *list)
{
    while (list) {
        struct queue_work *next = list->next;

        free(list);
        list = next;
    }
}

static void queue_finish(struct queue *queue)
{
    struct queue_work *list = queue->first;

    queue->first = NULL;
    for (const struct queue_work *work = list; work; work = work->next)
        queue_do(work);
    queue_free(list);
}

static struct queue *queue_of(void *stream)
{
    return stream ? stream : &queue_default;
}

static void queue_enqueue(struct queue *queue, const struct queue_work *work)
{
    if (queue->records)
        queue_append(&queue->recorded, work);
    else if (queue == &queue_default)
        queue_do(work);
    else
        queue_append(&queue->first, work);
}

static void queue_run(struct anydnn_plugin_plan *plan,
                      const struct anydnn_plugin_operands *operands)
{
    struct queue_work work = {.plan = plan, .operands = *operands};
    struct queue *queue = queue_of(operands->stream);

    if (fault == RUNS_RECORDED && queue->records)
        queue_do(&work);
    if (fault == IGNORES_STREAM)
        queue = &queue_default;
    if (fault == OWN_STREAM && operands->stream && !queue->records) {
        queue_finish(queue); /* as a wait for an event of the stream would */
        queue = &queue_own;
    }
    queue_enqueue(queue, &work);
}

/* ------------------------------------------------------------------ functions of the space */

static int32_t queue_synchronize(int32_t device, void *stream)
{
    (void)device;
    queue_finish(queue_of(stream));
    queue_finish(&queue_own);
    return SUCCESS;
}

static int32_t queue_create(int32_t device, void **stream)
{
    (void)device;
    *stream = calloc(1, sizeof(struct queue));
    return *stream ? SUCCESS : NO_MEMORY;
}

static void queue_destroy(int32_t device, void *stream)
{
    queue_synchronize(device, stream);
    free(stream);
}

struct queue_mark {
    struct queue *queue;
    struct timespec time;
};

static int32_t queue_mark_create(int32_t device, void **mark)
{
    (void)device;
    *mark = calloc(1, sizeof(struct queue_mark));
    return *mark ? SUCCESS : NO_MEMORY;
}

static int32_t queue_mark_record(int32_t device, void *stream, void *mark)
{
    struct queue_mark *made = mark;

    (void)device;
    made->queue = queue_of(stream);
    clock_gettime(CLOCK_MONOTONIC, &made->time);
    return SUCCESS;
}

static int32_t queue_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    const struct queue_mark *first = from, *last = to;

    (void)device;
    queue_finish(last->queue);
    *microseconds = (double)(last->time.tv_sec - first->time.tv_sec) * 1e6 +
                    (double)(last->time.tv_nsec - first->time.tv_nsec) * 1e-3;
    return SUCCESS;
}

static void queue_mark_destroy(int32_t device, void *mark)
{
    (void)device;
    free(mark);
}

static int32_t queue_wait(int32_t device, void *stream, void *mark)
{
    const struct queue_mark *made = mark;

    (void)device;
    (void)stream;
    if (made->queue)
        queue_finish(made->queue);
    return SUCCESS;
}

static int32_t queue_record_begin(int32_t device, void *stream)
{
    (void)device;
    queue_of(stream)->records = 1;
    return SUCCESS;
}

static int32_t queue_record_end(int32_t device, void *stream, void **recording)
{
    struct queue *queue = queue_of(stream);

    (void)device;
    *recording = queue->recorded;
    queue->recorded = NULL;
    queue->records = 0;
    return *recording ? SUCCESS : SHELF_FAILED;
}

static int32_t queue_record_replay(int32_t device, void *stream, void *recording)
{
    (void)device;
    for (const struct queue_work *work = recording; work; work = work->next)
        queue_enqueue(queue_of(stream), work);
    return SUCCESS;
}

static void queue_record_destroy(int32_t device, void *recording)
{
    (void)device;
    queue_free(recording);
}

#endif
