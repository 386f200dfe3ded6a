/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over rows of strided tensors, and converts, copies and blends them. */
#include "walk.h"

#include "wide.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ iteration */

void onednn_walk_init(struct onednn_walk *walk, const struct onednn_view *const view[],
                      int32_t tensors)
{
    memset(walk, 0, sizeof *walk);
    kit_walk_begin(&walk->steps, tensors);
    for (int32_t t = 0; t < tensors; t++) {
        walk->type[t] = view[t]->type;
        walk->first[t] = view[t]->first * kit_type_size(view[t]->type);
    }
    for (int32_t d = 0; d < view[0]->ndims; d++) {
        int64_t stride[ONEDNN_WALK_TENSORS] = {0};

        for (int32_t t = 0; t < tensors; t++)
            stride[t] = view[t]->strides[d] * kit_type_size(view[t]->type);
        kit_walk_add(&walk->steps, view[0]->dims[d], stride, 0);
    }
    kit_walk_end(&walk->steps);
}

struct row {
    const struct onednn_walk *walk;
    onednn_row_fn run;
    void *arg;
};

static void run_row(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    const struct row *row = arg;
    char *at[ONEDNN_WALK_TENSORS] = {0};

    for (int32_t t = 0; t < row->walk->steps.tensors; t++)
        at[t] = place[t];
    row->run(row->arg, row->walk, at, stride, n);
}

void onednn_walk_range(const struct onednn_walk *walk, void *const data[], int64_t begin,
                       int64_t end, onednn_row_fn row, void *arg)
{
    void *first[ONEDNN_WALK_TENSORS] = {0};

    for (int32_t t = 0; t < walk->steps.tensors; t++)
        first[t] = (char *)data[t] + walk->first[t];
    kit_walk_range(&walk->steps, first, begin, end, run_row, &(struct row){walk, row, arg});
}

void onednn_walk_run(const struct onednn_walk *walk, void *const data[], onednn_row_fn row,
                     void *arg)
{
    onednn_walk_range(walk, data, 0, walk->steps.count, row, arg);
}

/* ------------------------------------------------------------------ types */

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns `yes` or `no` without a branch, which would prevent vectorization. */
static inline uint32_t choose(int condition, uint32_t yes, uint32_t no)
{
    uint32_t mask = -(uint32_t)condition;

    return (yes & mask) | (no & ~mask);
}

/* Converts IEEE 754 binary16 to float: moves the fields to their positions in a float, and adds 112
 * to the exponent's bias. A subnormal gets the exponent of 2^-14, and the subtraction then removes
 * its leading 1. */
static inline float half_load(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    uint32_t small = bits_of(float_of(bits + (113u << 23)) - 0x1p-14f);
    uint32_t normal = bits + choose(bits < 31u << 23, 112u << 23, 224u << 23);

    return float_of(choose(bits < 1u << 23, small, normal) | sign);
}

/*
 * Returns the nearest number of 16 bits with the given fraction bits and exponent bias. It is
 * rounded once, directly from double; ties go to even. NaN stays NaN and becomes quiet.
 */
static inline uint16_t narrow(double value, int fraction, int bias)
{
    const int cut = 52 - fraction;
    const uint64_t least_normal = (uint64_t)(1024 - bias) << 52;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction;
    /* This is the power of 2 whose unit in the last place is the smallest subnormal number. */
    const uint64_t aligner_bits = (uint64_t)(1023 + 53 - bias - fraction) << 52;
    double magnitude = fabs(value), aligner;
    uint64_t sign, bits;

    memcpy(&sign, &value, sizeof sign);
    sign = sign >> 63 << 15;
    memcpy(&bits, &magnitude, sizeof bits);
    if (isnan(value)) {
        bits = infinity | UINT64_C(1) << (fraction - 1);
    } else if (bits < least_normal) {
        memcpy(&aligner, &aligner_bits, sizeof aligner);
        magnitude += aligner;
        memcpy(&bits, &magnitude, sizeof bits);
        bits -= aligner_bits;
    } else {
        bits += (UINT64_C(1) << (cut - 1)) - 1 + (bits >> cut & 1);
        bits = (bits >> cut) - ((uint64_t)(1023 - bias) << fraction);
        bits = bits < infinity ? bits : infinity;
    }
    return (uint16_t)(sign | bits);
}

static inline double whole(double value, double least, double most)
{
    double rounded = rint(value);
    return isnan(value) ? 0 : rounded < least ? least : rounded > most ? most : rounded;
}

