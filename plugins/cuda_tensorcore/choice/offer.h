/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offers: the ways to run a problem, each a kernel on the operands as they are or on copies of
 * them. The list of offers and a plan go through the same function, so they agree. C and CUDA C++
 * alike.
 */
#ifndef CUDA_TENSORCORE_CHOICE_OFFER_H
#define CUDA_TENSORCORE_CHOICE_OFFER_H

#include "../layout/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tc_offer {
    struct tc_choice choice;
    uint64_t engine;     /* of the choice, with the layout's bits from TC_LAYOUT_SHIFT on */
    int32_t bits;        /* of the layout; 0: operands as they are */
    int64_t partials_at; /* where partial sums begin in the workspace; < 0: there are none */
    int64_t workspace;   /* bytes of copies and partial sums */
    double expected_us;  /* of copies, kernel and reduction */
};

/* Fills `offers`, best first, and returns how many there are, at most `most`. One needs no
 * workspace, one takes operands aligned to their elements and no workspace, and one is the best of
 * those that take such operands, unless no kernel does. */
int32_t tc_offers(const struct conv *conv, const struct tc_target *target, struct tc_offer *offers,
                  int32_t most);

/* Fills the offer that bears an engine number, listed or not, and its layout. Returns 0 where the
 * engine cannot run the problem. */
int tc_offer_of(const struct conv *conv, const struct tc_target *target, uint64_t engine,
                struct tc_offer *offer, struct tc_layout *layout);

#ifdef __cplusplus
}
#endif

#endif
