/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the names that text, routes and messages share: math modes and element types. Searches the
 * nearest name. */
#include "desc/names.h"

#include <string.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

/* A longer name is never a misspelling of ours. */
#define NAME_MAX_COMPARED 64

struct type_row {
    const char *name;
    int8_t size;
    int8_t lanes;
};

#define TYPE_ROW_PUBLIC_END 11

/* The types by number. After INT64 come the three types of reduction indices, from 1000. */
static const struct type_row types[] = {
    [ANYDNN_PLUGIN_FLOAT] = {"f32", 4, 1},       [ANYDNN_PLUGIN_DOUBLE] = {"f64", 8, 1},
    [ANYDNN_PLUGIN_HALF] = {"f16", 2, 1},        [ANYDNN_PLUGIN_INT8] = {"s8", 1, 1},
    [ANYDNN_PLUGIN_INT32] = {"s32", 4, 1},       [ANYDNN_PLUGIN_INT8X4] = {"s8x4", 4, 4},
    [ANYDNN_PLUGIN_UINT8] = {"u8", 1, 1},        [ANYDNN_PLUGIN_UINT8X4] = {"u8x4", 4, 4},
    [ANYDNN_PLUGIN_INT8X32] = {"s8x32", 32, 32}, [ANYDNN_PLUGIN_BFLOAT16] = {"bf16", 2, 1},
    [ANYDNN_PLUGIN_INT64] = {"s64", 8, 1},       [TYPE_ROW_PUBLIC_END] = {"u16", 2, 1},
    [TYPE_ROW_PUBLIC_END + 1] = {"u32", 4, 1},   [TYPE_ROW_PUBLIC_END + 2] = {"u64", 8, 1}};

#define TYPE_ROWS ((int32_t)(sizeof(types) / sizeof(types[0])))

struct math_row {
    int32_t math;
    const char *name;
};

static const struct math_row maths[] = {{ANYDNN_PLUGIN_MATH_DEFAULT, "default"},
                                        {ANYDNN_PLUGIN_MATH_TENSOR_OP, "tensor_op"},
                                        {ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, "allow_conversion"},
                                        {ANYDNN_PLUGIN_MATH_SPLIT, "split"},
                                        {ANYDNN_FMA_MATH, "default"}};

#define MATH_ROWS (sizeof(maths) / sizeof(maths[0]))

const char *adn_math_name(int32_t math)
{
    for (size_t i = 0; i < MATH_ROWS; i++)
        if (maths[i].math == math)
            return maths[i].name;
    return "?";
}

int32_t adn_math_parse(const char *name)
{
    for (size_t i = 0; i < MATH_ROWS; i++)
        if (strcmp(maths[i].name, name) == 0)
            return maths[i].math;
    return -1;
}

static const struct type_row *type_row(int32_t type)
{
    int32_t row =
        type >= ANYDNN_PLUGIN_UINT16 ? type - ANYDNN_PLUGIN_UINT16 + TYPE_ROW_PUBLIC_END : type;

    if (row < 0 || row >= TYPE_ROWS || (row >= TYPE_ROW_PUBLIC_END && type < ANYDNN_PLUGIN_UINT16))
        return NULL;
    return &types[row];
}

const char *adn_type_name(int32_t type)
{
    const struct type_row *row = type_row(type);

    return row ? row->name : "?";
}

int32_t adn_type_parse(const char *name)
{
    for (int32_t i = 0; i < TYPE_ROWS; i++)
        if (strcmp(types[i].name, name) == 0)
            return i < TYPE_ROW_PUBLIC_END ? i : i - TYPE_ROW_PUBLIC_END + ANYDNN_PLUGIN_UINT16;
    return -1;
}

int64_t adn_type_size(int32_t type)
{
    const struct type_row *row = type_row(type);

    return row ? row->size : 0;
}

int32_t adn_type_lanes(int32_t type)
{
    const struct type_row *row = type_row(type);

    return row ? row->lanes : 1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Counts insertions, deletions, substitutions and swaps of neighbours (optimal string
 * alignment). */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_MAX_COMPARED + 1];

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *second = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *adn_name_nearest(const char *name, const char *const *names, int count)
{
    size_t length = strlen(name);
    size_t best = length / 3 > 1 ? length / 3 : 1;
    const char *nearest = NULL;

    if (length > NAME_MAX_COMPARED)
        return NULL;
    for (int i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        size_t distance;

        if (other == 0 || other > NAME_MAX_COMPARED)
            continue;
        distance = edit_distance(name, length, names[i], other);
        if (distance < best || (distance == best && !nearest)) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
