/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the device that is filled once for many problems. */
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* Elements after which the inputs repeat: a prime, so that no row or sample repeats with them. */
#define PERIOD 1048583

static const struct {
    anydnnDataType_t type;
    const char *name;
    size_t size;
} types[] = {
    {ANYDNN_DATA_FLOAT, "f32", 4},     {ANYDNN_DATA_DOUBLE, "f64", 8}, {ANYDNN_DATA_HALF, "f16", 2},
    {ANYDNN_DATA_BFLOAT16, "bf16", 2}, {ANYDNN_DATA_INT8, NULL, 1},    {ANYDNN_DATA_INT32, NULL, 4},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

size_t exact_type_size(anydnnDataType_t type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type)
            return types[i].size;
    return 0;
}

const char *exact_type_name(anydnnDataType_t type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type)
            return types[i].name;
    return NULL;
}

int exact_room(struct exact *exact, struct room *room, size_t bytes)
{
    if (bytes <= room->bytes)
        return 0;
    anydnnMemFree(exact->handle[TESTED], room->data);
    *room = (struct room){.data = NULL};
    if (anydnnMemAlloc(exact->handle[TESTED], bytes, &room->data) != SUCCESS)
        return -1;
    room->bytes = bytes;
    return 0;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* The sum of four uniform numbers, of variance 1: a hump without far tails. */
static double hump(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 4; i++)
        sum += (double)next(state) / 0x1p30 - 1;
    return sum * sqrt(0.75);
}

static double number(uint64_t *state, anydnnDataType_t rounded, enum content content)
{
    double value;

    if (content == INTEGERS)
        return (double)(next(state) % 5) - 2;
    value = adn_type_round((int32_t)rounded, hump(state));
    return content == ABSOLUTES ? fabs(value) : content == SQUARES ? value * value : value;
}

/* A period made on the host, and the rest by copies of what is there. */
static int fill(struct exact *exact, struct room *room, int seed)
{
    anydnnHandle_t handle = exact->handle[TESTED];
    size_t size = exact_type_size(room->type), period = PERIOD * size;
    size_t done = period < room->bytes ? period : room->bytes;
    unsigned char *host = malloc(period);
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(seed + 1);
    int failed = !host;

    for (size_t i = 0; host && i < PERIOD; i++)
        adn_element_store((int32_t)room->type, host + i * size,
                          number(&state, room->rounded, room->content));
    failed = failed ||
             anydnnMemCopy(handle, room->data, host, done, ANYDNN_MEMCPY_HOST_TO_DEVICE) != SUCCESS;
    for (size_t more; !failed && done < room->bytes; done += more) {
        more = done < room->bytes - done ? done : room->bytes - done;
        failed = anydnnMemCopy(handle, (char *)room->data + done, room->data, more,
                               ANYDNN_MEMCPY_DEVICE_TO_DEVICE) != SUCCESS;
    }
    free(host);
    return failed ? -1 : 0;
}

int exact_fill(struct exact *exact, struct room *room, int at, const struct operand *operand,
               anydnnDataType_t rounded, enum content content)
{
    size_t before = room->bytes;

    if (exact_type_size(operand->type) == 0) {
        snprintf(exact->sentence, sizeof(exact->sentence), "no numbers of type %d are at hand",
                 (int)operand->type);
        return -1;
    }
    if (exact_room(exact, room, operand->bytes) != 0)
        return -1;
    if (before == room->bytes && room->type == operand->type && room->rounded == rounded &&
        room->content == content)
        return 0;
    room->type = operand->type;
    room->rounded = rounded;
    room->content = content;
    return fill(exact, room, at);
}
