/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the convolutions of all directions share: checks, geometry, choice of layouts. */
#ifndef ONEDNN_CONV_H
#define ONEDNN_CONV_H

#include "build.h"

/* The slots of x or dx, w or dw, y or dy. */
struct onednn_conv_roles {
    int32_t x, w, y;
};

/* The engines: direct sums, and Winograd's transform. */
enum { ONEDNN_CONV_DIRECT = 1, ONEDNN_CONV_WINOGRAD = 2 };

/* A tensor of a convolution: x, w, y, or a gradient of one. */
struct onednn_conv_tensor {
    int32_t slot;
    struct onednn_view view; /* filters: flipped in mode convolution, extra dim for groups */
    onednn_layout layout;    /* layout that the primitive reads or writes */
    onednn_layout seen; /* layout under which the primitive sees the same bytes; NULL if the same */
};

/* A convolution under construction. */
struct onednn_conv {
    struct onednn_conv_tensor x, w, y;
    struct onednn_convolution description;
    dnnl_primitive_desc_t descriptor; /* NULL after a failure */
};

int32_t onednn_conv_check(const struct anydnn_plugin_problem *problem,
                          const struct onednn_conv_roles *roles, struct kit_refusal *why);

/* Flips the dims from `from` on, for a filter of mode convolution. */
void onednn_turn_round(struct onednn_view *filter, int32_t from);
/* Sets strides, dilations and pads from the parameters. */
void onednn_conv_windows(struct onednn_convolution *description,
                         const struct anydnn_plugin_convolution *params);

/* Returns a packed tensor of float with channels last. */
struct onednn_view onednn_channels_last(const struct onednn_view *view);
/* Returns 1 for oneDNN's reference code, which is correct and a thousand times slower than its
 * kernels. */
int onednn_is_reference(const_dnnl_primitive_desc_t descriptor);
/* Returns 1 for a convolution that oneDNN computes as matrix products. */
int onednn_is_gemm(const_dnnl_primitive_desc_t descriptor);
/* Chooses the layouts of a convolution whose views and description are otherwise complete. The
 * descriptor stays NULL if oneDNN has none. */
void onednn_conv_choose(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes);

/* Fills in `conv` except for its layouts, all in float. bias is a layout, or NULL. */
void onednn_conv_prepare(struct onednn_build *build, struct onednn_conv *conv,
                         const struct onednn_conv_roles *roles, dnnl_prop_kind_t direction,
                         onednn_layout bias);
/* Chooses the layouts. The descriptor stays NULL if oneDNN has none. */
void onednn_conv_select(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes);
/* Prepares and selects. The build fails if oneDNN has no descriptor. */
void onednn_conv_describe(struct onednn_build *build, struct onednn_conv *conv,
                          const struct onednn_conv_roles *roles, dnnl_prop_kind_t direction,
                          onednn_layout bias, dnnl_primitive_attr_t attributes);

/* These functions load an input for the primitive, return the memory for its result, and store the
 * result in the operand. The primitive itself uses the memory that onednn_conv_seen() returns. */
int onednn_conv_load(struct onednn_build *build, const struct onednn_conv_tensor *tensor);
int onednn_conv_result(struct onednn_build *build, const struct onednn_conv_tensor *tensor);
int onednn_conv_seen(struct onednn_build *build, const struct onednn_conv_tensor *tensor,
                     int memory);
void onednn_conv_store(struct onednn_build *build, const struct onednn_conv_tensor *tensor,
                       int memory);

#define ONEDNN_FUSED(name) slot_convolution_bias_activation_forward_##name

/* Adds the last step of the fused operation: y = activation(alpha1 * r + alpha2 * z + bias) in
 * double, rounded once. r has the dims of y. */
void onednn_conv_finish(struct onednn_build *build, struct onednn_place place,
                        const struct onednn_view *r);

/* Builds the gradient of a filter in parts, if its sums are long. `whole` is the described
 * convolution without parts. Returns 0 and builds nothing if parts give no benefit, or if oneDNN
 * has no kernel for them. */
int onednn_conv_in_parts(struct onednn_build *build, const struct onednn_conv_roles *roles,
                         const struct onednn_conv *whole);

/* Returns 1 if oneDNN may have Winograd's transform for a problem. This only avoids a longer
 * search, since oneDNN also refuses other problems. */
int onednn_conv_may_have_winograd(const struct anydnn_plugin_problem *problem,
                                  const struct onednn_conv_roles *roles);

#endif
