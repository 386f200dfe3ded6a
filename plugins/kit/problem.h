/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of what the host hands over, complete in the sense of the plugin.h that the backend is
 * built with; and the answers to the question whether it can run a problem. */
#ifndef KIT_PROBLEM_H
#define KIT_PROBLEM_H

#include "host.h"
#include "names.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ copies */

/* What a copied problem points to: a plan that keeps a problem holds one of each. */
struct kit_copies {
    struct anydnn_plugin_tensor tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    union kit_params params;
};

/* Makes `copy` the problem `from` with its tensors and parameters in `copies`; what the host did
 * not know of is 0, absent operands have no bit in `present`. The chain of extensions stays the
 * host's: who keeps a problem clears the member. */
void kit_copy_problem(struct anydnn_plugin_problem *copy, struct kit_copies *copies,
                      const struct anydnn_plugin_problem *from);

/* `operands`, or `whole` filled from an older host's shorter form. */
const struct anydnn_plugin_operands *
kit_whole_operands(const struct anydnn_plugin_operands *operands,
                   struct anydnn_plugin_operands *whole);

/* ------------------------------------------------------------------ answers */

/* Why a problem is declined. */
struct kit_refusal {
    int32_t reason; /* ANYDNN_PLUGIN_REASON_xxx */
    char sentence[700];
};

/* Fills `why` and returns the reason, so that a check can end with `return kit_refuse(...)`. */
int32_t kit_refuse(struct kit_refusal *why, int32_t reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0, or the reason: of a backend that knows no extension, one that must be understood. */
int32_t kit_check_extensions(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);

/* The one answer of a backend that declines. */
void kit_offer_refusal(const struct kit_refusal *why, anydnn_plugin_offer_fn offer, void *cookie);

/* Offers candidates, best first, under the numbers of convolution's algorithms that are set as bits
 * in `algorithms`; under `first` all of them, so that each is tried and timed once, and under the
 * others the best, and the best without workspace. With no bit set they are offered as of none. */
void kit_offer(struct anydnn_plugin_candidate *candidates, int32_t count, int32_t algorithms,
               int32_t first, anydnn_plugin_offer_fn offer, void *cookie);

#ifdef __cplusplus
}
#endif

#endif