#define LOADER(name, T, expression)                                                                \
    static void load_##name(double *to, const char *from, int64_t stride, int64_t n)               \
    {                                                                                              \
        T v;                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            memcpy(&v, from + i * stride, sizeof v);                                               \
            to[i] = (double)(expression);                                                          \
        }                                                                                          \
    }
#define STORER(name, T, expression)                                                                \
    static void store_##name(char *to, int64_t stride, const double *from, int64_t n)              \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const double v = from[i];                                                              \
            const T stored = (T)(expression);                                                      \
            memcpy(to + i * stride, &stored, sizeof stored);                                       \
        }                                                                                          \
    }

LOADER(float, float, v)
LOADER(double, double, v)
LOADER(half, uint16_t, half_load(v))
LOADER(bfloat16, uint16_t, float_of((uint32_t)v << 16))
LOADER(int8, int8_t, v)
LOADER(uint8, uint8_t, v)
LOADER(int32, int32_t, v)
STORER(float, float, v)
STORER(double, double, v)
STORER(half, uint16_t, narrow(v, 10, 15))
STORER(bfloat16, uint16_t, narrow(v, 7, 127))
STORER(int8, int8_t, whole(v, INT8_MIN, INT8_MAX))
STORER(uint8, uint8_t, whole(v, 0, UINT8_MAX))
STORER(int32, int32_t, whole(v, INT32_MIN, INT32_MAX))

static const struct {
    void (*load)(double *to, const char *from, int64_t stride, int64_t n);
    void (*store)(char *to, int64_t stride, const double *from, int64_t n);
} types[] = {
    [ANYDNN_PLUGIN_FLOAT] = {load_float, store_float},
    [ANYDNN_PLUGIN_DOUBLE] = {load_double, store_double},
    [ANYDNN_PLUGIN_HALF] = {load_half, store_half},
    [ANYDNN_PLUGIN_BFLOAT16] = {load_bfloat16, store_bfloat16},
    [ANYDNN_PLUGIN_INT8] = {load_int8, store_int8},
    [ANYDNN_PLUGIN_UINT8] = {load_uint8, store_uint8},
    [ANYDNN_PLUGIN_INT32] = {load_int32, store_int32},
};

void onednn_row_load(double *to, int32_t type, const char *from, int64_t stride, int64_t n)
{
    types[type].load(to, from, stride, n);
}

void onednn_row_store(int32_t type, char *to, int64_t stride, const double *from, int64_t n)
{
    types[type].store(to, stride, from, n);
}

/* ------------------------------------------------------------------ copies and blends */

static void copy_words(char *const place[], const int64_t stride[], int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(place[0] + i * stride[0], place[1] + i * stride[1], sizeof(uint32_t));
}

/*
 * Converts contiguous floats to the nearest numbers of 16 bits, ties to even, in vectors of
 * integers. oneDNN's reorders take 30 ns per element of half. The processors' own instruction for
 * bfloat16 (VCVTNEPS2BF16) flushes subnormal numbers to 0.
 */
ONEDNN_INLINE int to_bfloat16_body(uint16_t to[ONEDNN_CHUNK], const float from[ONEDNN_CHUNK])
{
    for (int i = 0; i < ONEDNN_CHUNK; i++) {
        uint32_t bits = bits_of(from[i]);
        uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
        uint32_t quiet = bits >> 16 | 0x40u;

        to[i] = (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
    }
    return 0;
}

/* Converts floats to half, with the results of narrow. The unit in the last place of 0.5 is the
 * smallest subnormal half. From 65520 on, which is 65504 plus half its unit in the last place, the
 * sum carries into the exponent of infinity. */
ONEDNN_INLINE int to_half_body(uint16_t to[ONEDNN_CHUNK], const float from[ONEDNN_CHUNK])
{
    const uint32_t least_normal = 113u << 23, beyond = 143u << 23, infinite = 255u << 23;

    for (int i = 0; i < ONEDNN_CHUNK; i++) {
        uint32_t bits = bits_of(from[i]), size = bits & 0x7fffffffu;
        uint32_t small = bits_of(float_of(size) + 0.5f) - bits_of(0.5f);
        uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1)) >> 13;
        uint32_t large = choose(size > infinite, 0x7e00u, 0x7c00u);
        uint32_t rounded = choose(size < least_normal, small, choose(size < beyond, normal, large));

        to[i] = (uint16_t)(rounded | (bits >> 16 & 0x8000u));
    }
    return 0;
}

