/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution's execution plans: one for the usual factors, one for others once they are met. */
#ifndef CDN_KERNELS_H
#define CDN_KERNELS_H

#include "engines.h"

/* Sets of pointers that a plan remembers. */
#define CDN_PACKS 4
/* Operands of a convolution, fused or not. */
#define CDN_CONVOLUTION_SLOTS 5

/* cuDNN's variant pack for one set of pointers. */
struct cdn_pack {
    void *data[CDN_CONVOLUTION_SLOTS];
    void *workspace;
    cudnnBackendDescriptor_t pack; /* NULL: none yet */
};

struct cdn_variant {
    struct cdn_parts parts;             /* the graph of other factors */
    cudnnBackendDescriptor_t execution; /* NULL: none yet */
    uint64_t workspace;
    struct cdn_factors factors;
    struct cdn_pack pack[CDN_PACKS];
    int32_t next; /* the pack that goes when another is needed */
};

struct cdn_plan_kernels {
    struct cdn_list *list; /* held */
    struct cdn_engine engine;
    struct cdn_variant usual, other;
    int32_t one_factor_set;              /* the engine takes no other factors */
    int32_t has_legacy;                  /* descriptors of the older call were made */
    struct anydnn_plugin_plan *by_float; /* for other factors; NULL: none yet */
};

/* The variant pack of these pointers, remembered or new; a finalized one cannot be changed. */
cudnnStatus_t cdn_pack_of(const struct anydnn_plugin_plan *plan, struct cdn_variant *variant,
                          const struct cdn_pack *wanted, cudnnBackendDescriptor_t *pack);
void cdn_packs_destroy(struct cdn_variant *variant);

/* For the plan's engine number. 0, or a reason. */
int32_t cdn_kernels_make(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
int32_t cdn_kernels_run(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
void cdn_kernels_destroy(struct cdn_plan_kernels *kernels);

/* By one variant's execution plan; to `output` where that is not NULL. */
int32_t cdn_execute(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                    struct cdn_variant *variant, void *output, void *workspace);
void cdn_variant_destroy(struct cdn_variant *variant);

/* With other factors (factors.c): by the plan that has them in it, by a new one, and of the fused
 * operation. */
int32_t cdn_run_other(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
int32_t cdn_run_new_factors(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
int32_t cdn_run_fused(struct anydnn_plugin_plan *plan, const struct cdn_call *call);

#endif
