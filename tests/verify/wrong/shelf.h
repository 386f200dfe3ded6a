/* SPDX-License-Identifier: Apache-2.0 */
/* A memory space for the backend `device`, and faulty ones for the faults SPACE_xxx. Its
 * pointers are host pointers with one bit inverted, so that a dereference on the host faults. */
#ifndef TESTS_VERIFY_SHELF_H
#define TESTS_VERIFY_SHELF_H

#define SHELF_BIT    (UINT64_C(1) << 62)
#define SHELF_FAILED 4

#include "queue.h"

static void *shelf_reach(const void *pointer)
{
    return (void *)((uintptr_t)pointer ^ SHELF_BIT);
}

static int32_t shelf_device_count(int32_t *number)
{
    *number = 1;
    return SUCCESS;
}

static int32_t shelf_device_current(int32_t *device)
{
    *device = 0;
    return SUCCESS;
}

static int32_t shelf_device_name(int32_t device, char *text, size_t size)
{
    (void)device;
    strncpy(text, "shelf", size);
    return SUCCESS;
}

static int32_t shelf_pointer_owner(int32_t device, const void *pointer, int32_t *owner)
{
    (void)device;
    *owner = (uintptr_t)pointer & SHELF_BIT && fault != SPACE_OWNER ? ANYDNN_PLUGIN_POINTER_DEVICE
                                                                    : ANYDNN_PLUGIN_POINTER_HOST;
    return SUCCESS;
}

static int32_t shelf_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    unsigned char *memory = aligned_alloc(256, (size_t)(bytes + 511) / 256 * 256);

    (void)device;
    if (fault == SPACE_ALLOC)
        memory += 64; /* never freed */
    *pointer = shelf_reach(memory);
    return memory ? SUCCESS : NO_MEMORY;
}

static int32_t shelf_free(int32_t device, void *pointer)
{
    (void)device;
    if (fault != SPACE_ALLOC)
        free(shelf_reach(pointer));
    return SUCCESS;
}

/* The last copy from host memory, which this space delays until the destination is accessed. */
static struct {
    void *to;
    const void *from;
    uint64_t bytes;
} late;

static void settle(void)
{
    if (late.bytes)
        memcpy(late.to, late.from, (size_t)late.bytes);
    late.bytes = 0;
}

static int32_t shelf_copy(int32_t device, void *stream, void *to, const void *from, uint64_t bytes,
                          int32_t kind)
{
    (void)device;
    settle();
    if (queue_has_streams() && kind == ANYDNN_PLUGIN_COPY_WITHIN) {
        struct queue_work work = {
            .to = shelf_reach(to), .from = shelf_reach(from), .bytes = (size_t)bytes};

        queue_enqueue(queue_of(stream), &work);
        return SUCCESS;
    }
    queue_finish(queue_of(stream));
    if (fault == SPACE_LATE && kind == ANYDNN_PLUGIN_COPY_TO) {
        late.to = shelf_reach(to);
        late.from = from;
        late.bytes = bytes;
        return SUCCESS;
    }
    if (fault == SPACE_WITHIN && kind == ANYDNN_PLUGIN_COPY_WITHIN)
        bytes -= bytes % 16;
    memcpy(kind == ANYDNN_PLUGIN_COPY_FROM ? to : shelf_reach(to),
           kind == ANYDNN_PLUGIN_COPY_TO ? from : shelf_reach(from), (size_t)bytes);
    return SUCCESS;
}

static int32_t shelf_set(int32_t device, void *stream, void *to, int32_t byte, uint64_t bytes)
{
    struct queue_work work = {.to = shelf_reach(to), .byte = byte};

    (void)device;
    settle();
    if (fault == SPACE_SET)
        bytes = (bytes + 3) / 4 * 4;
    work.bytes = (size_t)bytes;
    queue_enqueue(queue_of(stream), &work);
    return SUCCESS;
}

/* Stands in for functions of streams. Every operation of this space is synchronous. */
static int32_t shelf_stream(int32_t device, void *stream)
{
    (void)device;
    (void)stream;
    return SUCCESS;
}

static int32_t shelf_mark_create(int32_t device, void **mark)
{
    (void)device;
    (void)mark;
    return SHELF_FAILED;
}

static int32_t shelf_mark_record(int32_t device, void *stream, void *mark)
{
    (void)device;
    (void)stream;
    (void)mark;
    return SHELF_FAILED;
}

static int32_t shelf_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    (void)device;
    (void)from;
    (void)to;
    (void)microseconds;
    return SHELF_FAILED;
}

static void shelf_destroy(int32_t device, void *mark)
{
    (void)device;
    (void)mark;
}

