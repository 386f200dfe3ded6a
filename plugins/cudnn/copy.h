/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of tensors that leave the memory between their elements alone (copy.cu). */
#ifndef CDN_COPY_H
#define CDN_COPY_H

#include "../cuda_common/cuda_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a copy of the tensor's elements from `from` to `to`, which both have its strides and any
 * alignment that its type has. Other streams may read and write what lies between the elements. */
int32_t cdn_copy_elements(int32_t device, cudaStream_t stream,
                          const struct anydnn_plugin_tensor *tensor, void *to, const void *from);

#ifdef __cplusplus
}
#endif

#endif
