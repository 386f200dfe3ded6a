/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic: sizes, strides, output dims. The functions depend on numbers alone. They set no
 * error sentence and do not overflow silently. For VECT_C types, dim 1 counts channels and strides
 * count vectors. */
#ifndef ADN_DESC_SHAPE_H
#define ADN_DESC_SHAPE_H

#include <stdint.h>

#include <anydnn/plugin.h>

/* Returns the output size of a convolution along one spatial dim (cuDNN 7's formula, rounded down):
 * 1 + (in + 2 pad - ((filter - 1) dilation + 1)) / stride. Returns 0 if the dilated filter does not
 * fit the padded input, if stride or dilation is below 1, or if a term does not fit int64_t. */
int64_t adn_shape_convolution_out(int64_t in, int64_t pad, int64_t filter, int64_t dilation,
                                  int64_t stride);

/* Returns the same for a pooling window: 1 + (in + 2 pad - window) / stride, rounded down. pad may
 * be negative or at least the window. Returns 0 if the window does not fit. */
int64_t adn_shape_pooling_out(int64_t in, int64_t pad, int64_t window, int64_t stride);

/* Computes packed strides of dims in a format (anydnnTensorFormat_t): the last dim is fastest for
 * NCHW and NCHW_VECT_C, dim 1 for NHWC, with any number of dims. A VECT_C type in a plain format
 * keeps space for one vector a channel, as cuDNN's setters do. Returns 0. Returns -1 for another
 * format, for NCHW_VECT_C with another type or channels in no whole vectors, or if a stride does
 * not fit int64_t. */
int adn_shape_strides(int32_t format, int32_t type, int32_t ndims, const int64_t *dims,
                      int64_t *strides);

/* Returns the steps along one dim: dims[dim], or the number of vectors for dim 1 of a VECT_C
 * type. */
int64_t adn_shape_extent(const struct anydnn_plugin_tensor *tensor, int32_t dim);

/* Returns the product of the dims (channels of vectors each count), or INT64_MAX if it does not
 * fit. Returns 0 without dims. */
int64_t adn_shape_elements(const struct anydnn_plugin_tensor *tensor);

/* Returns the elements (vectors for VECT_C types) from the lowest address to the highest, both
 * included, with gaps. Returns 0 without dims, and -1 if the number does not fit int64_t. */
/* Returns the bytes that hold one bit for each element. */
int64_t adn_shape_bit_bytes(const struct anydnn_plugin_tensor *tensor);
int64_t adn_shape_span(const struct anydnn_plugin_tensor *tensor);

/* Describes a byte buffer as a tensor. */
void adn_shape_of_bytes(struct anydnn_plugin_tensor *tensor, int64_t bytes);

/* Returns the span in bytes, or -1 if it does not fit int64_t. */
int64_t adn_shape_bytes(const struct anydnn_plugin_tensor *tensor);

/* Returns 0 if each dim's stride, taken from the smallest, steps over all that the dims below it
 * span; else 1. Layouts that return 0 are those that some order of nested loops traverses with
 * increasing addresses: packed in any order, padded, sub-regions. Layouts of interleaved dims (dims
 * 2,3 with strides 3,2) count as overlapping although no two of their elements coincide. Signs of
 * strides and dims of size 1 do not matter. */
int adn_shape_overlaps(const struct anydnn_plugin_tensor *tensor);

/* Computes the dims of the result of a transform, as measured on cuDNN 9.19. FOLD pads, then moves
 * blocks of fold[i] along each spatial dim into channels; sizes round up, and the rest of a block
 * is zeros. UNFOLD does the reverse, then pads. Padding may be negative. Returns 0. Returns -1 if a
 * resulting dim is below 1, if the channels do not divide by the product of the folds (UNFOLD), or
 * if a number does not fit. */
int adn_shape_transform(const struct anydnn_plugin_transform *transform, int32_t ndims,
                        const int64_t *dims, int64_t *out);

#endif
