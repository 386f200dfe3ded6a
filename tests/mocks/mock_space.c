/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory space "mockdev": memory that a program on the host cannot touch by its address. Each
 * allocation is one memfd mapped twice: without any rights at the address that the application
 * gets, and readable and writable at another that only the backends of this object know.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

struct block {
    struct block *next;
    char *outer; /* PROT_NONE */
    char *inner;
    size_t bytes;  /* as asked for */
    size_t mapped; /* whole pages */
    int32_t device;
};

struct recording {
    int number;
};

static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Logs a call and gives its status: 4 when set.fail_space names it. */
static int32_t space_answer(struct mock_line *line, const char *function)
{
    int32_t answer = mock_setting_is("fail_space", function) ? 4 : 0;

    if (answer != 0)
        mock_host->set_error(mock_host,
                             "the test backend was told to fail in a function of its space");
    mock_line_add(line, " answer=%d", answer);
    mock_line_end(line);
    return answer;
}

#define SPACE_LOG(line, function, ...)                                                             \
    mock_line_begin(&(line), function);                                                            \
    mock_line_add(&(line), __VA_ARGS__)

static void *block_reach(const void *pointer, uint64_t bytes)
{
    char *found = NULL;

    pthread_mutex_lock(&blocks_lock);
    for (struct block *block = blocks; block; block = block->next) {
        uintptr_t offset = (uintptr_t)pointer - (uintptr_t)block->outer;

        if ((uintptr_t)pointer >= (uintptr_t)block->outer && offset <= block->bytes &&
            bytes <= block->bytes - offset)
            found = block->inner + offset;
    }
    pthread_mutex_unlock(&blocks_lock);
    return found;
}

void *mock_space_reach(const void *pointer)
{
    return block_reach(pointer, 1);
}

static int32_t space_device_count(int32_t *count)
{
    struct mock_line line;

    *count = (int32_t)mock_setting_number("devices", 1);
    SPACE_LOG(line, "device_count", " count=%d", *count);
    return space_answer(&line, "device_count");
}

static int32_t space_device_current(int32_t *device)
{
    struct mock_line line;

    *device = (int32_t)mock_setting_number("current", 0);
    SPACE_LOG(line, "device_current", " device=%d", *device);
    return space_answer(&line, "device_current");
}

static int32_t space_device_name(int32_t device, char *text, size_t size)
{
    struct mock_line line;

    snprintf(text, size, "mock device %d", device);
    SPACE_LOG(line, "device_name", " device=%d", device);
    return space_answer(&line, "device_name");
}

static int32_t space_pointer_owner(int32_t device, const void *pointer, int32_t *owner)
{
    struct mock_line line;

    if (!pointer)
        *owner = ANYDNN_PLUGIN_POINTER_UNKNOWN;
    else
        *owner =
            mock_space_reach(pointer) ? ANYDNN_PLUGIN_POINTER_DEVICE : ANYDNN_PLUGIN_POINTER_HOST;
    SPACE_LOG(line, "pointer_owner", " device=%d pointer=0x%" PRIxPTR " owner=%d", device,
              (uintptr_t)pointer, *owner);
    return space_answer(&line, "pointer_owner");
}

static struct block *block_make(int32_t device, uint64_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct block *block = calloc(1, sizeof(*block));
    int fd = memfd_create("mockdev", MFD_CLOEXEC);

    if (!block || fd < 0 || bytes > SIZE_MAX / 2)
        goto failed;
    block->device = device;
    block->bytes = (size_t)bytes;
    block->mapped = bytes ? ((size_t)bytes + page - 1) / page * page : page;
    if (ftruncate(fd, (off_t)block->mapped) != 0)
        goto failed;
    block->outer = mmap(NULL, block->mapped, PROT_NONE, MAP_SHARED, fd, 0);
    block->inner = mmap(NULL, block->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (block->outer != MAP_FAILED && block->inner != MAP_FAILED) {
        close(fd);
        return block;
    }
    if (block->outer != MAP_FAILED)
        munmap(block->outer, block->mapped);
    if (block->inner != MAP_FAILED)
        munmap(block->inner, block->mapped);
failed:
    if (fd >= 0)
        close(fd);
    free(block);
    return NULL;
}

static int32_t space_memory_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    struct block *block =
        mock_setting_is("fail_space", "memory_alloc") ? NULL : block_make(device, bytes);
    struct mock_line line;

    if (block) {
        pthread_mutex_lock(&blocks_lock);
        block->next = blocks;
        blocks = block;
        pthread_mutex_unlock(&blocks_lock);
        *pointer = block->outer;
    } else {
        mock_host->set_error(mock_host, "the test device has no memory left");
    }
    SPACE_LOG(line, "memory_alloc", " device=%d bytes=%" PRIu64 " pointer=0x%" PRIxPTR " answer=%d",
              device, bytes, block ? (uintptr_t)block->outer : 0, block ? 0 : 2);
    mock_line_end(&line);
    return block ? 0 : 2;
}

static int32_t space_memory_free(int32_t device, void *pointer)
{
    struct block *found = NULL;
    struct mock_line line;

    pthread_mutex_lock(&blocks_lock);
    for (struct block **at = &blocks; *at; at = &(*at)->next) {
        if ((*at)->outer == pointer && (*at)->device == device) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&blocks_lock);
    SPACE_LOG(line, "memory_free", " device=%d pointer=0x%" PRIxPTR, device, (uintptr_t)pointer);
    if (!found) {
        mock_host->set_error(mock_host, "this is no memory of that test device");
        mock_line_add(&line, " answer=3");
        mock_line_end(&line);
        return 3;
    }
    munmap(found->outer, found->mapped);
    munmap(found->inner, found->mapped);
    free(found);
    return space_answer(&line, "memory_free");
}

