/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory space of this object's backend, "mockdev" unless MOCK_SPACE names another: its
 * memory (mock_memory.c), and streams, marks and recordings that only take time. Every function
 * logs its arguments, and fails when a setting requests it.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock.h"
#include "mock_memory.h"
#include "mock_space.h"

struct recording {
    int number;
    long microseconds; /* duration of a replay */
};

struct mark {
    struct timespec time;
    int number;
    const void *stream; /* the stream of its last record, and the copies started by then */
    uint64_t departed;
};

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

/* Logs a call and returns its status: set.status, or 4, if set.fail_space names it; 9 for marks
 * while set.captured reports that a stream is captured. */
int32_t mock_space_answer(struct mock_line *line, const char *function)
{
    int32_t answer =
        mock_setting_is("fail_space", function) ? (int32_t)mock_setting_number("status", 4) : 0;

    if (strcmp(function, "mark_record") == 0 && mock_setting("captured"))
        answer = 9;
    if (answer != 0)
        kit_fail(answer, "the test backend was told to fail in a function of its space");
    mock_line_add(line, " answer=%d", answer);
    mock_line_end(line);
    return answer;
}

/* Logs a call that fails because of its arguments, and returns the status. */
static int32_t refuse(struct mock_line *line, const char *text)
{
    mock_line_add(line, " answer=3");
    mock_line_end(line);
    return kit_fail(3, "%s", text);
}

int mock_space_gives_nothing(const char *function)
{
    return mock_setting_is("nothing", function);
}

void *mock_space_reach(const void *pointer, uint64_t bytes)
{
    return mock_memory_reach(mock_space_name, pointer, bytes);
}

static int32_t space_device_count(int32_t *count)
{
    struct mock_line line;

    *count = (int32_t)mock_setting_number("devices", 1);
    MOCK_SPACE_LOG(line, "device_count", " count=%d", *count);
    return mock_space_answer(&line, "device_count");
}

static int32_t space_device_current(int32_t *device)
{
    struct mock_line line;

    *device = (int32_t)mock_setting_number("current", 0);
    MOCK_SPACE_LOG(line, "device_current", " device=%d", *device);
    return mock_space_answer(&line, "device_current");
}

static int32_t space_device_name(int32_t device, char *text, size_t size)
{
    struct mock_line line;

    snprintf(text, size, "mock device %d", device);
    MOCK_SPACE_LOG(line, "device_name", " device=%d", device);
    return mock_space_answer(&line, "device_name");
}

static int32_t space_device_identity(int32_t device, char *text, size_t size)
{
    struct mock_line line;

    snprintf(text, size, "mock device, %d multiprocessors, driver %s",
             (int)mock_setting_number("multiprocessors", 4),
             mock_setting("driver") ? mock_setting("driver") : "1.0");
    MOCK_SPACE_LOG(line, "device_identity", " device=%d", device);
    return mock_space_answer(&line, "device_identity");
}

static int32_t space_pointer_owner(int32_t device, const void *pointer, int32_t *owner)
{
    struct mock_line line;

    if (!pointer)
        *owner = ANYDNN_PLUGIN_POINTER_UNKNOWN;
    else if (mock_setting_is("owner", "both"))
        *owner = ANYDNN_PLUGIN_POINTER_BOTH;
    else
        *owner = mock_space_reach(pointer, 1) ? ANYDNN_PLUGIN_POINTER_DEVICE
                                              : ANYDNN_PLUGIN_POINTER_HOST;
    MOCK_SPACE_LOG(line, "pointer_owner", " device=%d pointer=0x%" PRIxPTR " owner=%d", device,
                   (uintptr_t)pointer, *owner);
    return mock_space_answer(&line, "pointer_owner");
}

static int32_t space_memory_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    if (mock_space_gives_nothing("memory_alloc"))
        return 0;

    void *taken = mock_setting_is("fail_space", "memory_alloc") ||
                          bytes > (uint64_t)mock_setting_number("memory", INT64_MAX)
                      ? NULL
                      : mock_memory_take(mock_space_name, device, bytes);
    struct mock_line line;

    if (taken)
        *pointer = taken;
    else
        kit_fail(2, "the test device has no memory left");
    MOCK_SPACE_LOG(line, "memory_alloc",
                   " device=%d bytes=%" PRIu64 " pointer=0x%" PRIxPTR " answer=%d", device, bytes,
                   (uintptr_t)taken, taken ? 0 : 2);
    mock_line_end(&line);
    return taken ? 0 : 2;
}

