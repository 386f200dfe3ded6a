/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the optional functions of a memory space: the device's identity, streams, and asynchronous
 * copies. */
#include "load/load.h"
#include "tools/verify/checks/target.h"

#include <string.h>

#define BYTES 8198 /* two sizes that are not multiples of any vector size */
#define SHORT 4099
#define LARGE (16 << 20)
#define TIMES 24

#define FIND(...) return verify_note(finding, "space", __VA_ARGS__)

static int check_identity(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    char text[256] = "", again[256] = "";

    if (space->device_identity == NULL)
        return 0;
    if (space->device_identity(0, text, sizeof(text)) != 0 || text[0] == '\0' ||
        memchr(text, '\0', sizeof(text)) == NULL || strpbrk(text, "\t\n") != NULL)
        FIND("device_identity must return one line without tabs for device 0");
    if (space->device_identity(0, again, sizeof(again)) != 0 || strcmp(text, again) != 0)
        FIND("device_identity returns `%s` for device 0, then `%s`", text, again);
    return 0;
}

/* Checks the order of streams. Sets memory on the stream NULL many times, which takes the device a
 * while, and then copies a byte of it on another stream. */
static int check_order(const struct anydnn_plugin_space *space, void *stream, void *mark,
                       unsigned char *memory, struct verify_finding *finding)
{
    unsigned char byte = 0;
    int failed = 0;

    for (int i = 1; i <= TIMES && !failed; i++)
        failed = space->memory_set(0, NULL, memory, i == TIMES ? 0x35 : i, LARGE) != 0;
    if (failed || space->mark_record(0, NULL, mark) != 0 ||
        space->stream_wait(0, stream, mark) != 0 ||
        space->memory_copy(0, stream, memory + LARGE, memory + LARGE - 1, 1,
                           ANYDNN_PLUGIN_COPY_WITHIN) != 0 ||
        space->synchronize(0, stream) != 0 ||
        space->memory_copy(0, NULL, &byte, memory + LARGE, 1, ANYDNN_PLUGIN_COPY_FROM) != 0)
        FIND("work on a stream of stream_create fails: %s", adn_load_error_text());
    if (byte != 0x35)
        FIND("work enqueued after stream_wait does not wait for the mark");
    return 0;
}

/* Checks that a second stream is another one. A space that gives its default queue for every
 * stream does not. */
static int check_second(const struct anydnn_plugin_space *space, void *stream,
                        struct verify_finding *finding)
{
    void *second = NULL;

    if (space->stream_create(0, &second) != 0 || second == NULL)
        FIND("stream_create returns no second stream: %s", adn_load_error_text());
    if (second == stream)
        FIND("stream_create returns the same stream twice; each stream must be distinct from the "
             "others and from the default stream");
    space->stream_destroy(0, second);
    return 0;
}

static int check_streams(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    unsigned char *memory = NULL;
    void *stream = NULL;
    void *mark = NULL;
    int result = 0;

    if (space->stream_create == NULL)
        return 0;
    if (space->stream_create(0, &stream) != 0 || stream == NULL)
        FIND("stream_create returns no stream: %s", adn_load_error_text());
    if (space->stream_check(0, stream) != 0)
        result = verify_note(finding, "space", "stream_check refuses a stream of stream_create");
    else if (check_second(space, stream, finding) != 0)
        result = -1;
    else if (space->mark_create(0, &mark) != 0 ||
             space->memory_alloc(0, LARGE + 1, (void **)&memory) != 0)
        result =
            verify_note(finding, "space", "cannot create a mark or memory next to a stream: %s",
                        adn_load_error_text());
    else
        result = check_order(space, stream, mark, memory, finding);
    if (mark != NULL)
        space->mark_destroy(0, mark);
    if (memory != NULL)
        space->memory_free(0, memory);
    space->stream_destroy(0, stream);
    return result;
}

/* Copies to the device and back through memory of host_alloc, and waits for a mark after the
 * copies. */
static int fly(const struct anydnn_plugin_space *space, unsigned char *host, unsigned char *memory,
               void *mark)
{
    double microseconds;

    for (int i = 0; i < SHORT; i++)
        host[i] = (unsigned char)(i * 7 + 1);
    return space->memory_copy_async(0, NULL, memory, host, SHORT, ANYDNN_PLUGIN_COPY_TO) != 0 ||
           space->memory_copy_async(0, NULL, host + SHORT, memory, SHORT,
                                    ANYDNN_PLUGIN_COPY_FROM) != 0 ||
           space->mark_record(0, NULL, mark) != 0 ||
           space->mark_elapsed(0, mark, mark, &microseconds) != 0;
}

static int check_flights(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    unsigned char *host = NULL, *memory = NULL;
    void *mark = NULL;
    int result = 0;

    if (space->memory_copy_async == NULL || space->host_alloc == NULL)
        return 0;
    if (space->host_alloc(0, BYTES, (void **)&host) != 0 || host == NULL ||
        (uintptr_t)host % 256 != 0)
        FIND("host_alloc does not return memory aligned to 256 bytes: %s", adn_load_error_text());
    if (space->memory_alloc(0, SHORT, (void **)&memory) != 0 || space->mark_create(0, &mark) != 0 ||
        fly(space, host, memory, mark) != 0)
        result = verify_note(finding, "space", "memory_copy_async there and back fails: %s",
                             adn_load_error_text());
    else if (memcmp(host, host + SHORT, SHORT) != 0)
        result = verify_note(finding, "space",
                             "data that memory_copy_async copies to the device comes back changed");
    if (mark != NULL)
        space->mark_destroy(0, mark);
    if (memory != NULL)
        space->memory_free(0, memory);
    space->host_free(0, host);
    return result;
}

int verify_space_late(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    return check_identity(space, finding) != 0 || check_streams(space, finding) != 0 ||
                   verify_space_counts(space, finding) != 0 || check_flights(space, finding) != 0
               ? -1
               : 0;
}
