/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled calls that wait for a verdict (see later.c). */
#ifndef ADN_SHADOW_VERDICT_H
#define ADN_SHADOW_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/plan/plan.h"
#include "problem/problem.h"
#include "shadow/block.h"
#include "shadow/compare.h"
#include "shadow/watch.h"

/* The bytes that are copied after the outputs of a call. */
#define ADN_SIGN UINT64_C(0x0101010101010101)
/* The offset of an operand that is not copied. */
#define ADN_NOWHERE SIZE_MAX

/* A call without a verdict. */
struct adn_later {
    struct adn_later *next;
    struct adn_plan *plan; /* held */
    struct adn_pass pass;
    struct adn_block *block;
    size_t before[ADN_SLOTS], after[ADN_SLOTS]; /* offsets in the block's memory */
    size_t sign;
};

/* Frees a call that has its verdict, or that is dropped. Its block must belong to a list again. */
void adn_later_free(struct adn_later *later);
/* Appends a call to the backlog. */
void adn_later_add(struct adn_backlog *backlog, struct adn_later *later);
/* Waits for the copies of the oldest call, and gives it its verdict. */
void adn_later_give(struct adn_watch *watch);
/* Drops the calls of the parent after fork(): a child can reach none of their copies. */
void adn_later_forget_parents(struct adn_watch *watch);
/* Returns 1 if the application captures the stream. No mark can be set then, and what a verdict
 * needs could end the capture. */
int adn_later_is_captured(struct adn_watch *watch, void *stream);
/* Gives the oldest call its verdict if its copies have arrived, before a call on `stream`. */
void adn_later_look(struct adn_watch *watch, void *stream);
/* Waits for the copies of all calls, and gives them their verdicts. */
void adn_later_settle(struct adn_watch *watch);
/* Frees the backlog, with calls that have no verdict. */
void adn_later_end(struct adn_watch *watch);

#endif
