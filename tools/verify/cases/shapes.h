/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of the cases. Sizes differ by axis, so that confused axes show. They are small, so
 * that one wrong element shows and the whole list runs in seconds. */
#ifndef TOOLS_VERIFY_CASES_SHAPES_H
#define TOOLS_VERIFY_CASES_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* The kinds of shape: the types, and the data that it runs on. */
enum verify_shape_kind {
    VERIFY_SHAPE_PLAIN = 0, /* every type except vectors */
    VERIFY_SHAPE_SPECIALS,  /* floating-point types, with NaN and infinities in the data */
    VERIFY_SHAPE_VECTORS,   /* vector types: channels fill whole vectors of each */
    VERIFY_SHAPE_INTEGERS,  /* integers, not vectors */
    VERIFY_SHAPE_LARGE,     /* integers and vectors, with the largest numbers, so that sums wrap */
    VERIFY_SHAPE_HALF,      /* only half */
    VERIFY_SHAPE_FAR,       /* floating-point types, with a first operand far from zero */
    VERIFY_SHAPE_SUBNORMAL, /* floating-point types, with subnormal numbers in the first operand */
    VERIFY_SHAPE_SUBNORMAL_SUMS, /* likewise, only float and double */
    VERIFY_SHAPE_LONG,           /* floating-point types; the sums have LONG_TERMS or more */
    VERIFY_SHAPE_LAYER /* floating-point types with the channel counts of real layers: packed, in
                          the math modes that change the result */
};

/* The number of terms from which a sum is long. */
#define VERIFY_LONG_TERMS 10000

/* A problem of an operation, without the operation's name. `$` stands for the type and `%` for the
 * type of its parameters. */
struct verify_shape {
    const char *label; /* special properties, comma-separated words */
    const char *text;
    enum verify_shape_kind kind;
};

/* The shapes of an operation. If `from` is not 0, the texts of that operation come first, with only
 * the operands that this operation has. */
struct verify_shapes {
    int32_t operation;
    int32_t from;
    const struct verify_shape *shape; /* ends with a NULL text */
};

extern const struct verify_shapes verify_shapes[]; /* ends with operation 0 */

extern const struct verify_shape verify_convolution_shapes[];
extern const struct verify_shape verify_backward_bias_shapes[];
extern const struct verify_shape verify_fused_shapes[];
extern const struct verify_shape verify_im2col_shapes[];
extern const struct verify_shape verify_pooling_shapes[];
extern const struct verify_shape verify_activation_shapes[];
extern const struct verify_shape verify_softmax_shapes[];
extern const struct verify_shape verify_pooling_backward_shapes[];
extern const struct verify_shape verify_activation_backward_shapes[];
extern const struct verify_shape verify_softmax_backward_shapes[];
extern const struct verify_shape verify_lrn_backward_shapes[];
extern const struct verify_shape verify_dropout_forward_shapes[];
extern const struct verify_shape verify_dropout_backward_shapes[];
extern const struct verify_shape verify_lrn_shapes[];
extern const struct verify_shape verify_divisive_forward_shapes[];
extern const struct verify_shape verify_divisive_backward_shapes[];
extern const struct verify_shape verify_norm_inference_shapes[];
extern const struct verify_shape verify_norm_training_shapes[];
extern const struct verify_shape verify_norm_backward_shapes[];
extern const struct verify_shape verify_transform_shapes[];
extern const struct verify_shape verify_transform_ex_shapes[];
extern const struct verify_shape verify_add_shapes[];
extern const struct verify_shape verify_op_shapes[];
extern const struct verify_shape verify_reduce_shapes[];
extern const struct verify_shape verify_set_shapes[];
extern const struct verify_shape verify_scale_shapes[];
extern const struct verify_shape verify_grid_forward_shapes[];
extern const struct verify_shape verify_sampler_shapes[];
extern const struct verify_shape verify_sampler_backward_shapes[];
extern const struct verify_shape verify_ctc_shapes[];
extern const struct verify_shape verify_normalization_forward_shapes[];
extern const struct verify_shape verify_normalization_backward_shapes[];
extern const struct verify_shape verify_matmul_shapes[];

#endif
