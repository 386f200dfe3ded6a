/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of host memory, to which a device copies without a wait. */
#ifndef ADN_SHADOW_BLOCK_H
#define ADN_SHADOW_BLOCK_H

#include <stdint.h>

/* A block. */
struct adn_block {
    struct adn_block *next;
    unsigned char *memory; /* host memory that the space allocated */
    uint64_t bytes;
    void *mark[4]; /* before and after the copies of inputs, and of outputs */
};

struct adn_later;
struct adn_watch;

/* Sampled calls of a device that have no verdict yet, and the blocks for them. */
struct adn_backlog {
    struct adn_later *first, *last;
    int64_t count;
    struct adn_block *spare; /* for further calls */
    struct adn_block *lost;  /* blocks to which copies may still be under way */
    uint64_t bytes;          /* of all blocks */
    void *sign;              /* on the device; it is copied after the outputs of a call */
    void *probe;             /* a mark, which no stream accepts while it is captured */
    uint64_t fork_number;    /* of the process that made them */
};

/* Returns 1 if the space may still be called for what it allocated. */
int adn_backlog_is_reachable(const struct adn_watch *watch);
/* Makes a block, or returns NULL. */
struct adn_block *adn_block_make(struct adn_watch *watch, uint64_t bytes);
/* Takes the smallest spare block that is large enough, or returns NULL. */
struct adn_block *adn_block_take(struct adn_backlog *backlog, uint64_t bytes);
/* Puts a block into a list. */
void adn_block_put(struct adn_block **list, struct adn_block *block);
/* Frees all blocks of a list. */
void adn_blocks_free(struct adn_watch *watch, struct adn_block **list);

#endif
