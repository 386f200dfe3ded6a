/* SPDX-License-Identifier: Apache-2.0 */
/* A handle's plan tables. Slots are reclaimed by the clock algorithm (Corbato 1968). */
#include "dispatch/plan/table.h"

#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"

static uint32_t power_of_two(uint32_t least)
{
    uint32_t size = 1;

    while (size < least)
        size *= 2;
    return size;
}

int adn_table_init(struct adn_table *cache, uint32_t capacity)
{
    memset(cache, 0, sizeof(*cache));
    cache->capacity = capacity;
    /* Twice as many keys as plans: several descriptor sets may lead to one plan. */
    cache->key_mask = power_of_two((capacity + 1) / 2 + 1) - 1;
    cache->bucket_mask = power_of_two(capacity * 2) - 1;
    return 0;
}

static int tables_make(struct adn_table *cache)
{
    if (cache->plans)
        return 0;
    cache->plans = calloc(cache->capacity, sizeof(struct adn_plan *));
    cache->buckets = calloc((size_t)cache->bucket_mask + 1, sizeof(cache->buckets[0]));
    cache->keys = calloc(((size_t)cache->key_mask + 1) * ADN_KEY_WAYS, sizeof(cache->keys[0]));
    if (cache->plans && cache->buckets && cache->keys)
        return 0;
    free(cache->plans);
    free(cache->buckets);
    free(cache->keys);
    cache->plans = NULL;
    cache->buckets = NULL;
    cache->keys = NULL;
    return -1;
}

void adn_table_clear_plans(struct adn_table *cache)
{
    for (uint32_t i = 0; cache->plans && i < cache->capacity; i++) {
        struct adn_plan *plan = cache->plans[i];

        cache->plans[i] = NULL;
        adn_plan_release(plan);
    }
    if (cache->plans) {
        memset(cache->buckets, 0, ((size_t)cache->bucket_mask + 1) * sizeof(cache->buckets[0]));
        memset(cache->keys, 0,
               ((size_t)cache->key_mask + 1) * ADN_KEY_WAYS * sizeof(cache->keys[0]));
    }
    cache->count = 0;
}

void adn_table_clear(struct adn_table *cache)
{
    adn_table_clear_plans(cache);
    cache->pin_count = 0;
}

void adn_table_free(struct adn_table *cache)
{
    adn_table_clear(cache);
    free(cache->plans);
    free(cache->buckets);
    free(cache->keys);
    free(cache->pins);
    memset(cache, 0, sizeof(*cache));
}

struct adn_plan *adn_table_find_problem(struct adn_table *cache, const struct adn_problem *problem,
                                        uint64_t hash)
{
    if (!cache->plans)
        return NULL;
    for (uint32_t at = cache->buckets[hash & cache->bucket_mask]; at > 0;) {
        struct adn_plan *plan = cache->plans[at - 1];

        if (plan->hash == hash && adn_problem_equal(&plan->problem, problem))
            return plan;
        at = plan->next;
    }
    return NULL;
}

void adn_table_add_key(struct adn_table *cache, const uint64_t *key, uint32_t words, uint64_t hash,
                       const struct adn_plan *plan)
{
    struct adn_key_entry *set = &cache->keys[(hash >> 32 & cache->key_mask) * ADN_KEY_WAYS];
    struct adn_key_entry *entry = NULL;

    for (int i = 0; i < ADN_KEY_WAYS && !entry; i++) {
        const struct adn_plan *held = set[i].words > 0 ? cache->plans[set[i].slot] : NULL;

        if (!held || held->serial != set[i].serial || adn_table_key_equal(&set[i], key, words))
            entry = &set[i];
    }
    if (!entry)
        entry = &set[cache->key_turn++ % ADN_KEY_WAYS];
    memcpy(entry->key, key, (words + 1) / 2 * 2 * sizeof(key[0]));
    entry->words = words;
    entry->slot = plan->slot;
    entry->serial = plan->serial;
}

