/* SPDX-License-Identifier: Apache-2.0 */
/* One face over the versions of oneDNN's C interface: what 2.6 describes by structures of the
 * caller, 3.0 hides behind pointers. Nothing else in this backend knows the version. */
#ifndef ONEDNN_ADAPTER_H
#define ONEDNN_ADAPTER_H

#include "library.h"

/* A memory descriptor: of a tensor with strides, of a blocked layout, or of one that the primitive
 * may choose ("any"). */
typedef const_dnnl_memory_desc_t onednn_layout;

/* NULL where there is no memory, or where oneDNN refuses the strides (elements that share a place,
 * strides that are not positive). strides NULL: any. To be given back by onednn_layout_destroy. */
onednn_layout onednn_layout_create(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   const int64_t *strides);
/* Channels, dim 1, in blocks of 16; of 3 to 5 dims. */
onednn_layout onednn_layout_blocked(dnnl_data_type_t type, int32_t ndims, const int64_t *dims);
void onednn_layout_destroy(onednn_layout layout);

/* What a primitive has chosen: `what` is dnnl_query_src_md and the like. It lives as long as the
 * descriptor. */
onednn_layout onednn_chosen(const_dnnl_primitive_desc_t descriptor, dnnl_query_t what);
/* The name of the implementation, "" where there is none. */
const char *onednn_implementation(const_dnnl_primitive_desc_t descriptor);

/* The engine's instruction set sums products of 8-bit integers without saturating between (AVX-512
 * VNNI and later). */
int onednn_isa_has_vnni(void);

/*
 * Primitive descriptors. Each returns NULL where oneDNN has no implementation. Strides, dilations
 * (0: none), windows and pads hold one value a spatial dimension. Attributes may be NULL, hints
 * where nothing else is said.
 */
struct onednn_convolution {
    dnnl_prop_kind_t direction; /* dnnl_forward_inference, dnnl_backward_data or _weights */
    dnnl_alg_kind_t algorithm;
    onednn_layout x, w, y; /* x also for dx, and so on */
    onednn_layout bias;    /* NULL: none */
    dnnl_dims_t stride, dilation, pad_before, pad_after;
};
dnnl_primitive_desc_t onednn_describe_convolution(const struct onednn_convolution *convolution,
                                                  const_dnnl_primitive_attr_t attributes);

/* Fully connected: x, w, y are 2-D; what belongs to windows is not looked at. */
dnnl_primitive_desc_t onednn_describe_inner_product(const struct onednn_convolution *product,
                                                    const_dnnl_primitive_attr_t attributes);

struct onednn_pooling {
    dnnl_prop_kind_t direction; /* dnnl_forward_training, dnnl_forward_inference, dnnl_backward */
    dnnl_alg_kind_t algorithm;
    onednn_layout x, y;
    dnnl_dims_t stride, window, dilation, pad_before, pad_after;
    const_dnnl_primitive_desc_t hint; /* of forward_training, for backward */
};
dnnl_primitive_desc_t onednn_describe_pooling(const struct onednn_pooling *pooling,
                                              const_dnnl_primitive_attr_t attributes);

struct onednn_softmax {
    dnnl_prop_kind_t direction;
    dnnl_alg_kind_t algorithm;  /* dnnl_softmax_accurate, dnnl_softmax_log */
    onednn_layout x, y, dx, dy; /* forward: x, y; backward: y, dx, dy */
    int axis;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t onednn_describe_softmax(const struct onednn_softmax *softmax,
                                              const_dnnl_primitive_attr_t attributes);

struct onednn_lrn {
    dnnl_prop_kind_t direction;
    onednn_layout x;  /* of y, too */
    onednn_layout dx; /* of dy, too; backward alone */
    int64_t n;
    float alpha, beta, k;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t onednn_describe_lrn(const struct onednn_lrn *lrn,
                                          const_dnnl_primitive_attr_t attributes);

/* 2.6 wants the shift among the arguments of a gradient, which does not depend on it; 3.x refuses
 * it there. */
int onednn_shift_in_backward(void);

struct onednn_batch_normalization {
    dnnl_prop_kind_t direction;
    onednn_layout x;  /* of y, too */
    onednn_layout dx; /* of dy, too; backward alone */
    float epsilon;
    unsigned flags;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t
onednn_describe_batch_normalization(const struct onednn_batch_normalization *normalization,
                                    const_dnnl_primitive_attr_t attributes);

struct onednn_eltwise {
    dnnl_prop_kind_t direction;
    dnnl_alg_kind_t algorithm;
    onednn_layout x;  /* of y, too; backward: of the data that the algorithm wants */
    onednn_layout dx; /* of dy, too; backward alone */
    float alpha, beta;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t onednn_describe_eltwise(const struct onednn_eltwise *eltwise,
                                              const_dnnl_primitive_attr_t attributes);

/* Whether one of these lacked memory since the last question; they then gave NULL. */
int onednn_starved(void);

/* Makes a primitive's result max(result, 0). Returns 0, or another value where oneDNN refuses. */
int onednn_append_relu(dnnl_post_ops_t post_ops);

dnnl_primitive_desc_t onednn_describe_reorder(onednn_layout from, onednn_layout to,
                                              const_dnnl_primitive_attr_t attributes);

#endif
