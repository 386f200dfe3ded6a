/* SPDX-License-Identifier: Apache-2.0 */
/* Fills device memory once for many problems. */
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* Elements after which the inputs repeat. It is a prime, so that no row or sample repeats with
 * them. */
#define PERIOD 1048583

#define SAME_DENSITY 1e-9

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

int exact_reserve(struct exact *exact, struct device_memory *memory, size_t bytes)
{
    if (bytes <= memory->bytes)
        return 0;
    anydnnMemFree(exact->handle[TESTED], memory->data);
    *memory = (struct device_memory){.data = NULL};
    if (anydnnMemAlloc(exact->handle[TESTED], bytes, &memory->data) != SUCCESS)
        return -1;
    memory->bytes = bytes;
    return 0;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Returns the sum of four uniform numbers, with variance 1. Its distribution has no long tails. */
static double hump(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 4; i++)
        sum += (double)next(state) / 0x1p30 - 1;
    return sum * sqrt(0.75);
}

/* The mean of the sums of piled numbers. In 16-bit types, it is far beyond what 11 bits hold
 * exactly and within the range of half. In wider types, it is within the 24 bits of float. */
#define PILE_SHORT 0x1p14
#define PILE_WIDE  0x1p21

/* Returns the share of piled numbers other than 0. The mean product of two such numbers is 4. */
static double density_of(const struct work *work, anydnnDataType_t rounded)
{
    int is_short = rounded == ANYDNN_DATA_HALF || rounded == ANYDNN_DATA_BFLOAT16;
    double density = sqrt((is_short ? PILE_SHORT : PILE_WIDE) / (4 * work->terms));

    return density < 1 ? density : 1;
}

static double number(uint64_t *state, const struct device_memory *memory)
{
    double value;

    if (memory->content == INTEGERS)
        return (double)(next(state) % 5) - 2;
    if (memory->content == PILED)
        return (double)next(state) / 0x1p31 < memory->density ? (double)(next(state) % 3) + 1 : 0;
    value = adn_type_round((int32_t)memory->rounded, hump(state));
    return memory->content == ABSOLUTES ? fabs(value)
           : memory->content == SQUARES ? value * value
                                        : value;
}

/* Returns the period of the memory's contents. PILED keeps only the last density, because there are
 * as many densities as problems. */
static struct period *period_of(struct exact *exact, const struct device_memory *memory, int seed)
{
    struct period *found = exact->periods;

    while (found && (found->type != memory->type || found->rounded != memory->rounded ||
                     found->content != memory->content || found->seed != seed))
        found = found->next;
    if (!found) {
        unsigned char *values = malloc(PERIOD * exact_type_size(memory->type));

        found = calloc(1, sizeof(*found));
        if (!values || !found) {
            free(values);
            free(found);
            return NULL;
        }
        *found = (struct period){.next = exact->periods,
                                 .type = memory->type,
                                 .rounded = memory->rounded,
                                 .content = memory->content,
                                 .seed = seed,
                                 .values = values};
        exact->periods = found;
    }
    if (found->count == 0 || fabs(found->density - memory->density) >= SAME_DENSITY) {
        found->density = memory->density;
        found->state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(seed + 1);
        found->count = 0;
    }
    return found;
}

void exact_forget(struct exact *exact)
{
    for (struct period *one = exact->periods, *next; one; one = next) {
        next = one->next;
        free(one->values);
        free(one);
    }
    exact->periods = NULL;
}

/* Copies a period from the host, and then copies within the device. */
static int fill(struct exact *exact, struct device_memory *memory, int seed)
{
    anydnnHandle_t handle = exact->handle[TESTED];
    size_t size = exact_type_size(memory->type), most = PERIOD * size;
    size_t done = most < memory->filled ? most : memory->filled;
    struct period *period = period_of(exact, memory, seed);
    int failed = !period;

    for (; period && period->count < done / size; period->count++)
        adn_element_store((int32_t)memory->type, period->values + period->count * size,
                          number(&period->state, memory));
    failed = failed || anydnnMemCopy(handle, memory->data, period->values, done,
                                     ANYDNN_MEMCPY_HOST_TO_DEVICE) != SUCCESS;
    for (size_t more; !failed && done < memory->filled; done += more) {
        more = done < memory->filled - done ? done : memory->filled - done;
        failed = anydnnMemCopy(handle, (char *)memory->data + done, memory->data, more,
                               ANYDNN_MEMCPY_DEVICE_TO_DEVICE) != SUCCESS;
    }
    return failed ? -1 : 0;
}

static int holds(const struct device_memory *memory, const struct device_memory *wanted)
{
    return memory->filled >= wanted->filled && memory->type == wanted->type &&
           memory->rounded == wanted->rounded && memory->content == wanted->content &&
           fabs(memory->density - wanted->density) < SAME_DENSITY;
}

int exact_fill(struct exact *exact, struct device_memory *memory, const struct work *work, int at,
               anydnnDataType_t rounded, enum content content)
{
    const struct operand *operand = &work->operand[at];
    struct device_memory wanted = {.type = operand->type,
                                   .rounded = rounded,
                                   .content = content,
                                   .filled = operand->bytes,
                                   .density = content == PILED ? density_of(work, rounded) : 1};

    if (exact_type_size(operand->type) == 0) {
        snprintf(exact->sentence, sizeof(exact->sentence), "no numbers of type %d are at hand",
                 (int)operand->type);
        return -1;
    }
    if (exact_reserve(exact, memory, operand->bytes) != 0)
        return -1;
    if (holds(memory, &wanted))
        return 0;
    wanted.data = memory->data;
    wanted.bytes = memory->bytes;
    *memory = wanted;
    return fill(exact, memory, at);
}