static int32_t space_memory_copy(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind)
{
    void *inner_to = kind == ANYDNN_PLUGIN_COPY_FROM ? to : block_reach(to, bytes);
    const void *inner_from = kind == ANYDNN_PLUGIN_COPY_TO ? from : block_reach(from, bytes);
    struct mock_line line;

    SPACE_LOG(line, "memory_copy",
              " device=%d stream=0x%" PRIxPTR " to=0x%" PRIxPTR " from=0x%" PRIxPTR
              " bytes=%" PRIu64 " kind=%d",
              device, (uintptr_t)stream, (uintptr_t)to, (uintptr_t)from, bytes, kind);
    if (!inner_to || !inner_from) {
        mock_host->set_error(mock_host, "the copy leaves the memory of the test device");
        mock_line_add(&line, " answer=3");
        mock_line_end(&line);
        return 3;
    }
    if (bytes)
        memmove(inner_to, inner_from, bytes);
    return space_answer(&line, "memory_copy");
}

static int32_t space_memory_set(int32_t device, void *stream, void *to, int32_t byte,
                                uint64_t bytes)
{
    void *inner = block_reach(to, bytes);
    struct mock_line line;

    SPACE_LOG(line, "memory_set",
              " device=%d stream=0x%" PRIxPTR " to=0x%" PRIxPTR " byte=%d bytes=%" PRIu64, device,
              (uintptr_t)stream, (uintptr_t)to, byte, bytes);
    if (!inner) {
        mock_host->set_error(mock_host, "the range leaves the memory of the test device");
        mock_line_add(&line, " answer=3");
        mock_line_end(&line);
        return 3;
    }
    memset(inner, byte, bytes);
    return space_answer(&line, "memory_set");
}

static int32_t space_synchronize(int32_t device, void *stream)
{
    struct mock_line line;

    SPACE_LOG(line, "synchronize", " device=%d stream=0x%" PRIxPTR, device, (uintptr_t)stream);
    return space_answer(&line, "synchronize");
}

static int32_t space_stream_check(int32_t device, void *stream)
{
    struct mock_line line;

    SPACE_LOG(line, "stream_check", " device=%d stream=0x%" PRIxPTR, device, (uintptr_t)stream);
    return space_answer(&line, "stream_check");
}

static int32_t space_mark_create(int32_t device, void **mark)
{
    struct mock_line line;

    *mark = calloc(1, sizeof(struct timespec));
    SPACE_LOG(line, "mark_create", " device=%d", device);
    return *mark ? space_answer(&line, "mark_create") : 2;
}

static int32_t space_mark_record(int32_t device, void *stream, void *mark)
{
    struct mock_line line;

    clock_gettime(CLOCK_MONOTONIC, mark);
    SPACE_LOG(line, "mark_record", " device=%d stream=0x%" PRIxPTR, device, (uintptr_t)stream);
    return space_answer(&line, "mark_record");
}

static int32_t space_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    const struct timespec *first = from;
    const struct timespec *last = to;
    struct mock_line line;

    *microseconds = (double)(last->tv_sec - first->tv_sec) * 1e6 +
                    (double)(last->tv_nsec - first->tv_nsec) / 1e3;
    SPACE_LOG(line, "mark_elapsed", " device=%d", device);
    return space_answer(&line, "mark_elapsed");
}

static void space_mark_destroy(int32_t device, void *mark)
{
    struct mock_line line;

    SPACE_LOG(line, "mark_destroy", " device=%d", device);
    mock_line_end(&line);
    free(mark);
}

static int32_t space_record_begin(int32_t device, void *stream)
{
    struct mock_line line;

    SPACE_LOG(line, "record_begin", " device=%d stream=0x%" PRIxPTR, device, (uintptr_t)stream);
    return space_answer(&line, "record_begin");
}

static int32_t space_record_end(int32_t device, void *stream, void **recording)
{
    static int count;
    struct recording *made = calloc(1, sizeof(*made));
    struct mock_line line;

    if (!made)
        return 2;
    pthread_mutex_lock(&blocks_lock);
    made->number = ++count;
    pthread_mutex_unlock(&blocks_lock);
    *recording = made;
    SPACE_LOG(line, "record_end", " device=%d stream=0x%" PRIxPTR " recording=%d", device,
              (uintptr_t)stream, made->number);
    return space_answer(&line, "record_end");
}

static int32_t space_record_replay(int32_t device, void *stream, void *recording)
{
    struct mock_line line;

    SPACE_LOG(line, "record_replay", " device=%d stream=0x%" PRIxPTR " recording=%d", device,
              (uintptr_t)stream, ((struct recording *)recording)->number);
    return space_answer(&line, "record_replay");
}

static void space_record_destroy(int32_t device, void *recording)
{
    struct mock_line line;

    SPACE_LOG(line, "record_destroy", " device=%d recording=%d", device,
              ((struct recording *)recording)->number);
    mock_line_end(&line);
    free(recording);
}

static int32_t space_poisoned(int32_t device)
{
    int32_t poisoned = mock_setting_is("poisoned", "yes");
    struct mock_line line;

    SPACE_LOG(line, "poisoned", " device=%d poisoned=%d", device, poisoned);
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
};
