/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolutions of all directions share: conditions, geometry, the choice of layouts. */
#ifndef ONEDNN_CONV_H
#define ONEDNN_CONV_H

#include "build.h"

/* The slots of x or dx, w or dw, y or dy. */
struct onednn_conv_roles {
    int32_t x, w, y;
};

/* Engines: the plain sums, and Winograd's transform. */
enum { ONEDNN_CONV_DIRECT = 1, ONEDNN_CONV_WINOGRAD = 2 };

/* One of x, w, y, or of their gradients. */
struct onednn_conv_tensor {
    int32_t slot;
    struct onednn_view view; /* of the filter with a dim more for groups, and turned round where the
                                mode is convolution */
    onednn_layout layout;    /* as it is wanted or given */
    onednn_layout seen;      /* under which the primitive knows the same bytes; NULL: the same */
};

/* A convolution that is being built. */
struct onednn_conv {
    struct onednn_conv_tensor x, w, y;
    struct onednn_convolution description;
    dnnl_primitive_desc_t descriptor; /* NULL after a failure */
};

int32_t onednn_conv_check(const struct anydnn_plugin_problem *problem,
                          const struct onednn_conv_roles *roles, struct kit_refusal *why);

/* Turns the dims from `from` on round, for a filter of the mode convolution. */
void onednn_turn_round(struct onednn_view *filter, int32_t from);
/* Strides, dilations and pads of the parameters. */
void onednn_conv_windows(struct onednn_convolution *description,
                         const struct anydnn_plugin_convolution *params);

/* A packed tensor of float with the channels last. */
struct onednn_view onednn_channels_last(const struct onednn_view *view);
/* oneDNN's reference code: right, and a thousand times slower than its kernels. */
int onednn_is_reference(const_dnnl_primitive_desc_t descriptor);
/* A convolution that oneDNN works out as products of matrices. */
int onednn_is_gemm(const_dnnl_primitive_desc_t descriptor);
/* Chooses the layouts of a convolution whose views and description are complete but for them; the
 * descriptor stays NULL where oneDNN has none. */
void onednn_conv_choose(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes);

/* Fills `conv` but for its layouts, all in float. bias: a layout, or NULL. */
void onednn_conv_prepare(struct onednn_build *build, struct onednn_conv *conv,
                         const struct onednn_conv_roles *roles, dnnl_prop_kind_t direction,
                         onednn_layout bias);
/* Chooses layouts; the descriptor stays NULL where oneDNN has none. */
void onednn_conv_select(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes);
/* Both; where oneDNN has no descriptor, the build has failed. */
void onednn_conv_describe(struct onednn_build *build, struct onednn_conv *conv,
                          const struct onednn_conv_roles *roles, dnnl_prop_kind_t direction,
                          onednn_layout bias, dnnl_primitive_attr_t attributes);

/* An input as the primitive wants it; a place for its result, and from there to the operand. In
 * between the primitive writes the memory onednn_conv_seen(). */
int onednn_conv_load(struct onednn_build *build, const struct onednn_conv_tensor *tensor);
int onednn_conv_result(struct onednn_build *build, const struct onednn_conv_tensor *tensor);
int onednn_conv_seen(struct onednn_build *build, const struct onednn_conv_tensor *tensor,
                     int memory);
void onednn_conv_store(struct onednn_build *build, const struct onednn_conv_tensor *tensor,
                       int memory);

enum { ONEDNN_FUSED_BIAS = 3 };

/* y = activation(alpha1 * r + alpha2 * z + bias) of the fused operation, in double, rounded once; r
 * has the dims of y. */
void onednn_conv_finish(struct onednn_build *build, struct onednn_place place,
                        const struct onednn_view *r);

/* The gradient of a filter in parts, where its sums are long. `whole` is the same, described.
 * Returns 0, and has built nothing, where parts are no better, or oneDNN has no kernels for them.
 */
int onednn_conv_in_parts(struct onednn_build *build, const struct onednn_conv_roles *roles,
                         const struct onednn_conv *whole);

/* Whether oneDNN may have Winograd's transform for a problem. It would say no itself, too, after a
 * longer search. */
int onednn_conv_may_have_winograd(const struct anydnn_plugin_problem *problem,
                                  const struct onednn_conv_roles *roles);

#endif
