/* SPDX-License-Identifier: Apache-2.0 */
/* The host as a memory space: one device called cpu, plain memory, no streams, the monotonic clock.
 */
#include "dispatch/handle/space.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dispatch/handle/special.h"
#include "load/load.h"

#define OK            0
#define ALLOC_FAILED  2
#define BAD_PARAM     3
#define NOT_SUPPORTED 9

static int32_t host_device_count(int32_t *count)
{
    *count = 1;
    return OK;
}

static int32_t host_device_current(int32_t *device)
{
    *device = 0;
    return OK;
}

static int32_t host_device_name(int32_t device, char *text, size_t size)
{
    (void)device;
    snprintf(text, size, "host processor");
    return OK;
}

/* Writes the processor's model, if Linux reports it, and the number of processors. */
static int32_t host_device_identity(int32_t device, char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256] = "";
    const char *model = "host processor";

    (void)device;
    while (file && fgets(line, sizeof(line), file)) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        model = colon + 1 + strspn(colon + 1, " \t");
        break;
    }
    snprintf(text, size, "%s, %ld processors", model, sysconf(_SC_NPROCESSORS_ONLN));
    if (file)
        fclose(file);
    return OK;
}

static int32_t host_pointer_owner(int32_t device, const void *pointer, int32_t *owner)
{
    (void)device;
    (void)pointer;
    *owner = ANYDNN_PLUGIN_POINTER_DEVICE;
    return OK;
}

static int32_t host_memory_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    (void)device;
    if (bytes > SIZE_MAX - 256)
        return ALLOC_FAILED;
    *pointer = aligned_alloc(256, bytes > 0 ? ((size_t)bytes + 255) / 256 * 256 : 256);
    return *pointer ? OK : ALLOC_FAILED;
}

static int32_t host_memory_free(int32_t device, void *pointer)
{
    (void)device;
    free(pointer);
    return OK;
}

static int32_t host_memory_copy(int32_t device, void *stream, void *to, const void *from,
                                uint64_t bytes, int32_t kind)
{
    (void)device;
    (void)stream;
    (void)kind;
    memmove(to, from, bytes);
    return OK;
}

static int32_t host_memory_set(int32_t device, void *stream, void *to, int32_t byte, uint64_t bytes)
{
    (void)device;
    (void)stream;
    memset(to, byte, bytes);
    return OK;
}

static int32_t host_count_special(int32_t device, void *stream,
                                  const struct anydnn_plugin_tensor *tensor, const void *data,
                                  uint64_t *counts)
{
    (void)device;
    (void)stream;
    return adn_special_count(tensor, data, counts) == 0 ? OK : NOT_SUPPORTED;
}

static int32_t host_synchronize(int32_t device, void *stream)
{
    (void)device;
    (void)stream;
    return OK;
}

static int32_t host_stream_check(int32_t device, void *stream)
{
    (void)device;
    return stream ? BAD_PARAM : OK;
}

static int32_t host_mark_create(int32_t device, void **mark)
{
    (void)device;
    *mark = malloc(sizeof(struct timespec));
    return *mark ? OK : ALLOC_FAILED;
}

static int32_t host_mark_record(int32_t device, void *stream, void *mark)
{
    (void)device;
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, mark);
    return OK;
}

static int32_t host_mark_elapsed(int32_t device, void *from, void *to, double *microseconds)
{
    const struct timespec *begin = from;
    const struct timespec *end = to;

    (void)device;
    *microseconds =
        (double)(end->tv_sec - begin->tv_sec) * 1e6 + (double)(end->tv_nsec - begin->tv_nsec) / 1e3;
    return OK;
}

static void host_mark_destroy(int32_t device, void *mark)
{
    (void)device;
    free(mark);
}

static int32_t host_poisoned(int32_t device)
{
    (void)device;
    return 0;
}

/* The host's functions. Recordings of the host are lists of calls (capture.c), so it has no
 * functions for them. It has none for streams either, since all work is done when a call returns.
 */
static const struct anydnn_plugin_space host_functions = {
    .struct_size = sizeof(struct anydnn_plugin_space),
    .device_count = host_device_count,
    .device_current = host_device_current,
    .device_name = host_device_name,
    .pointer_owner = host_pointer_owner,
    .memory_alloc = host_memory_alloc,
    .memory_free = host_memory_free,
    .memory_copy = host_memory_copy,
    .memory_set = host_memory_set,
    .synchronize = host_synchronize,
    .stream_check = host_stream_check,
    .mark_create = host_mark_create,
    .mark_record = host_mark_record,
    .mark_elapsed = host_mark_elapsed,
    .mark_destroy = host_mark_destroy,
    .poisoned = host_poisoned,
    .device_identity = host_device_identity,
    .host_alloc = host_memory_alloc,
    .host_free = host_memory_free,
    .memory_copy_async = host_memory_copy,
    .count_special = host_count_special,
};

