/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handle's plans: a bounded set of slots, found by the exact key of a call (stamps of
 * descriptors) or by the problem's value. Pins stand beside it: choices that a query or Find fixed,
 * kept apart from the plans and bounded by the same number.
 */
#ifndef ADN_DISPATCH_PLAN_TABLE_H
#define ADN_DISPATCH_PLAN_TABLE_H

#include "dispatch/plan/call.h"
#include "dispatch/plan/plan.h"
#include "problem/problem.h"

struct adn_key_entry {
    uint64_t key[ADN_KEY_WORDS];
    uint64_t serial; /* of the plan */
    uint32_t words;  /* 0: empty */
    uint32_t slot;
};

struct adn_pin {
    struct adn_problem problem;
    uint64_t hash;
    uint64_t broad_hash; /* of the broadened problem; 0: it has no parameter of that kind */
    uint64_t engine;
    int32_t backend;  /* index in the registry */
    int32_t searched; /* 1: by Get or Find, 0: by a workspace query */
    int32_t used;
};

struct adn_table {
    uint32_t capacity;
    uint32_t count;
    uint32_t hand;
    uint32_t key_mask; /* sets - 1; a set is ADN_KEY_WAYS entries */
    uint32_t key_turn;
    uint32_t bucket_mask;
    struct adn_plan **plans;    /* capacity */
    struct adn_key_entry *keys; /* made at first insertion */
    uint32_t *buckets;          /* slot + 1 */
    struct adn_pin *pins;       /* capacity, made at first pin */
    uint32_t pin_count;
    uint32_t pin_hand;
};

#define ADN_KEY_WAYS 4

/* Takes one more word into a key's hash. The words are stamps, which are small, and packed modes.
 */
static inline uint64_t adn_table_key_mix(uint64_t hash, uint64_t word)
{
    return (hash << 11 | hash >> 53) ^ word;
}

/* Ends a key's hash: the upper half, which the table indexes by, depends on every bit below it. */
static inline uint64_t adn_table_key_end(uint64_t hash)
{
    return (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

int adn_table_init(struct adn_table *cache, uint32_t capacity);
/* Lets go of all plans and pins; the cache stays usable. */
void adn_table_clear(struct adn_table *cache);
/* Lets go of all plans; the pins stay. */
void adn_table_clear_plans(struct adn_table *cache);
void adn_table_free(struct adn_table *cache);

/* Two words of a key. */
typedef uint64_t adn_key_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Word 2, a stamp in most keys, tells nearly all of them apart. Keys are compared in pairs of
 * words: the word after an odd last one is 0 in both. */
static inline int adn_table_key_equal(const struct adn_key_entry *entry, const uint64_t *key,
                                      uint32_t words)
{
    adn_key_pair differs = {0, 0};

    if (entry->key[2] != key[2] || entry->words != words)
        return 0;
    for (uint32_t i = 0; i < words; i += 2)
        differs |= *(const adn_key_pair *)&entry->key[i] ^ *(const adn_key_pair *)&key[i];
    return (differs[0] | differs[1]) == 0;
}

/* The plan of a key whose words' hash is `hash`, or NULL. */
static inline struct adn_plan *adn_table_find_key(const struct adn_table *cache,
                                                  const uint64_t *key, uint32_t words,
                                                  uint64_t hash)
{
    const struct adn_key_entry *set;

    if (!cache->keys)
        return NULL;
    set = &cache->keys[(hash >> 32 & cache->key_mask) * ADN_KEY_WAYS];
    for (int i = 0; i < ADN_KEY_WAYS; i++)
        if (adn_table_key_equal(&set[i], key, words)) {
            struct adn_plan *plan = cache->plans[set[i].slot];

            return plan && plan->serial == set[i].serial ? plan : NULL;
        }
    return NULL;
}

/* The plan of an equal problem, or NULL. */
struct adn_plan *adn_table_find_problem(struct adn_table *cache, const struct adn_problem *problem,
                                        uint64_t hash);

void adn_table_add_key(struct adn_table *cache, const uint64_t *key, uint32_t words, uint64_t hash,
                       const struct adn_plan *plan);
/* Takes over the caller's hold. Returns 1 when a plan was evicted for it. */
int adn_table_add_plan(struct adn_table *cache, struct adn_plan *plan);
/* Lets go of one plan. */
void adn_table_remove(struct adn_table *cache, struct adn_plan *plan);

/* The pin of an equal problem, else of one that differs in what sways no choice
 * (adn_problem_broaden), or NULL. */
const struct adn_pin *adn_table_find_pin(struct adn_table *cache, const struct adn_problem *problem,
                                         uint64_t hash);
/* Returns 1 when another pin was dropped for it, -1 when memory is out. */
int adn_table_add_pin(struct adn_table *cache, const struct adn_problem *problem, uint64_t hash,
                      int32_t backend, uint64_t engine, int32_t searched);

#endif
