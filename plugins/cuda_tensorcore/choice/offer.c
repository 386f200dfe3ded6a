/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to run a problem: kernels on the operands as they are, and on arrangements of them, with
 * the time of the copies counted. */
#include "../layout/layout.h"

#include <stdlib.h>

/* Partial sums take no more bytes than this. */
#define PARTS_MAX (INT64_C(1) << 30)
/* Choices that an arrangement is tried with. */
#define CHOICES 8

#define BITS_OF(engine) ((engine) >> TC_ARRANGE_SHIFT)
#define REST_OF(engine) ((engine) & ((UINT64_C(1) << TC_ARRANGE_SHIFT) - 1))

static int64_t parts_of(const struct tc_arrangement *arrangement, const struct tc_choice *choice)
{
    const struct conv *conv = &arrangement->conv;

    if (!arrangement->by_parts)
        return choice->workspace;
    return choice->splits * conv->groups * conv->classes * choice->rows * conv->columns *
           (int64_t)sizeof(float);
}

/* Fills an offer; 0 if it takes too much memory. */
static int make(struct tc_offer *offer, const struct tc_arrangement *arrangement,
                const struct tc_choice *choice, const struct tc_wish *wish)
{
    int32_t copies =
        !!(arrangement->bits & TC_ARRANGE_X) + !!(arrangement->bits & TC_ARRANGE_OTHER);
    int64_t parts = parts_of(arrangement, choice);

    *offer = (struct tc_offer){
        .choice = *choice,
        .engine = choice->engine | (uint64_t)arrangement->bits << TC_ARRANGE_SHIFT,
        .bits = arrangement->bits,
        .parts_at = parts > 0 ? arrangement->x_bytes + arrangement->other_bytes : -1,
        .workspace = parts + arrangement->x_bytes + arrangement->other_bytes,
        .expected_us = choice->expected_us};
    if (copies > 0)
        offer->expected_us += tc_memory_us(wish, copies, tc_arrange_traffic(arrangement));
    if (parts > choice->workspace)
        offer->expected_us += tc_memory_us(wish, 1, 2 * (double)parts);
    return parts <= PARTS_MAX && (!arrangement->by_parts || choice->kernel->how != TC_BY_MAP);
}

/* Kernels that go element by element have no use for a copy; pixels are for those that read in a
 * way of their own, terms for those by maps. */
static int has_use(const struct tc_kernel *kernel, int32_t bits)
{
    if (bits & TC_ARRANGE_TERMS)
        return kernel->how == TC_BY_MAP;
    return kernel->how == TC_BY_ITSELF ||
           (kernel->how != TC_BY_ELEMENT && !(bits & TC_ARRANGE_PIXELS));
}

int tc_offer_of(const struct conv *conv, const struct tc_wish *wish, uint64_t engine,
                struct tc_offer *offer, struct tc_arrangement *arrangement)
{
    struct tc_wish arranged = *wish;
    int32_t bits[TC_ARRANGEMENTS], count = tc_arrangements(conv, wish->type, bits), at = 0;
    struct tc_choice choice;

    if (BITS_OF(engine) == 0) {
        *arrangement = (struct tc_arrangement){.conv = *conv};
    } else {
        while (at < count && (uint64_t)bits[at] != BITS_OF(engine))
            at++;
        if (at == count || !tc_arrange(arrangement, conv, wish->type, bits[at]))
            return 0;
        arranged.by_16 = 1;
    }
    return tc_choice_of(&arrangement->conv, &arranged, REST_OF(engine), &choice) &&
           (BITS_OF(engine) == 0 || has_use(choice.kernel, arrangement->bits)) &&
           make(offer, arrangement, &choice, wish);
}

/* ------------------------------------------------------------------ all of them */

struct pool {
    struct tc_offer offers[(1 + TC_ARRANGEMENTS) * CUDA_ENGINES_MAX];
    int32_t count;
};

/* Best first; which comes first of equal ones does not depend on the order that they came in. */
static int compare(const void *a, const void *b)
{
    const struct tc_offer *one = a, *other = b;

    if (one->expected_us != other->expected_us)
        return one->expected_us < other->expected_us ? -1 : 1;
    return one->engine < other->engine ? -1 : one->engine > other->engine;
}

static void gather(struct pool *pool, const struct tc_arrangement *arrangement,
                   const struct tc_wish *wish, int32_t most)
{
    struct tc_choice choices[CUDA_ENGINES_MAX];
    int32_t found = tc_choose(&arrangement->conv, wish, choices, CUDA_ENGINES_MAX);

    for (int32_t i = 0; i < found && most > 0; i++) {
        if (arrangement->bits && !has_use(choices[i].kernel, arrangement->bits))
            continue;
        if (make(&pool->offers[pool->count], arrangement, &choices[i], wish)) {
            pool->count++;
            most--;
        }
    }
}

/* What has to be among the offers: without workspace, the same for operands aligned to their
 * elements, and the best for such operands. */
enum { FREE, FREE_UNALIGNED, UNALIGNED, NEEDS };

static int meets(const struct tc_offer *offer, int32_t need)
{
    int unaligned = offer->choice.kernel->how == TC_BY_ELEMENT ||
                    (offer->choice.kernel->how != TC_BY_MAP && offer->bits & TC_ARRANGE_X &&
                     offer->bits & TC_ARRANGE_OTHER);

    return (need == UNALIGNED || offer->workspace == 0) && (need == FREE || unaligned);
}

/* Puts the best that meets a need into the place of the last, if it is not among those kept. */
static void complete(const struct pool *pool, int32_t need, struct tc_offer *offers, int32_t *count,
                     int32_t most, int32_t *last)
{
    int32_t best = 0, at = 0;

    while (best < pool->count && !meets(&pool->offers[best], need))
        best++;
    if (best == pool->count)
        return;
    while (at < *count && offers[at].engine != pool->offers[best].engine)
        at++;
    if (at == *count)
        offers[*count < most ? (*count)++ : --*last] = pool->offers[best];
}

int32_t tc_offers(const struct conv *conv, const struct tc_wish *wish, struct tc_offer *offers,
                  int32_t most)
{
    struct tc_wish arranged = *wish;
    struct tc_arrangement arrangement = {.conv = *conv};
    int32_t bits[TC_ARRANGEMENTS], arrangements = tc_arrangements(conv, wish->type, bits);
    int32_t count, last = most;
    struct pool pool = {.count = 0};

    arranged.by_16 = 1;
    gather(&pool, &arrangement, wish, CUDA_ENGINES_MAX);
    for (int32_t i = 0; i < arrangements; i++) {
        if (tc_arrange(&arrangement, conv, wish->type, bits[i]))
            gather(&pool, &arrangement, &arranged, CHOICES);
    }
    qsort(pool.offers, (size_t)pool.count, sizeof pool.offers[0], compare);
    count = pool.count < most ? pool.count : most;
    for (int32_t i = 0; i < count; i++)
        offers[i] = pool.offers[i];
    for (int32_t need = 0; need < NEEDS; need++)
        complete(&pool, need, offers, &count, most, &last);
    return count;
}