ONEDNN_INLINE int from_half_body(float to[ONEDNN_CHUNK], const uint16_t from[ONEDNN_CHUNK])
{
    for (int i = 0; i < ONEDNN_CHUNK; i++)
        to[i] = half_load(from[i]);
    return 0;
}

ONEDNN_WIDE(to_bfloat16, to_bfloat16_body,
            (uint16_t to[ONEDNN_CHUNK], const float from[ONEDNN_CHUNK]), (to, from))
ONEDNN_WIDE(to_half, to_half_body, (uint16_t to[ONEDNN_CHUNK], const float from[ONEDNN_CHUNK]),
            (to, from))
ONEDNN_WIDE(from_half, from_half_body, (float to[ONEDNN_CHUNK], const uint16_t from[ONEDNN_CHUNK]),
            (to, from))

int onednn_converts(int32_t to_type, int32_t from_type)
{
    if (from_type == ANYDNN_PLUGIN_FLOAT)
        return to_type == ANYDNN_PLUGIN_HALF || to_type == ANYDNN_PLUGIN_BFLOAT16;
    return from_type == ANYDNN_PLUGIN_HALF && to_type == ANYDNN_PLUGIN_FLOAT;
}

void onednn_convert(int32_t to_type, void *to_place, int32_t from_type, const void *from_place,
                    int64_t n)
{
    const size_t to_size = (size_t)kit_type_size(to_type);
    const size_t from_size = (size_t)kit_type_size(from_type);
    float value[ONEDNN_CHUNK] = {0};
    uint16_t narrow_value[ONEDNN_CHUNK] = {0};
    int widens = to_type == ANYDNN_PLUGIN_FLOAT;
    void *to_chunk = widens ? (void *)value : narrow_value;
    void *from_chunk = widens ? (void *)narrow_value : value;
    char *to = to_place;
    const char *from = from_place;

    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        size_t count = (size_t)(n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK);

        memcpy(from_chunk, from + (size_t)i * from_size, count * from_size);
        (void)(widens                          ? from_half(value, narrow_value)
               : to_type == ANYDNN_PLUGIN_HALF ? to_half(narrow_value, value)
                                               : to_bfloat16(narrow_value, value));
        memcpy(to + (size_t)i * to_size, to_chunk, count * to_size);
    }
}

static void copy_row(void *arg, const struct onednn_walk *walk, char *const place[],
                     const int64_t stride[], int64_t n)
{
    int64_t size = kit_type_size(walk->type[0]);
    int same = walk->type[0] == walk->type[1];
    double value[ONEDNN_CHUNK];

    (void)arg;
    if (same && (n == 1 || (stride[0] == size && stride[1] == size))) {
        memcpy(place[0], place[1], (size_t)(n * size));
        return;
    }
    if (same && size == sizeof(uint32_t)) {
        copy_words(place, stride, n);
        return;
    }
    if (onednn_converts(walk->type[0], walk->type[1]) && stride[0] == size &&
        stride[1] == kit_type_size(walk->type[1])) {
        onednn_convert(walk->type[0], place[0], walk->type[1], place[1], n);
        return;
    }
    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        int64_t count = n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK;

        onednn_row_load(value, walk->type[1], place[1] + i * stride[1], stride[1], count);
        onednn_row_store(walk->type[0], place[0] + i * stride[0], stride[0], value, count);
    }
}

void onednn_walk_copy(const struct onednn_walk *walk, void *const data[])
{
    onednn_walk_run(walk, data, copy_row, NULL);
}

struct factors {
    double alpha, beta;
};

static void blend_row(void *arg, const struct onednn_walk *walk, char *const place[],
                      const int64_t stride[], int64_t n)
{
    const struct factors *factors = arg;
    double value[ONEDNN_CHUNK], prior[ONEDNN_CHUNK];

    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        int64_t count = n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK;

        onednn_row_load(value, walk->type[1], place[1] + i * stride[1], stride[1], count);
        for (int64_t k = 0; k < count; k++)
            value[k] *= factors->alpha;
        if (factors->beta != 0) {
            onednn_row_load(prior, walk->type[2], place[2] + i * stride[2], stride[2], count);
            for (int64_t k = 0; k < count; k++)
                value[k] += factors->beta * prior[k];
        }
        onednn_row_store(walk->type[0], place[0] + i * stride[0], stride[0], value, count);
    }
}

void onednn_walk_blend(const struct onednn_walk *walk, void *const data[], double alpha,
                       double beta)
{
    onednn_walk_run(walk, data, blend_row, &(struct factors){alpha, beta});
}
