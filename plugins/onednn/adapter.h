/* SPDX-License-Identifier: Apache-2.0 */
/* Provides one interface to oneDNN 2.6 and 3.x. 2.6 uses structures that the caller fills; 3.x
 * hides them behind pointers. No other part of this backend depends on the version. */
#ifndef ONEDNN_ADAPTER_H
#define ONEDNN_ADAPTER_H

#include "library.h"

/* A memory descriptor: a strided layout, a blocked layout, or "any", which lets the primitive
 * choose. */
typedef const_dnnl_memory_desc_t onednn_layout;

/* Creates a layout. If strides is NULL, the layout is "any". Returns NULL if memory is short, or if
 * oneDNN refuses the strides (overlapping elements, strides below 1). onednn_layout_destroy frees
 * the layout. */
onednn_layout onednn_layout_create(dnnl_data_type_t type, int32_t ndims, const int64_t *dims,
                                   const int64_t *strides);
/* Creates a layout in which the channels, dim 1, form blocks of 16. ndims is 3 to 5. */
onednn_layout onednn_layout_blocked(dnnl_data_type_t type, int32_t ndims, const int64_t *dims);
void onednn_layout_destroy(onednn_layout layout);

/* Returns a layout that the primitive chose. `what` is dnnl_query_src_md or a similar query. The
 * layout lives as long as the descriptor. */
onednn_layout onednn_chosen(const_dnnl_primitive_desc_t descriptor, dnnl_query_t what);
/* Returns the name of the implementation, or "" if it has none. */
const char *onednn_implementation(const_dnnl_primitive_desc_t descriptor);

/* Returns 1 if the engine's instruction set adds products of 8-bit integers without intermediate
 * saturation (AVX-512 VNNI and later). */
int onednn_isa_has_vnni(void);

/*
 * The following functions create primitive descriptors. Each returns NULL if oneDNN has no
 * implementation. Strides, dilations (0: dense), windows and pads hold one value per spatial
 * dimension. The attributes may be NULL. The hint may be NULL unless a comment requires it.
 */
struct onednn_convolution {
    dnnl_prop_kind_t direction; /* dnnl_forward_inference, dnnl_backward_data or _weights */
    dnnl_alg_kind_t algorithm;
    onednn_layout x, w, y; /* x serves as dx, and so on */
    onednn_layout bias;    /* NULL if there is no bias */
    dnnl_dims_t stride, dilation, pad_before, pad_after;
};
dnnl_primitive_desc_t onednn_describe_convolution(const struct onednn_convolution *convolution,
                                                  const_dnnl_primitive_attr_t attributes);

/* Describes a fully connected layer. x, w and y are 2-D; stride, dilation and pads are ignored. */
dnnl_primitive_desc_t onednn_describe_inner_product(const struct onednn_convolution *product,
                                                    const_dnnl_primitive_attr_t attributes);

struct onednn_pooling {
    dnnl_prop_kind_t direction; /* dnnl_forward_training, dnnl_forward_inference, dnnl_backward */
    dnnl_alg_kind_t algorithm;
    onednn_layout x, y;
    dnnl_dims_t stride, window, dilation, pad_before, pad_after;
    const_dnnl_primitive_desc_t hint; /* descriptor of forward_training, required for backward */
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
    onednn_layout x;  /* layout of x and y */
    onednn_layout dx; /* layout of dx and dy; backward only */
    int64_t n;
    float alpha, beta, k;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t onednn_describe_lrn(const struct onednn_lrn *lrn,
                                          const_dnnl_primitive_attr_t attributes);

/* Returns 1 if a gradient takes the shift as an argument. 2.6 requires it there although no result
 * depends on it; 3.x refuses it. */
int onednn_shift_in_backward(void);

struct onednn_batch_normalization {
    dnnl_prop_kind_t direction;
    onednn_layout x;  /* layout of x and y */
    onednn_layout dx; /* layout of dx and dy; backward only */
    float epsilon;
    unsigned flags;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t
onednn_describe_batch_normalization(const struct onednn_batch_normalization *normalization,
                                    const_dnnl_primitive_attr_t attributes);

struct onednn_layer_normalization {
    dnnl_prop_kind_t direction;
    onednn_layout x;          /* layout of x and y */
    onednn_layout dx;         /* layout of dx and dy; backward only */
    onednn_layout statistics; /* layout of mean and variance */
    float epsilon;
    unsigned flags;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t
onednn_describe_layer_normalization(const struct onednn_layer_normalization *normalization,
                                    const_dnnl_primitive_attr_t attributes);

/* Describes d = a b + bias. bias is NULL if there is none. */
struct onednn_product {
    onednn_layout a, b, bias, d;
};
dnnl_primitive_desc_t onednn_describe_product(const struct onednn_product *product,
                                              const_dnnl_primitive_attr_t attributes);

struct onednn_eltwise {
    dnnl_prop_kind_t direction;
    dnnl_alg_kind_t algorithm;
    onednn_layout x;  /* layout of x and y; backward: of the data that the algorithm reads */
    onednn_layout dx; /* layout of dx and dy; backward only */
    float alpha, beta;
    const_dnnl_primitive_desc_t hint;
};
dnnl_primitive_desc_t onednn_describe_eltwise(const struct onednn_eltwise *eltwise,
                                              const_dnnl_primitive_attr_t attributes);

/* Returns 1 if one of these functions ran out of memory since the last call. That function returned
 * NULL. */
int onednn_ran_out_of_memory(void);

/* Appends a post-op that makes a primitive's result max(result, 0). Returns 0, or another value if
 * oneDNN refuses. */
int onednn_append_relu(dnnl_post_ops_t post_ops);

dnnl_primitive_desc_t onednn_describe_reorder(onednn_layout from, onednn_layout to,
                                              const_dnnl_primitive_attr_t attributes);

#endif
