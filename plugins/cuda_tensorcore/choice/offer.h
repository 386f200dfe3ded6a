/* SPDX-License-Identifier: Apache-2.0 */
/* Declares offers: the ways to run a problem, each a kernel on the operands or on copies of
 * them. The list of offers and a plan use the same function, so they agree. It compiles as C and
 * as CUDA C++. */
#ifndef CUDA_TENSORCORE_CHOICE_OFFER_H
#define CUDA_TENSORCORE_CHOICE_OFFER_H

#include "../layout/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tc_offer {
    struct tc_choice choice;
    uint64_t engine;            /* the choice's, with the layout's bits from TC_LAYOUT_SHIFT on */
    int32_t bits;               /* the layout's; 0 means no copies */
    int64_t partials_at;        /* offset of partial sums in the workspace; < 0 if there are none */
    int64_t workspace;          /* bytes of copies and partial sums */
    int32_t is_batch_invariant; /* 1 if the bits of a sample do not depend on the batch */
    double expected_us;         /* includes copies, kernel and reduction */
};

/* Fills `offers`, best first, and returns their number, at most `most`. If kernels permit, one
 * offer needs no workspace, and one also takes operands aligned only to their elements. The best
 * offer for such operands is included, too. */
int32_t tc_offers(const struct conv *conv, const struct tc_target *target, struct tc_offer *offers,
                  int32_t most);

/* Fills `offers` as tc_offers does, but only with batch-invariant offers, which are the same for
 * every number of images. */
int32_t tc_batch_invariant_offers(const struct conv *conv, const struct tc_target *target,
                                  struct tc_offer *offers, int32_t most);

/* Fills in the offer of an engine number, listed or not, and its layout. Returns 0 if the engine
 * cannot run the problem. */
int tc_offer_of(const struct conv *conv, const struct tc_target *target, uint64_t engine,
                struct tc_offer *offer, struct tc_layout *layout);

#ifdef __cplusplus
}
#endif

#endif
