/* SPDX-License-Identifier: Apache-2.0 */
/* Declares copies of tensors that leave the memory between their elements alone (copy.cu). */
#ifndef CDN_COPY_H
#define CDN_COPY_H

#include "../cuda_common/cuda_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a copy of the tensor's elements from `from` to `to`. Both have the tensor's strides, and
 * need only the alignment of its type. Other streams may read and write the gaps between the
 * elements. */
int32_t cdn_copy_elements(int32_t device, cudaStream_t stream,
                          const struct anydnn_plugin_tensor *tensor, void *to, const void *from);

#ifdef __cplusplus
}
#endif

#endif
