/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the conversion of a matrix product to a convolution with filters of one tap, which the
 * kernels run. It compiles as C and as CUDA C++. */
#ifndef CUDA_TENSORCORE_MATMUL_H
#define CUDA_TENSORCORE_MATMUL_H

#include "tensorcore.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The operands that each product of a batch has at an offset of its own. */
enum { TC_MATMUL_A, TC_MATMUL_B, TC_MATMUL_C, TC_MATMUL_D, TC_MATMUL_OPERANDS };

/* The most products of a batch, each of which is a launch of its own. */
#define TC_MATMUL_BATCH 128

struct tc_matmul {
    int32_t a, b, c, bias, d; /* slots of A, B, z, bias and C; c and bias are -1 if absent */
    int32_t first;            /* which of TC_MATMUL_A and TC_MATMUL_B is A */
    int32_t in_place;         /* 1 if c is d, so that beta blends it */
    int32_t ndims;            /* dims of the batch, slowest first */
    int64_t batch;
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX][TC_MATMUL_OPERANDS]; /* in elements */
    struct kit_refusal why; /* `reason` is not 0 if the product is declined */
};

/* Replaces the matrix product of a plan by the convolution of one product of the batch. If it
 * declines, the plan gets some convolution and `why` has the reason. */
void tc_matmul_convert(struct anydnn_plugin_plan *plan, struct tc_matmul *matmul);

/* Computes the offsets of product number `number`, in elements. */
void tc_matmul_offsets(const struct tc_matmul *matmul, int64_t number,
                       int64_t offsets[TC_MATMUL_OPERANDS]);

#ifdef __cplusplus
}
#endif

#endif
