/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of the cases: sizes that differ by axis, so that no two can be taken for each other,
 * and small enough that a wrong element is seen and the whole list is run in seconds. */
#ifndef TOOLS_VERIFY_CASES_SHAPES_H
#define TOOLS_VERIFY_CASES_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* What a shape is for: types, and the data that it is run on. */
enum verify_shape_kind {
    VERIFY_SHAPE_PLAIN = 0, /* every type but vectors */
    VERIFY_SHAPE_SPECIALS,  /* floating types, with NaN and infinities among the data */
    VERIFY_SHAPE_VECTORS,   /* vector types: channels are whole vectors of each */
    VERIFY_SHAPE_INTEGERS,  /* integers that are no vectors */
    VERIFY_SHAPE_LARGE,     /* integers of both kinds, of which sums wrap: the highest numbers */
    VERIFY_SHAPE_HALF,      /* half alone */
    VERIFY_SHAPE_LONG,      /* floating types, where the sums have LONG_TERMS or more */
    VERIFY_SHAPE_LAYER      /* floating types, counts of channels of real layers: in the math modes
                               that make a difference, packed */
};

/* From here on a sum is long. */
#define VERIFY_LONG_TERMS 10000

/* A problem of an operation, without the operation's name, with `$` for the type and `%` for that
 * of its parameters. */
struct verify_shape {
    const char *label; /* what is special about it, words between commas */
    const char *text;
    enum verify_shape_kind kind;
};

/* `from` other than 0: the texts of that operation, with the operands that this one has; then its
 * own. */
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

#endif