static int32_t space_memory_free(int32_t device, void *pointer)
{
    int found = mock_memory_drop(mock_space_name, device, pointer) == 0;
    struct mock_line line;

    MOCK_SPACE_LOG(line, "memory_free", " device=%d pointer=0x%" PRIxPTR, device,
                   (uintptr_t)pointer);
    if (!found)
        return refuse(&line, "this is no memory of that test device");
    return mock_space_answer(&line, "memory_free");
}

static int32_t space_memory_copy(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind)
{
    static const char *const copies[] = {"", "copy_to", "copy_from", "copy_within"};
    void *inner_to = kind == ANYDNN_PLUGIN_COPY_FROM ? to : mock_space_reach(to, bytes);
    const void *inner_from = kind == ANYDNN_PLUGIN_COPY_TO ? from : mock_space_reach(from, bytes);
    struct mock_line line;

    MOCK_SPACE_LOG(line, "memory_copy",
                   " device=%d stream=0x%" PRIxPTR " to=0x%" PRIxPTR " from=0x%" PRIxPTR
                   " bytes=%" PRIu64 " kind=%d",
                   device, (uintptr_t)mock_stream_alive(stream), (uintptr_t)to, (uintptr_t)from,
                   bytes, kind);
    if (!inner_to || !inner_from)
        return refuse(&line, "the copy leaves the memory of the test device");
    if (mock_setting_is("fail_space", copies[kind]))
        return mock_space_answer(&line, copies[kind]);
    if (bytes)
        memmove(inner_to, inner_from, bytes);
    return mock_space_answer(&line, "memory_copy");
}

static int32_t space_memory_set(int32_t device, void *stream, void *to, int32_t byte,
                                uint64_t bytes)
{
    void *inner = mock_space_reach(to, bytes);
    struct mock_line line;

    MOCK_SPACE_LOG(line, "memory_set",
                   " device=%d stream=0x%" PRIxPTR " to=0x%" PRIxPTR " byte=%d bytes=%" PRIu64,
                   device, (uintptr_t)mock_stream_alive(stream), (uintptr_t)to, byte, bytes);
    if (!inner)
        return refuse(&line, "the range leaves the memory of the test device");
    memset(inner, byte, bytes);
    return mock_space_answer(&line, "memory_set");
}

static int32_t space_synchronize(int32_t device, void *stream)
{
    struct mock_line line;

    mock_space_arrive(stream, UINT64_MAX);
    MOCK_SPACE_LOG(line, "synchronize", " device=%d stream=0x%" PRIxPTR, device,
                   (uintptr_t)mock_stream_alive(stream));
    return mock_space_answer(&line, "synchronize");
}

static int32_t space_stream_check(int32_t device, void *stream)
{
    struct mock_line line;

    MOCK_SPACE_LOG(line, "stream_check", " device=%d stream=0x%" PRIxPTR, device,
                   (uintptr_t)mock_stream_alive(stream));
    return mock_space_answer(&line, "stream_check");
}

int mock_mark_number(const void *mark)
{
    return ((const struct mark *)mark)->number;
}

static int32_t space_mark_create(int32_t device, void **mark)
{
    static int count;
    struct mark *made = mock_space_gives_nothing("mark_create") ? NULL : calloc(1, sizeof(*made));
    struct mock_line line;
    int32_t answer;

    if (mock_space_gives_nothing("mark_create"))
        return 0;

    pthread_mutex_lock(&count_lock);
    if (made)
        made->number = ++count;
    pthread_mutex_unlock(&count_lock);
    MOCK_SPACE_LOG(line, "mark_create", " device=%d mark=%d", device, made ? made->number : 0);
    answer = mock_space_answer(&line, "mark_create");
    if (answer == 0 && made)
        *mark = made;
    else
        free(made);
    return made ? answer : 2;
}

static int32_t space_mark_record(int32_t device, void *stream, void *mark)
{
    struct mock_line line;

    clock_gettime(CLOCK_MONOTONIC, &((struct mark *)mark)->time);
    ((struct mark *)mark)->stream = stream;
    ((struct mark *)mark)->departed = mock_space_departed();
    MOCK_SPACE_LOG(line, "mark_record", " device=%d stream=0x%" PRIxPTR " mark=%d", device,
                   (uintptr_t)mock_stream_alive(stream), mock_mark_number(mark));
    return mock_space_answer(&line, "mark_record");
}

