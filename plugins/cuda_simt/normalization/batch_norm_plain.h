/* SPDX-License-Identifier: Apache-2.0 */
/* The second step of batch normalization in its plain form, for tensors of any strides and types
 * (batch_norm_plain.cu, batch_norm_plain_backward.cu). */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_PLAIN_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_PLAIN_H

#include "../shared/map.h"

#define NORM_INFERENCE(name) slot_batch_normalization_inference_##name
#define NORM_TRAINING(name)  slot_batch_normalization_training_##name
#define NORM_BACKWARD(name)  slot_batch_normalization_backward_##name

struct norm_backward_params; /* batch_norm_gradient.h */

struct norm_plain_forward {
    cuda_map_plan map;
    int32_t form; /* CUDA_BESIDE_xxx */
    /* Computes y from x. In training, `numbers` has cuda_norm_numbers of `size` bytes for each
     * cell; else it is NULL. */
    int32_t (*launch)(const norm_plain_forward *plain, const struct anydnn_plugin_plan *plan,
                      const cuda_call *call, const void *numbers);
    size_t size;
};

struct norm_plain_backward {
    cuda_map_plan map;
    int32_t form; /* CUDA_BESIDE_xxx, used without activation */
    /* Computes dx, and dz if present, after the cells are filled. */
    int32_t (*launch)(const norm_plain_backward *plain, const struct anydnn_plugin_plan *plan,
                      const cuda_call *call, const norm_backward_params &params);
};

/* Each function fills `plain`, which must be zeros, for a plan's problem. */
void norm_plain_inference(norm_plain_forward *plain, const struct anydnn_plugin_plan *plan);
void norm_plain_training(norm_plain_forward *plain, const struct anydnn_plugin_plan *plan);
void norm_plain_gradient(norm_plain_backward *plain, const struct anydnn_plugin_plan *plan);

#endif
