/* SPDX-License-Identifier: Apache-2.0 */
/* Sums columns of floats in double, in the widest vectors of the processor. Each column is summed
 * from its first row to its last, so that the result does not depend on the vector width. */
#include "batch_norm.h"

typedef void (*add_fn)(const float *x, int64_t stride, int64_t rows,
                       struct onednn_norm_columns *columns);

/* The number of rows to prefetch ahead. Hardware prefetchers do not detect this access pattern. */
#define AHEAD 32

/* Defines a summing function. It uses two vectors at a time, so that an addition need not wait for
 * the previous one. */
#define ADD_IN_VECTORS(name, isa, lanes)                                                           \
    isa static void name(const float *x, int64_t stride, int64_t rows,                             \
                         struct onednn_norm_columns *columns)                                      \
    {                                                                                              \
        typedef float floats __attribute__((vector_size(4 * (lanes)), aligned(4), may_alias));     \
        typedef double doubles __attribute__((vector_size(8 * (lanes)), aligned(8), may_alias));   \
                                                                                                   \
        for (int c = 0; c < ONEDNN_NORM_COLUMNS; c += 2 * (lanes)) {                               \
            doubles *sum = (doubles *)&columns->sum[c], *square = (doubles *)&columns->square[c];  \
            const doubles *shift = (const doubles *)&columns->shift[c];                            \
            doubles shift0 = shift[0], shift1 = shift[1];                                          \
            doubles sum0 = sum[0], sum1 = sum[1], square0 = square[0], square1 = square[1];        \
            const float *at = x + c;                                                               \
                                                                                                   \
            for (int64_t row = 0; row < rows; row++, at += stride) {                               \
                const floats *f = (const floats *)at;                                              \
                __builtin_prefetch(at + AHEAD * stride);                                           \
                doubles rest0 = __builtin_convertvector(f[0], doubles) - shift0;                   \
                doubles rest1 = __builtin_convertvector(f[1], doubles) - shift1;                   \
                                                                                                   \
                sum0 += rest0;                                                                     \
                sum1 += rest1;                                                                     \
                square0 += rest0 * rest0;                                                          \
                square1 += rest1 * rest1;                                                          \
            }                                                                                      \
            sum[0] = sum0;                                                                         \
            sum[1] = sum1;                                                                         \
            square[0] = square0;                                                                   \
            square[1] = square1;                                                                   \
        }                                                                                          \
    }

ADD_IN_VECTORS(add_by_two, , 2)

#ifdef __x86_64__
ADD_IN_VECTORS(add_by_four, __attribute__((target("avx2"))), 4)
ADD_IN_VECTORS(add_by_eight, __attribute__((target("avx512f"))), 8)

static add_fn widest(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return add_by_eight;
    return __builtin_cpu_supports("avx2") ? add_by_four : add_by_two;
}
#else
static add_fn widest(void)
{
    return add_by_two;
}
#endif

void onednn_norm_add(const float *x, int64_t stride, int64_t rows,
                     struct onednn_norm_columns *columns)
{
    widest()(x, stride, rows, columns);
}
