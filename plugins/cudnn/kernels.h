/* SPDX-License-Identifier: Apache-2.0 */
/* Declares a convolution's execution plans: one for the usual factors, and one for others once a
 * call needs them. */
#ifndef CDN_KERNELS_H
#define CDN_KERNELS_H

#include "engines.h"

/* The number of pointer sets that a plan remembers. */
#define CDN_PACKS 4
/* The operands of a convolution, fused or not. */
#define CDN_CONVOLUTION_SLOTS 5

/* The slot of the output of a convolution that is not fused, in each direction. */
#define CDN_OUTPUT slot_convolution_forward_y
_Static_assert((int)CDN_OUTPUT == (int)slot_convolution_backward_data_dx &&
                   (int)CDN_OUTPUT == (int)slot_convolution_backward_filter_dw,
               "the outputs of all directions have one slot");

/* A variant pack of cuDNN for one set of pointers. */
struct cdn_pack {
    void *data[CDN_CONVOLUTION_SLOTS];
    void *workspace;
    cudnnBackendDescriptor_t pack; /* NULL if unused */
};

struct cdn_variant {
    struct cdn_parts parts;             /* graph with other factors */
    cudnnBackendDescriptor_t execution; /* NULL if unused */
    uint64_t workspace;
    struct cdn_factors factors;
    struct cdn_pack pack[CDN_PACKS];
    int32_t next; /* pack that is replaced next */
};

struct cdn_plan_kernels {
    struct cdn_list *list; /* the plan is a holder */
    struct cdn_engine engine;
    struct cdn_variant usual, other;
    int32_t one_factor_set;              /* 1 if the engine supports no other factors */
    int32_t has_legacy;                  /* 1 once the descriptors of the older call exist */
    struct anydnn_plugin_plan *by_float; /* plan for other factors; NULL if unused */
};

/* Returns the variant pack of these pointers, remembered or new. A finalized pack cannot be
 * changed. */
cudnnStatus_t cdn_pack_of(const struct anydnn_plugin_plan *plan, struct cdn_variant *variant,
                          const struct cdn_pack *wanted, cudnnBackendDescriptor_t *pack);
void cdn_packs_destroy(struct cdn_variant *variant);

/* Creates the execution plan of the plan's engine number. Returns 0 or a reason. */
int32_t cdn_kernels_make(struct anydnn_plugin_plan *plan, struct kit_refusal *why);
int32_t cdn_kernels_run(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
void cdn_kernels_destroy(struct cdn_plan_kernels *kernels);

/* Runs one variant's execution plan. The result goes to `output`, unless that is NULL. */
int32_t cdn_execute(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                    struct cdn_variant *variant, void *output, void *workspace);
void cdn_variant_destroy(struct cdn_variant *variant);

/* These functions run other factors (factors.c): with the plan that contains them, with a new plan,
 * or in the fused operation. */
int32_t cdn_run_other(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
int32_t cdn_run_new_factors(struct anydnn_plugin_plan *plan, const struct cdn_call *call);
int32_t cdn_run_fused(struct anydnn_plugin_plan *plan, const struct cdn_call *call);

#endif
