/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The asynchronous functions of the test space: copies to the host and counting. Copies complete
 * only when their stream or a later mark is waited for. Host memory comes from malloc.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mock_space.h"

/* A copy to the host that has not completed. */
struct flight {
    struct flight *next;
    uint64_t number;
    void *stream;
    void *to;
    size_t bytes;
    char snapshot[];
};

static struct flight *flights;
static uint64_t departed;
static pthread_mutex_t flights_lock = PTHREAD_MUTEX_INITIALIZER;

int32_t mock_host_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    void *taken = aligned_alloc(256, ((size_t)bytes + 256) / 256 * 256);
    struct mock_line line;

    MOCK_SPACE_LOG(line, "host_alloc", " device=%d bytes=%" PRIu64 " pointer=0x%" PRIxPTR, device,
                   bytes, (uintptr_t)taken);
    if (mock_space_answer(&line, "host_alloc") != 0 || !taken) {
        free(taken);
        return 2;
    }
    *pointer = taken;
    return 0;
}

int32_t mock_host_free(int32_t device, void *pointer)
{
    struct mock_line line;

    MOCK_SPACE_LOG(line, "host_free", " device=%d pointer=0x%" PRIxPTR, device, (uintptr_t)pointer);
    free(pointer);
    return mock_space_answer(&line, "host_free");
}

/* ---- copies */

static int depart(void *stream, void *to, const void *from, uint64_t bytes)
{
    struct flight *flight = malloc(sizeof(*flight) + (size_t)bytes);
    struct flight **last = &flights;

    if (!flight)
        return -1;
    flight->next = NULL;
    flight->stream = stream;
    flight->to = to;
    flight->bytes = (size_t)bytes;
    memcpy(flight->snapshot, from, (size_t)bytes);
    memset(to, 0xa5, (size_t)bytes);
    pthread_mutex_lock(&flights_lock);
    flight->number = ++departed;
    while (*last)
        last = &(*last)->next;
    *last = flight;
    pthread_mutex_unlock(&flights_lock);
    return 0;
}

uint64_t mock_space_departed(void)
{
    uint64_t number;

    pthread_mutex_lock(&flights_lock);
    number = departed;
    pthread_mutex_unlock(&flights_lock);
    return number;
}

/* Completes a copy. Eight bytes are written atomically, for concurrent readers. */
static void land(const struct flight *flight)
{
    uint64_t whole;

    if (flight->bytes != sizeof(whole)) {
        memcpy(flight->to, flight->snapshot, flight->bytes);
        return;
    }
    memcpy(&whole, flight->snapshot, sizeof(whole));
    __atomic_store_n((uint64_t *)flight->to, whole, __ATOMIC_RELEASE);
}

void mock_space_arrive(const void *stream, uint64_t up_to)
{
    struct flight **at = &flights;

    pthread_mutex_lock(&flights_lock);
    while (*at) {
        struct flight *flight = *at;

        if (flight->stream != stream || flight->number > up_to) {
            at = &flight->next;
            continue;
        }
        land(flight);
        *at = flight->next;
        free(flight);
    }
    pthread_mutex_unlock(&flights_lock);
}

int32_t mock_memory_copy_async(int32_t device, void *stream, void *to, const void *from,
                               uint64_t bytes, int32_t kind)
{
    void *inner_to = kind == ANYDNN_PLUGIN_COPY_FROM ? to : mock_space_reach(to, bytes);
    const void *inner_from = kind == ANYDNN_PLUGIN_COPY_TO ? from : mock_space_reach(from, bytes);
    struct mock_line line;
    int32_t answer;

    MOCK_SPACE_LOG(line, "memory_copy_async",
                   " device=%d stream=0x%" PRIxPTR " to=0x%" PRIxPTR " from=0x%" PRIxPTR
                   " bytes=%" PRIu64 " kind=%d",
                   device, (uintptr_t)mock_stream_alive(stream), (uintptr_t)to, (uintptr_t)from,
                   bytes, kind);
    answer = mock_space_answer(&line, "memory_copy_async");
    if (answer != 0 || !inner_to || !inner_from)
        return kit_fail(answer != 0 ? answer : 3, "the copy leaves the memory of the test device");
    if (kind == ANYDNN_PLUGIN_COPY_FROM)
        return depart(stream, inner_to, inner_from, bytes) == 0 ? 0 : 2;
    memmove(inner_to, inner_from, (size_t)bytes);
    return 0;
}

/* ---- counting */

static uint64_t bits_of(const char *at, size_t bytes)
{
    uint64_t bits = 0;

    memcpy(&bits, at, bytes); /* least significant byte first */
    return bits;
}

static void look(int32_t type, const char *at, size_t bytes, uint64_t *counts)
{
    static const uint64_t infinities[] = {[ANYDNN_PLUGIN_FLOAT] = 0x7f800000,
                                          [ANYDNN_PLUGIN_DOUBLE] = 0x7ff0000000000000,
                                          [ANYDNN_PLUGIN_HALF] = 0x7c00,
                                          [ANYDNN_PLUGIN_BFLOAT16] = 0x7f80,
                                          [ANYDNN_PLUGIN_INT64] = 0};
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1), bits = bits_of(at, bytes);

    if (infinities[type]) {
        bits &= ~sign;
        counts[ANYDNN_PLUGIN_SPECIAL_NAN] += bits > infinities[type];
        counts[ANYDNN_PLUGIN_SPECIAL_INFINITY] += bits == infinities[type];
    }
    counts[ANYDNN_PLUGIN_SPECIAL_ZERO] += bits == 0;
}

/* Returns the position of element `i` of the tensor, in elements (vectors for VECT_C types). */
static int64_t place_of(const struct anydnn_plugin_tensor *tensor, int64_t lanes, int64_t i)
{
    int64_t at = 0;

    for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
        int64_t dim = d == 1 ? tensor->dims[d] / lanes : tensor->dims[d];

        at += i % dim * tensor->strides[d];
        i /= dim;
    }
    return at;
}

int32_t mock_count_special(int32_t device, void *stream, const struct anydnn_plugin_tensor *tensor,
                           const void *data, uint64_t *counts)
{
    int64_t lanes = kit_lanes(tensor->type);
    size_t vector = mock_type_size(tensor->type), bytes = vector / (size_t)lanes;
    uint64_t *inner = mock_space_reach(counts, ANYDNN_PLUGIN_SPECIAL_END * sizeof(*counts));
    int64_t count = 1;
    struct mock_line line;
    int32_t answer;

    for (int32_t d = 0; d < tensor->ndims; d++)
        count *= d == 1 ? tensor->dims[d] / lanes : tensor->dims[d];
    MOCK_SPACE_LOG(line, "count_special",
                   " device=%d stream=0x%" PRIxPTR " type=%d data=0x%" PRIxPTR, device,
                   (uintptr_t)mock_stream_alive(stream), tensor->type, (uintptr_t)data);
    answer = mock_space_answer(&line, "count_special");
    for (int64_t i = 0; i < count && answer == 0; i++) {
        const char *at = (const char *)data + place_of(tensor, lanes, i) * (int64_t)vector;
        const char *there = mock_space_reach(at, vector);

        if (!there || !inner)
            return 3;
        for (int64_t lane = 0; lane < lanes; lane++)
            look(tensor->type, there + (size_t)lane * bytes, bytes, inner);
    }
    return answer;
}
