/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shape arithmetic: sizes, strides, output dims. Pure functions of numbers; nothing here fails with
 * a sentence, nothing overflows silently. For VECT_C types dim 1 counts channels and strides count
 * vectors.
 */
#ifndef ADN_DESC_SHAPE_H
#define ADN_DESC_SHAPE_H

#include <stdint.h>

#include <anydnn/plugin.h>

/*
 * Output size of a convolution along one spatial dim (cuDNN 7's formula, rounded down):
 * 1 + (in + 2 pad - ((filter - 1) dilation + 1)) / stride. 0 when the dilated filter does not fit
 * the padded input, when stride or dilation is below 1, or when a term does not fit int64_t.
 */
int64_t adn_shape_convolution_out(int64_t in, int64_t pad, int64_t filter, int64_t dilation,
                                  int64_t stride);

/* The same for a pooling window: 1 + (in + 2 pad - window) / stride, rounded down. pad may be
 * negative or at least the window. 0 when the window does not fit. */
int64_t adn_shape_pooling_out(int64_t in, int64_t pad, int64_t window, int64_t stride);

/*
 * Packed strides of dims in a format (anydnnTensorFormat_t): NCHW and NCHW_VECT_C last dim fastest,
 * NHWC dim 1 fastest, any number of dims. A VECT_C type in a plain format keeps room for one vector
 * a channel, as cuDNN's setters do. 0; -1 when the format is none of the three, NCHW_VECT_C goes
 * with another type (or channels are no whole vectors), or a stride does not fit int64_t.
 */
int adn_shape_strides(int32_t format, int32_t type, int32_t ndims, const int64_t *dims,
                      int64_t *strides);

/* Steps along one dim: dims[dim], or the number of vectors for dim 1 of a VECT_C type. */
int64_t adn_shape_extent(const struct anydnn_plugin_tensor *tensor, int32_t dim);

/* Product of the dims (channels of vectors each count); INT64_MAX when it does not fit. 0 without
 * dims. */
int64_t adn_shape_elements(const struct anydnn_plugin_tensor *tensor);

/* Elements (vectors for VECT_C types) from the lowest address to the highest, both included, gaps
 * counted; 0 without dims, -1 when it does not fit int64_t. */
/* Bytes that hold one bit for each element. */
int64_t adn_shape_bit_bytes(const struct anydnn_plugin_tensor *tensor);
int64_t adn_shape_span(const struct anydnn_plugin_tensor *tensor);

/* A byte buffer as a tensor. */
void adn_shape_of_bytes(struct anydnn_plugin_tensor *tensor, int64_t bytes);

/* The span in bytes; -1 when it does not fit int64_t. */
int64_t adn_shape_bytes(const struct anydnn_plugin_tensor *tensor);

/*
 * 1 unless each dim's stride, taken from the smallest, steps over all that the dims below it span.
 * That is every layout that some order of nested loops walks upwards: packed in any order, padded,
 * sub-regions. Layouts of interleaved dims (dims 2,3 with strides 3,2) count as overlapping
 * although no two of their elements meet. Signs of strides do not matter; dims of size 1 neither.
 */
int adn_shape_overlaps(const struct anydnn_plugin_tensor *tensor);

/*
 * Dims of the result of a transform: FOLD pads, then moves blocks of fold[i] along each spatial dim
 * into channels (sizes round up: the rest of a block is zeros); UNFOLD is the way back, then pads.
 * Measured on cuDNN 9.19. Padding may be negative. 0; -1 when a resulting dim is below 1, the
 * channels do not divide by the product of the folds (UNFOLD), or a number does not fit.
 */
int adn_shape_transform(const struct anydnn_plugin_transform *transform, int32_t ndims,
                        const int64_t *dims, int64_t *out);

#endif
