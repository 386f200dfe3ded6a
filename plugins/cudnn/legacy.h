/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by cuDNN's older calls: of integers, whose vectors of channels and saturating
 * results the graph interface has not, and the fused operation with any factors. */
#ifndef CDN_LEGACY_H
#define CDN_LEGACY_H

#include "backend.h"

/* The numbers of the two engines: without and with Tensor Cores. Those of configurations are hashes
 * of 64 bits. The third is never offered: whichever engine takes the operands as float. */
enum { CUDNN_LEGACY_FMA = 1, CUDNN_LEGACY_TENSOR_OP = 2, CUDNN_BY_FLOAT = 3 };

static inline int cdn_is_legacy(uint64_t engine)
{
    return engine == CUDNN_LEGACY_FMA || engine == CUDNN_LEGACY_TENSOR_OP;
}

/* Returns the engine for a fused call with other factors than 1. cuDNN chooses the kernel of such a
 * call by itself, so no erratum reaches it. With Tensor Cores it may round float twice: to TF32
 * once more before the bias is added. Float therefore goes without them. */
static inline uint64_t cdn_legacy_with_factors(const struct anydnn_plugin_problem *problem,
                                               int32_t math)
{
    return math == ANYDNN_PLUGIN_MATH_DEFAULT || problem->tensor[0]->type == ANYDNN_PLUGIN_FLOAT
               ? CUDNN_LEGACY_FMA
               : CUDNN_LEGACY_TENSOR_OP;
}

/* Offers what there is and adds to *offered; 0, or a reason for the last that there is not. */
int32_t cdn_legacy_offer(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                         anydnn_plugin_offer_fn offer, void *cookie, int *offered);
/* Makes the descriptors of the plan for one of the engines, and plan->legacy_workspace. 0 or a
 * reason. */
int32_t cdn_legacy_make(struct anydnn_plugin_plan *plan, uint64_t engine, struct kit_refusal *why);
/* Destroys them. */
void cdn_legacy_drop(struct anydnn_plugin_plan *plan);
/* With plan->legacy_workspace bytes of workspace. */
int32_t cdn_legacy_run(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                       void *workspace);

#endif