struct adn_space adn_space_host = {.name = "host", .functions = &host_functions, .host = 1};

void adn_space_device_name(const struct adn_space *space, int32_t device, char *text, size_t size)
{
    if (space->host)
        snprintf(text, size, "cpu");
    else
        snprintf(text, size, "%s:%d", space->name, (int)device);
}

void adn_space_device_identity(const struct adn_space *space, int32_t device, char *text,
                               size_t size)
{
    const struct anydnn_plugin_space *functions = space->functions;
    int32_t (*ask)(int32_t, char *, size_t) =
        functions->device_identity ? functions->device_identity : functions->device_name;

    text[0] = '\0';
    if (ask(device, text, size) != 0)
        text[0] = '\0';
    text[size - 1] = '\0';
}

int32_t adn_space_device_count(const struct adn_space *space)
{
    int32_t count = 0;
    char text[120];

    if (ADN_BACKEND_CALL(space->functions->device_count(&count)) != 0)
        return 0;
    if (count >= 0 && count <= ADN_SPACE_DEVICES_MAX)
        return count;
    snprintf(text, sizeof(text), "its space `%s` reports %d devices; the number must be 0 to %d",
             space->name, (int)count, ADN_SPACE_DEVICES_MAX);
    adn_load_error_set(text);
    return 0;
}

int32_t adn_space_device_current(const struct adn_space *space, int32_t *device)
{
    int32_t current = 0;
    int32_t result = ADN_BACKEND_CALL(space->functions->device_current(&current));

    *device = result == 0 && current >= 0 && current < adn_space_device_count(space) ? current : 0;
    return result;
}

static int32_t check_made(const struct adn_space *space, int32_t result, const void *made,
                          const char *what)
{
    char text[120];

    if (result != 0 || made)
        return result;
    snprintf(text, sizeof(text), "its space `%s` reports success but provides no %s", space->name,
             what);
    adn_load_error_set(text);
    return ALLOC_FAILED;
}

int32_t adn_space_memory_alloc(const struct adn_space *space, int32_t device, uint64_t bytes,
                               void **pointer)
{
    int32_t result;

    *pointer = NULL;
    result = ADN_BACKEND_CALL(space->functions->memory_alloc(device, bytes, pointer));
    return check_made(space, result, *pointer, "memory");
}

int32_t adn_space_mark_create(const struct adn_space *space, int32_t device, void **mark)
{
    int32_t result;

    *mark = NULL;
    result = ADN_BACKEND_CALL(space->functions->mark_create(device, mark));
    return check_made(space, result, *mark, "mark");
}

int32_t adn_space_stream_create(const struct adn_space *space, int32_t device, void **stream)
{
    int32_t result;

    *stream = NULL;
    if (!space->functions->stream_create)
        return NOT_SUPPORTED;
    result = ADN_BACKEND_CALL(space->functions->stream_create(device, stream));
    return check_made(space, result, *stream, "stream");
}

/* The stream that serves as the default stream of a device. It lives as long as the process. */
struct adn_space_stream {
    struct adn_space_stream *next;
    int32_t device;
    void *stream;
};

int32_t adn_space_default_stream(struct adn_space *space, int32_t device, void **stream)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct adn_space_stream *made;
    int32_t result = OK;

    *stream = NULL;
    if (!(space->functions->flags & ANYDNN_PLUGIN_SPACE_NO_DEFAULT_STREAM))
        return OK;
    pthread_mutex_lock(&lock);
    made = space->streams;
    while (made && made->device != device)
        made = made->next;
    if (!made) {
        made = calloc(1, sizeof(*made));
        result = made ? adn_space_stream_create(space, device, &made->stream) : ALLOC_FAILED;
        if (result == OK) {
            made->device = device;
            made->next = space->streams;
            space->streams = made;
        } else {
            free(made);
            made = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    if (made)
        *stream = made->stream;
    return result;
}

int32_t adn_space_record_end(const struct adn_space *space, int32_t device, void *stream,
                             void **recording)
{
    int32_t result;

    if (!adn_space_captures(space))
        return OK;
    *recording = NULL;
    result = ADN_BACKEND_CALL(space->functions->record_end(device, stream, recording));
    if (result != 0)
        *recording = NULL;
    return check_made(space, result, *recording, "recording");
}
