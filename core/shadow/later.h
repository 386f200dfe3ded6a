/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampled calls on a device that copies without a wait. What a call reads is copied to memory of
 * the host in the order of the call's stream, then the call runs, then its outputs are copied,
 * before the application's next call can change them. The stream waits for these copies alone, the
 * host for nothing. Last, a sign is copied: once it is seen, a later call gives the verdict without
 * waiting. Who asks for it sooner waits for the call's marks, never for its stream, which the
 * application may have destroyed. All verdicts are given in the thread that uses the handle, so
 * callbacks come to the application in its own threads, and a child after fork() misses no thread.
 */
#ifndef ADN_SHADOW_LATER_H
#define ADN_SHADOW_LATER_H

#include <stddef.h>

#include "shadow/parts.h"

/* What is copied behind a call's outputs. */
#define ADN_SIGN UINT64_C(0x0101010101010101)
/* The offset of what is not copied. */
#define ADN_NOWHERE SIZE_MAX

/* What a device copies to without a wait. */
struct adn_block {
    struct adn_block *next;
    unsigned char *memory; /* the space's, of the host */
    uint64_t bytes;
    void *mark[4]; /* before and behind the copies of what is read, and of the outputs */
};

/* A call whose verdict is not there yet. */
struct adn_later {
    struct adn_later *next;
    struct adn_plan *plan; /* held */
    struct adn_pass pass;
    struct adn_block *block;
    size_t before[ADN_SLOTS], after[ADN_SLOTS]; /* in the block's memory */
    size_t sign;
};

/* ---- block.c */

/* Whether the space may still be called for what it gave. */
int adn_backlog_is_reachable(const struct adn_watch *watch);
struct adn_block *adn_block_make(struct adn_watch *watch, uint64_t bytes);
/* The smallest spare one that is large enough, or NULL. */
struct adn_block *adn_block_take(struct adn_backlog *backlog, uint64_t bytes);
void adn_block_put(struct adn_block **list, struct adn_block *block);
void adn_blocks_free(struct adn_watch *watch, struct adn_block **list);

/* ---- verdict.c */

/* Frees a call that has its verdict, or gets none; the block is not its own any more. */
void adn_later_free(struct adn_later *later);
void adn_later_add(struct adn_backlog *backlog, struct adn_later *later);
/* Waits for the copies of the oldest call, and gives it its verdict. */
void adn_later_give(struct adn_watch *watch);
/* What a parent had under way is its own: a child can reach none of it. */
void adn_later_forget_parents(struct adn_watch *watch);
/* Whether the application captures the stream: no mark can be set then, and what a verdict takes
 * could end the capture. */
int adn_later_is_captured(struct adn_watch *watch, void *stream);

#endif