static int32_t space_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    const struct timespec *first = &((struct mark *)from)->time;
    const struct timespec *last = &((struct mark *)to)->time;
    const struct mark *mark = to;
    struct mock_line line;

    *microseconds = (double)(last->tv_sec - first->tv_sec) * 1e6 +
                    (double)(last->tv_nsec - first->tv_nsec) / 1e3;
    mock_space_arrive(mark->stream, mark->departed);
    MOCK_SPACE_LOG(line, "mark_elapsed", " device=%d", device);
    return mock_space_answer(&line, "mark_elapsed");
}

static void space_mark_destroy(int32_t device, void *mark)
{
    struct mock_line line;

    MOCK_SPACE_LOG(line, "mark_destroy", " device=%d mark=%d", device, mock_mark_number(mark));
    mock_line_end(&line);
    free(mark);
}

static int32_t space_record_begin(int32_t device, void *stream)
{
    struct mock_line line;
    int32_t answer;

    MOCK_SPACE_LOG(line, "record_begin", " device=%d stream=0x%" PRIxPTR, device,
                   (uintptr_t)mock_stream_alive(stream));
    answer = mock_space_answer(&line, "record_begin");
    if (answer == 0)
        mock_recorded = 0;
    return answer;
}

static int32_t space_record_end(int32_t device, void *stream, void **recording)
{
    static int count;
    long recorded = atomic_exchange(&mock_recorded, -1);
    struct recording *made = NULL;
    struct mock_line line;
    int32_t answer;

    if (mock_space_gives_nothing("record_end"))
        return 0;
    made = calloc(1, sizeof(*made));
    if (!made)
        return 2;
    made->microseconds = recorded;
    pthread_mutex_lock(&count_lock);
    made->number = ++count;
    pthread_mutex_unlock(&count_lock);
    MOCK_SPACE_LOG(line, "record_end", " device=%d stream=0x%" PRIxPTR " recording=%d", device,
                   (uintptr_t)mock_stream_alive(stream), made->number);
    answer = mock_space_answer(&line, "record_end");
    if (answer == 0)
        *recording = made;
    else
        free(made);
    return answer;
}

static int32_t space_record_replay(int32_t device, void *stream, void *recording)
{
    struct mock_line line;

    mock_sleep(((struct recording *)recording)->microseconds);
    MOCK_SPACE_LOG(line, "record_replay", " device=%d stream=0x%" PRIxPTR " recording=%d", device,
                   (uintptr_t)mock_stream_alive(stream), ((struct recording *)recording)->number);
    return mock_space_answer(&line, "record_replay");
}

static void space_record_destroy(int32_t device, void *recording)
{
    struct mock_line line;

    MOCK_SPACE_LOG(line, "record_destroy", " device=%d recording=%d", device,
                   ((struct recording *)recording)->number);
    mock_line_end(&line);
    free(recording);
}

static int32_t space_poisoned(int32_t device)
{
    int32_t poisoned = mock_setting_is("poisoned", "yes");
    struct mock_line line;

    MOCK_SPACE_LOG(line, "poisoned", " device=%d poisoned=%d", device, poisoned);
    mock_line_end(&line);
    return poisoned;
}

const struct anydnn_plugin_space mock_space = {
    .struct_size = sizeof(mock_space),
    .device_count = space_device_count,
    .device_current = space_device_current,
    .device_name = space_device_name,
    .pointer_owner = space_pointer_owner,
    .memory_alloc = space_memory_alloc,
    .memory_free = space_memory_free,
    .memory_copy = space_memory_copy,
    .memory_set = space_memory_set,
    .synchronize = space_synchronize,
    .stream_check = space_stream_check,
    .mark_create = space_mark_create,
    .mark_record = space_mark_record,
    .mark_elapsed = space_mark_elapsed,
    .mark_destroy = space_mark_destroy,
    .record_begin = space_record_begin,
    .record_end = space_record_end,
    .record_replay = space_record_replay,
    .record_destroy = space_record_destroy,
    .poisoned = space_poisoned,
    .stream_create = mock_stream_create,
    .stream_destroy = mock_stream_destroy,
    .stream_wait = mock_stream_wait,
    .device_identity = space_device_identity,
    .host_alloc = mock_host_alloc,
    .host_free = mock_host_free,
    .memory_copy_async = mock_memory_copy_async,
    .count_special = mock_count_special,
};