void adn_table_remove(struct adn_table *cache, struct adn_plan *plan)
{
    uint32_t *at = &cache->buckets[plan->hash & cache->bucket_mask];

    while (*at != plan->slot + 1)
        at = &cache->plans[*at - 1]->next;
    *at = plan->next;
    cache->plans[plan->slot] = NULL;
    cache->count--;
    adn_plan_release(plan);
}

/* A free slot, or that of the first plan that was not used since the hand passed it last. */
static uint32_t slot_take(struct adn_table *cache, int *evicted)
{
    for (;;) {
        uint32_t slot = cache->hand;
        struct adn_plan *plan = cache->plans[slot];

        cache->hand = (cache->hand + 1) % cache->capacity;
        if (!plan)
            return slot;
        if (cache->count < cache->capacity)
            continue;
        if (!plan->used) {
            adn_table_remove(cache, plan);
            *evicted = 1;
            return slot;
        }
        plan->used = 0;
    }
}

int adn_table_add_plan(struct adn_table *cache, struct adn_plan *plan)
{
    int evicted = 0;

    if (tables_make(cache) != 0)
        return -1;
    plan->slot = slot_take(cache, &evicted);
    plan->used = 0;
    plan->next = cache->buckets[plan->hash & cache->bucket_mask];
    cache->buckets[plan->hash & cache->bucket_mask] = plan->slot + 1;
    cache->plans[plan->slot] = plan;
    cache->count++;
    return evicted;
}

static struct adn_pin *pin_of_equal(struct adn_table *cache, const struct adn_problem *problem,
                                    uint64_t hash)
{
    for (uint32_t i = 0; i < cache->pin_count; i++)
        if (cache->pins[i].hash == hash && adn_problem_equal(&cache->pins[i].problem, problem))
            return &cache->pins[i];
    return NULL;
}

static struct adn_pin *pin_of_kin(struct adn_table *cache, const struct adn_problem *problem)
{
    struct adn_problem broad, other;
    uint64_t hash;

    if (cache->pin_count == 0 || !adn_problem_broaden(problem, &broad))
        return NULL;
    hash = adn_problem_hash(&broad);
    for (uint32_t i = 0; i < cache->pin_count; i++)
        if (cache->pins[i].broad_hash == hash &&
            adn_problem_broaden(&cache->pins[i].problem, &other) &&
            adn_problem_equal(&other, &broad))
            return &cache->pins[i];
    return NULL;
}

const struct adn_pin *adn_table_find_pin(struct adn_table *cache, const struct adn_problem *problem,
                                         uint64_t hash)
{
    struct adn_pin *pin = pin_of_equal(cache, problem, hash);

    if (!pin)
        pin = pin_of_kin(cache, problem);
    if (pin)
        pin->used = 1;
    return pin;
}

int adn_table_add_pin(struct adn_table *cache, const struct adn_problem *problem, uint64_t hash,
                      int32_t backend, uint64_t engine, int32_t searched)
{
    struct adn_pin *pin = pin_of_equal(cache, problem, hash);
    struct adn_problem broad;
    int dropped = 0;

    if (!cache->pins && !(cache->pins = malloc(cache->capacity * sizeof(cache->pins[0]))))
        return -1;
    if (pin && pin->backend == backend && pin->engine == engine)
        searched |= pin->searched;
    if (!pin && cache->pin_count < cache->capacity)
        pin = &cache->pins[cache->pin_count++];
    while (!pin) {
        struct adn_pin *next = &cache->pins[cache->pin_hand];

        cache->pin_hand = (cache->pin_hand + 1) % cache->capacity;
        if (!next->used)
            pin = next;
        next->used = 0;
        dropped = 1;
    }
    adn_problem_copy(&pin->problem, problem);
    pin->hash = hash;
    pin->broad_hash = adn_problem_broaden(problem, &broad) ? adn_problem_hash(&broad) : 0;
    pin->backend = backend;
    pin->engine = engine;
    pin->searched = searched;
    pin->used = 0;
    return dropped;
}
