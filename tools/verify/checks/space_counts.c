/* SPDX-License-Identifier: Apache-2.0 */
/* Checks count_special of a memory space against counting element by element. */
#include "tools/verify/checks/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "load/load.h"
#include "numerics/numerics.h"

/* The shapes: packed, with gaps, with permuted dims, and of one element. They do not start at the
 * beginning of the memory, so that vector accesses are misaligned. */
static const struct shape {
    int32_t ndims, ahead; /* elements before the first */
    int64_t dims[5], strides[5];
} shapes[] = {
    {4, 0, {3, 32, 5, 7}, {1120, 35, 7, 1}},     {4, 0, {3, 32, 5, 7}, {1120, 1, 224, 32}},
    {4, 3, {3, 32, 5, 7}, {1120, 35, 7, 1}},     {4, 0, {2, 32, 3, 5}, {900, 17, 560, 3}},
    {5, 1, {2, 32, 1, 2, 3}, {777, 7, 1, 3, 1}}, {3, 0, {1, 32, 1}, {1, 1, 1}},
    {4, 0, {8, 64, 9, 11}, {6336, 99, 11, 1}},
};

static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT,    ANYDNN_PLUGIN_DOUBLE, ANYDNN_PLUGIN_HALF,
                                ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_INT8,   ANYDNN_PLUGIN_INT32,
                                ANYDNN_PLUGIN_UINT8,    ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_INT8X32,
                                ANYDNN_PLUGIN_UINT8X4,  ANYDNN_PLUGIN_INT64};

struct area {
    struct anydnn_plugin_tensor tensor;
    int64_t lanes, element; /* scalars of an element, its bytes */
    size_t bytes;           /* up to the last element */
    size_t from;            /* offset of the first */
    char *host;
};

static void describe(struct area *area, int32_t type, const struct shape *shape)
{
    int64_t last = shape->ahead;

    memset(&area->tensor, 0, sizeof(area->tensor));
    area->tensor.struct_size = sizeof(area->tensor);
    area->tensor.type = type;
    area->tensor.ndims = shape->ndims;
    area->lanes = type == ANYDNN_PLUGIN_INT8X32                                   ? 32
                  : type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_UINT8X4 ? 4
                                                                                  : 1;
    area->element = adn_type_size(type);
    for (int32_t d = 0; d < shape->ndims; d++) {
        area->tensor.dims[d] = shape->dims[d];
        area->tensor.strides[d] = shape->strides[d];
        last += (shape->dims[d] - 1) * shape->strides[d];
    }
    area->bytes = (size_t)((last + 1) * area->element);
    area->from = (size_t)(shape->ahead * area->element);
}

/* Fills the area with ordinary values, NaN, infinities, and scalars of all-ones bytes. Gaps get the
 * same. */
static void fill(struct area *area)
{
    const int32_t type = area->tensor.type;
    const size_t scalar = (size_t)(area->element / area->lanes);
    const double values[] = {0,
                             1,
                             -1,
                             adn_type_least(type),
                             adn_type_highest(type),
                             -0.0,
                             adn_type_digits(type) ? NAN : 2,
                             adn_type_digits(type) ? INFINITY : 3,
                             adn_type_digits(type) ? -INFINITY : 0};
    uint32_t state = 1;

    for (size_t at = 0; at < area->bytes; at += scalar) {
        unsigned pick;

        state = state * 1664525 + 1013904223; /* Numerical Recipes' generator */
        pick = (state >> 16) % 10;
        if (pick == 9)
            memset(area->host + at, 0xff, scalar);
        else
            adn_element_store(type, area->host + at, values[pick]);
    }
}

static void count(const struct area *area, uint64_t *counts)
{
    const struct anydnn_plugin_tensor *tensor = &area->tensor;
    const int64_t scalar = area->element / area->lanes;
    int64_t all = 1;

    for (int32_t d = 0; d < tensor->ndims; d++)
        all *= tensor->dims[d];
    for (int64_t i = 0; i < all; i++) {
        int64_t left = i, at = 0;
        double value;

        for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
            int64_t index = left % tensor->dims[d];

            left /= tensor->dims[d];
            at += d == 1 ? index / area->lanes * tensor->strides[d] * area->element +
                               index % area->lanes * scalar
                         : index * tensor->strides[d] * area->element;
        }
        value = adn_element_load(tensor->type, area->host + area->from + at);
        counts[ANYDNN_PLUGIN_SPECIAL_NAN] += isnan(value) != 0;
        counts[ANYDNN_PLUGIN_SPECIAL_INFINITY] += isinf(value) != 0;
        counts[ANYDNN_PLUGIN_SPECIAL_ZERO] += value == 0;
    }
}

/* Counts twice, since the function adds to its counts. */
static int ask(const struct anydnn_plugin_space *space, const struct area *area, uint64_t *counts)
{
    const size_t bytes = ANYDNN_PLUGIN_SPECIAL_END * sizeof(*counts);
    const size_t at = (area->bytes + 255) / 256 * 256;
    char *memory = NULL;
    int failed;

    if (space->memory_alloc(0, at + bytes, (void **)&memory) != 0)
        return -1;
    failed = space->memory_copy(0, NULL, memory, area->host, area->bytes, ANYDNN_PLUGIN_COPY_TO);
    failed |= space->memory_copy(0, NULL, memory + at, counts, bytes, ANYDNN_PLUGIN_COPY_TO);
    for (int i = 0; i < 2 && failed == 0; i++)
        failed |= space->count_special(0, NULL, &area->tensor, memory + area->from,
                                       (void *)(memory + at));
    failed |= space->memory_copy(0, NULL, counts, memory + at, bytes, ANYDNN_PLUGIN_COPY_FROM);
    space->memory_free(0, memory);
    return failed;
}

static int check(const struct anydnn_plugin_space *space, int32_t type, int number,
                 struct verify_finding *finding)
{
    uint64_t right[ANYDNN_PLUGIN_SPECIAL_END] = {0}, got[ANYDNN_PLUGIN_SPECIAL_END] = {5, 6, 7};
    struct area area;
    int result = 0;

    describe(&area, type, &shapes[number]);
    area.host = tool_alloc(area.bytes);
    fill(&area);
    count(&area, right);
    if (ask(space, &area, got) != 0)
        result = verify_note(finding, "space", "count_special of %s fails: %s", adn_type_name(type),
                             adn_load_error_text());
    for (int i = 0; i < ANYDNN_PLUGIN_SPECIAL_END && result == 0; i++)
        if (got[i] != (unsigned)(5 + i) + 2 * right[i])
            result = verify_note(finding, "space",
                                 "count_special of %s adds %d to the count of %s, for tensor %d of "
                                 "its list; there are %d",
                                 adn_type_name(type), (int)(got[i] - (unsigned)(5 + i)) / 2,
                                 i == ANYDNN_PLUGIN_SPECIAL_NAN        ? "NaN"
                                 : i == ANYDNN_PLUGIN_SPECIAL_INFINITY ? "infinities"
                                                                       : "zeros",
                                 number, (int)right[i]);
    free(area.host);
    return result;
}

int verify_space_counts(const struct anydnn_plugin_space *space, struct verify_finding *finding)
{
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]) && space->count_special != NULL; t++)
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            if (check(space, types[t], (int)i, finding) != 0)
                return -1;
    return 0;
}
