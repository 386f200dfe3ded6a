/* SPDX-License-Identifier: Apache-2.0 */
/* Complete copies of the host's structures, in the sizes of the plugin.h that the backend was built
 * with. It also declares the answers to a query whether the backend can run a problem. */
#ifndef KIT_PROBLEM_H
#define KIT_PROBLEM_H

#include "host.h"
#include "names.h"
#include "params.h"
#include "slots.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ copies */

/* The structures that a copied problem points to. A plan that keeps a problem holds one of these.
 */
struct kit_copies {
    struct anydnn_plugin_tensor tensor[ANYDNN_PLUGIN_OPERAND_MAX];
    union kit_params params;
};

/* Copies the problem `from` to `copy`, with its tensors and parameters in `copies`. Members that
 * the host does not know are 0, and absent operands have no bit in `present`. The chain of
 * extensions still belongs to the host, so a backend that keeps the problem must clear that member.
 */
void kit_copy_problem(struct anydnn_plugin_problem *copy, struct kit_copies *copies,
                      const struct anydnn_plugin_problem *from);

/* Returns `operands`, or `whole`, filled from the shorter structure of an older host. */
const struct anydnn_plugin_operands *
kit_whole_operands(const struct anydnn_plugin_operands *operands,
                   struct anydnn_plugin_operands *whole);

/* ------------------------------------------------------------------ answers */

/* The reason why a problem is declined. */
struct kit_refusal {
    int32_t reason; /* ANYDNN_PLUGIN_REASON_xxx */
    char sentence[700];
};

/* Fills in `why` and returns the reason, so that a check can end with `return kit_refuse(...)`. */
int32_t kit_refuse(struct kit_refusal *why, int32_t reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks the problem for a backend that knows no extensions. Returns 0, or the reason if an
 * extension must be understood. */
int32_t kit_check_extensions(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);

/* Offers the single answer of a backend that declines. */
void kit_offer_refusal(const struct kit_refusal *why, anydnn_plugin_offer_fn offer, void *cookie);

/* Offers candidates, best first, under the convolution algorithms whose bits are set in
 * `algorithms`. All of them are offered under `first`, so that each is tried and timed once. The
 * other numbers get the best candidate and the best one without workspace. With no bit set the
 * candidates have no algorithm number. */
void kit_offer(struct anydnn_plugin_candidate *candidates, int32_t count, int32_t algorithms,
               int32_t first, anydnn_plugin_offer_fn offer, void *cookie);

#ifdef __cplusplus
}
#endif

#endif