static int32_t shelf_record_end(int32_t device, void *stream, void **recording)
{
    (void)device;
    (void)stream;
    if (fault != SPACE_RECORDS)
        return SHELF_FAILED;
    *recording = recording;
    return SUCCESS;
}

/* The functions of the fault SPACE_MARKS. */
static int32_t shelf_zero_create(int32_t device, void **mark)
{
    (void)device;
    *mark = &late;
    return SUCCESS;
}

static int32_t shelf_zero_record(int32_t device, void *stream, void *mark)
{
    (void)device;
    (void)stream;
    (void)mark;
    return SUCCESS;
}

static int32_t shelf_zero_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    (void)device;
    (void)from;
    (void)to;
    *microseconds = 0;
    return SUCCESS;
}

static int32_t shelf_poisoned(int32_t device)
{
    (void)device;
    return 0;
}

static int32_t shelf_identity(int32_t device, char *text, size_t size)
{
    (void)device;
    strncpy(text, "shelf\t1", size);
    return SUCCESS;
}

/* Counts special values, with subnormal numbers counted as zeros. */
static int32_t shelf_count(int32_t device, void *stream, const struct anydnn_plugin_tensor *tensor,
                           const void *data, uint64_t *counts)
{
    const float *from = shelf_reach(data);
    uint64_t *to = shelf_reach(counts);
    int64_t all = 1;

    (void)device;
    (void)stream;
    for (int32_t d = 0; d < tensor->ndims; d++)
        all *= tensor->dims[d];
    for (int64_t i = 0; i < all; i++) {
        int64_t left = i, at = 0;

        for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
            at += left % tensor->dims[d] * tensor->strides[d];
            left /= tensor->dims[d];
        }
        to[ANYDNN_PLUGIN_SPECIAL_NAN] += isnan(from[at]) != 0;
        to[ANYDNN_PLUGIN_SPECIAL_INFINITY] += isinf(from[at]) != 0;
        to[ANYDNN_PLUGIN_SPECIAL_ZERO] += !isnormal(from[at]) && isfinite(from[at]);
    }
    return SUCCESS;
}

static int32_t shelf_stream_create(int32_t device, void **stream)
{
    (void)device;
    if (fault == SPACE_QUEUE)
        *stream = &late;
    return SUCCESS;
}

static struct anydnn_plugin_space shelf = {
    .struct_size = sizeof(shelf),
    .device_count = shelf_device_count,
    .device_current = shelf_device_current,
    .device_name = shelf_device_name,
    .pointer_owner = shelf_pointer_owner,
    .memory_alloc = shelf_alloc,
    .memory_free = shelf_free,
    .memory_copy = shelf_copy,
    .memory_set = shelf_set,
    .synchronize = shelf_stream,
    .stream_check = shelf_stream,
    .mark_create = shelf_mark_create,
    .mark_record = shelf_mark_record,
    .mark_elapsed = shelf_mark_elapsed,
    .mark_destroy = shelf_destroy,
    .record_begin = shelf_stream,
    .record_end = shelf_record_end,
    .record_replay = shelf_mark_record,
    .record_destroy = shelf_destroy,
    .poisoned = shelf_poisoned,
};

/* Adds the optional space functions that contain the fault. */
static void shelf_begin(void)
{
    if (fault == SPACE_STREAM || fault == SPACE_QUEUE) {
        shelf.stream_create = shelf_stream_create;
        shelf.stream_destroy = shelf_destroy;
        shelf.stream_wait = shelf_mark_record;
    }
    if (fault == SPACE_MARKS) {
        shelf.mark_create = shelf_zero_create;
        shelf.mark_record = shelf_zero_record;
        shelf.mark_elapsed = shelf_zero_elapsed;
    }
    if (queue_has_streams()) {
        shelf.synchronize = queue_synchronize;
        shelf.stream_create = queue_create;
        shelf.stream_destroy = queue_destroy;
        shelf.stream_wait = queue_wait;
        shelf.mark_create = queue_mark_create;
        shelf.mark_record = queue_mark_record;
        shelf.mark_elapsed = queue_mark_elapsed;
        shelf.mark_destroy = queue_mark_destroy;
        shelf.record_begin = queue_record_begin;
        shelf.record_end = queue_record_end;
        shelf.record_replay = queue_record_replay;
        shelf.record_destroy = queue_record_destroy;
    }
    if (fault == SPACE_COUNT)
        shelf.count_special = shelf_count;
    if (fault == SPACE_IDENTITY)
        shelf.device_identity = shelf_identity;
}

#endif
