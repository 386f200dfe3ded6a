/* SPDX-License-Identifier: Apache-2.0 */
/* Fills operands before a run. Inputs depend on a seed and are the same on every machine. Outputs
 * and gaps are poisoned with ones in all bits: NaN, or -1. */
#include <math.h>
#include <string.h>

#include "tools/problem/operands.h"

/* Returns the next number of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Returns 1 for variances, which must be positive: the operation takes their square root. */
static int is_variance(const char *role)
{
    return strcmp(role, "var") == 0 || strcmp(role, "running_var") == 0 ||
           strcmp(role, "save_inv_var") == 0 || strcmp(role, "save_inv_dev") == 0;
}

/* Returns the largest value. Integer filters are small, so that few sums saturate. */
static int largest_of(const struct operand *operand)
{
    return !operand->element->fraction && strcmp(operand->role, "w") == 0 ? 1 : 8;
}

static double unit_random(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Returns a normal number (Box and Muller 1958). */
static double normal_random(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - unit_random(state)));

    return radius * cos(2 * 3.14159265358979323846 * unit_random(state));
}

static void fill_random(struct operand *operand, uint64_t state, int normal)
{
    const struct element *element = operand->element;
    int high = largest_of(operand);
    int low = element->fraction ? -high : element->low * high / 8;
    uint64_t values = (uint64_t)(high - low + 1);
    double unit = element->fraction ? 0.125 : 1;
    struct walk walk;

    for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk)) {
        double value = normal && element->fraction
                           ? normal_random(&state)
                           : (low + (int)((random_next(&state) >> 32) * values >> 32)) * unit;

        if (is_variance(operand->role))
            value = (value < 0 ? -value : value) + unit;
        element->store(operand->image + walk.at, value);
    }
}

/* Fills bits. Those past the last element of the data, the first operand, stay 0. */
static void fill_bits(unsigned char *bytes, size_t size, int64_t elements, uint64_t state)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(random_next(&state) >> 56);
    if (elements % 8 != 0 && size == (size_t)(elements / 8 + 1))
        bytes[size - 1] &= (unsigned char)((1 << elements % 8) - 1);
}

static void fill_states(unsigned char *bytes, size_t size, uint64_t seed)
{
    uint64_t states[4] = {ANYDNN_DROPOUT_MAGIC, ANYDNN_DROPOUT_VERSION, seed, 0};

    memset(bytes, 0, size);
    memcpy(bytes, states, size < sizeof(states) ? size : sizeof(states));
}

/* Fills consistent labels and lengths for ctc_loss: the sequences share the labels evenly and use
 * all steps. */
static void fill_list(const struct operands *operands, int index, unsigned char *bytes)
{
    const struct operand *x = &operands->item[0];
    const struct operand *operand = &operands->item[index];
    int is_labels = strcmp(operand->role, "labels") == 0;
    int is_steps = strcmp(operand->role, "input_lengths") == 0;
    int letters = x->dims[2] - 1;
    int64_t labels = letters > 0 ? operands->item[1].count : 0;

    for (int i = 0; i < operand->count; i++) {
        double value = (double)(labels / x->dims[1] + (i < labels % x->dims[1]));

        if (is_steps)
            value = x->dims[0];
        if (is_labels)
            value = letters > 0 ? 1 + i * 7 % letters : 0;
        operand->element->store(bytes + (size_t)i * operand->element->size, value);
    }
}

/* Fills operands that hold no numbers. Returns 0 for numbers. */
static int fill_special(const struct operands *operands, int index, uint64_t seed, uint64_t state,
                        unsigned char *bytes, size_t size)
{
    const char *role = operands->item[index].role;

    if (strcmp(role, "states") == 0)
        fill_states(bytes, size, seed);
    else if (strcmp(role, "reserve") == 0)
        fill_bits(bytes, size, operands->item[0].count, state);
    else if (operands->item[index].host)
        fill_list(operands, index, bytes);
    else
        return 0;
    return 1;
}

/* Fills numbers with full significands. Short significands use less power, so that a processor
 * would run faster than on the data of applications. */
void operand_fill_bytes(const struct operands *operands, int index, uint64_t seed,
                        unsigned char *bytes, size_t size)
{
    const struct operand *operand = &operands->item[index];
    const struct element *element = operand->element;
    double high = largest_of(operand);
    double low = element->low * high / 8;
    uint64_t state = seed + (uint64_t)index;

    if (fill_special(operands, index, seed, state, bytes, size))
        return;
    for (size_t at = 0; at + element->size <= size; at += element->size) {
        double unit = unit_random(&state);
        double value = element->fraction ? 2 * unit - 1 : floor(low + unit * (high - low + 1));

        if (is_variance(operand->role))
            value = (value < 0 ? -value : value) + 0.125;
        element->store(bytes + at, value);
    }
}

void operands_fill(struct operands *operands, uint64_t seed, int normal)
{
    for (int i = 0; i < operands->count; i++) {
        struct operand *operand = &operands->item[i];
        uint64_t state = seed;

        if (operand->alias >= 0)
            continue;
        state = random_next(&state) + (uint64_t)i;
        state = random_next(&state);
        operand->image = tool_alloc(operand->bytes);
        memset(operand->image, 0xff, operand->bytes);
        if (!(operand->direction & ANYDNN_DIRECTION_INPUT) && !operands->blends)
            continue;
        if (!fill_special(operands, i, seed, state, operand->image, operand->bytes))
            fill_random(operand, state, normal);
    }
}
