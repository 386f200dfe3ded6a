/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of the test space: those that the library created, with numbers, and which of them
 * are destroyed. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "mock_space.h"

/* A stream, kept after its destruction so that a later use is detected. */
struct stream {
    struct stream *next;
    int number;
    int gone;
};

static struct stream *streams;
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the number of a stream that the library created; 0 for others, -1 for a destroyed one. */
static int number_of(const void *stream)
{
    int number = 0;

    pthread_mutex_lock(&streams_lock);
    for (const struct stream *at = streams; at; at = at->next)
        if (at == stream)
            number = at->gone ? -1 : at->number;
    pthread_mutex_unlock(&streams_lock);
    return number;
}

/* Also detects a stream of the application that set.dead_stream reports as destroyed. */
void *mock_stream_alive(void *stream)
{
    if (stream &&
        ((intptr_t)stream == mock_setting_number("dead_stream", 0) || number_of(stream) < 0))
        abort();
    return stream;
}

int32_t mock_stream_create(int32_t device, void **stream)
{
    struct stream *made;
    struct mock_line line;
    int32_t answer;

    if (mock_space_gives_nothing("stream_create"))
        return 0;
    made = calloc(1, sizeof(*made));
    if (!made)
        return 2;
    pthread_mutex_lock(&streams_lock);
    made->number = streams ? streams->number + 1 : 1;
    made->next = streams;
    streams = made;
    pthread_mutex_unlock(&streams_lock);
    MOCK_SPACE_LOG(line, "stream_create", " device=%d stream=0x%" PRIxPTR " number=%d", device,
                   (uintptr_t)made, made->number);
    answer = mock_space_answer(&line, "stream_create");
    if (answer == 0)
        *stream = made;
    return answer;
}

void mock_stream_destroy(int32_t device, void *stream)
{
    struct stream *made = mock_stream_alive(stream);
    struct mock_line line;

    MOCK_SPACE_LOG(line, "stream_destroy", " device=%d stream=0x%" PRIxPTR " number=%d", device,
                   (uintptr_t)stream, number_of(stream));
    mock_line_end(&line);
    if (number_of(stream) == 0)
        abort();
    pthread_mutex_lock(&streams_lock);
    made->gone = 1;
    pthread_mutex_unlock(&streams_lock);
}

int32_t mock_stream_wait(int32_t device, void *stream, void *mark)
{
    struct mock_line line;

    MOCK_SPACE_LOG(line, "stream_wait", " device=%d stream=0x%" PRIxPTR " mark=%d", device,
                   (uintptr_t)mock_stream_alive(stream), mock_mark_number(mark));
    return mock_space_answer(&line, "stream_wait");
}
