/* SPDX-License-Identifier: Apache-2.0 */
/* Declares convolutions by cuDNN's older calls. They serve integers, whose vectors of channels and
 * saturating results the graph interface lacks, and the fused operation with any factors. */
#ifndef CDN_LEGACY_H
#define CDN_LEGACY_H

#include "backend.h"

/* The numbers of the two engines: without and with Tensor Cores. Numbers of configurations are
 * hashes of 64 bits. CUDNN_BY_FLOAT is never offered; it means any engine that gets the operands as
 * float. */
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

/* Offers the available engines and adds their number to *offered. Returns 0, or a reason if the
 * last one is unavailable. */
int32_t cdn_legacy_offer(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                         anydnn_plugin_offer_fn offer, void *cookie, int *offered);
/* Creates the plan's descriptors for one of the engines, and sets plan->legacy_workspace. Returns 0
 * or a reason. */
int32_t cdn_legacy_make(struct anydnn_plugin_plan *plan, uint64_t engine, struct kit_refusal *why);
/* Destroys these descriptors. */
void cdn_legacy_drop(struct anydnn_plugin_plan *plan);
/* Runs the call. `workspace` has plan->legacy_workspace bytes. */
int32_t cdn_legacy_run(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                       void *workspace);

#endif
