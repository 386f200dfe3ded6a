/* SPDX-License-Identifier: Apache-2.0 */
/* Lists all ways to run a problem: kernels on the operands themselves, and kernels on copies in
 * other layouts. The expected time includes the copies. */
#include "offer.h"

#include <stdlib.h>

/* The most bytes of partial sums. */
#define PARTIALS_MAX (INT64_C(1) << 30)
/* The choices that are tried per layout. */
#define CHOICES 8
/* The number of images for which batch-invariant offers are chosen. */
#define FIXED_IMAGES 32

#define BITS_OF(engine) ((engine) >> TC_LAYOUT_SHIFT)
#define REST_OF(engine) ((engine) & ((UINT64_C(1) << TC_LAYOUT_SHIFT) - 1))

static int64_t partials_of(const struct tc_layout *layout, const struct tc_choice *choice)
{
    const struct conv *conv = &layout->conv;

    if (!layout->through_workspace)
        return choice->workspace;
    return choice->splits * conv->groups * conv->classes * choice->m * conv->n *
           (int64_t)sizeof(float);
}

/* Returns 1 if a layout is useful to a kernel. A kernel that loads single elements gains nothing
 * by a copy. Pixels serve only TC_LOAD_OWN kernels, and K-major filters only TMA kernels. TMA
 * kernels store no partial sums of an inner problem. */
static int has_use(const struct tc_layout *layout, const struct tc_kernel *kernel)
{
    if (layout->bits == 0)
        return 1;
    if (layout->through_workspace && kernel->load == TC_LOAD_TMA)
        return 0;
    if (layout->bits & TC_LAYOUT_B_K_MAJOR)
        return kernel->load == TC_LOAD_TMA;
    return kernel->load == TC_LOAD_OWN ||
           (kernel->load != TC_LOAD_ELEMENTS && !(layout->bits & TC_LAYOUT_PIXELS));
}

/* Makes the offer of a choice on a layout. Returns 0 if there is none. Listed offers and offers
 * requested by number are both made here. */
static int make(struct tc_offer *offer, const struct tc_layout *layout,
                const struct tc_choice *choice, const struct tc_target *target)
{
    int32_t copies = !!(layout->bits & TC_LAYOUT_A) + !!(layout->bits & TC_LAYOUT_B);
    int64_t partials = partials_of(layout, choice);

    if (!has_use(layout, choice->kernel) || partials > PARTIALS_MAX)
        return 0;
    *offer = (struct tc_offer){.choice = *choice,
                               .engine = choice->engine | (uint64_t)layout->bits << TC_LAYOUT_SHIFT,
                               .bits = layout->bits,
                               .partials_at = partials > 0 ? layout->a_bytes + layout->b_bytes : -1,
                               .workspace = partials + layout->a_bytes + layout->b_bytes,
                               .is_batch_invariant = !conv_is_wgrad(&layout->conv) && partials == 0,
                               .expected_us = choice->expected_us};
    if (copies > 0)
        offer->expected_us += tc_memory_us(target, copies, tc_layout_traffic(layout));
    if (partials > choice->workspace)
        offer->expected_us += tc_memory_us(target, 1, 2 * (double)partials);
    return 1;
}

/* Makes the layout with these bits, and the target of its kernels. Returns 0 if the layout is
 * not a candidate. */
static int lay_out(struct tc_layout *layout, struct tc_target *laid_out, const struct conv *conv,
                   const struct tc_target *target, uint64_t bits)
{
    int32_t candidates[TC_LAYOUTS], count = tc_layout_candidates(conv, target->type, candidates);
    int32_t at = 0;

    *laid_out = *target;
    *layout = (struct tc_layout){.conv = *conv};
    if (bits == 0)
        return 1;
    while (at < count && (uint64_t)candidates[at] != bits)
        at++;
    laid_out->by_16 = 1;
    return at < count && tc_layout_make(layout, conv, target->type, candidates[at]);
}

int tc_offer_of(const struct conv *conv, const struct tc_target *target, uint64_t engine,
                struct tc_offer *offer, struct tc_layout *layout)
{
    struct tc_target laid_out;
    struct tc_choice choice;

    return lay_out(layout, &laid_out, conv, target, BITS_OF(engine)) &&
           tc_choice_of(&layout->conv, &laid_out, REST_OF(engine), &choice) &&
           make(offer, layout, &choice, target);
}

/* ------------------------------------------------------------------ all offers */

struct pool {
    struct tc_offer offers[(1 + TC_LAYOUTS) * CUDA_ENGINES_MAX];
    int32_t count;
};

/* Compares offers, best first. The engine number decides between equal times, so that the order
 * does not depend on the order of collection. */
static int compare(const void *a, const void *b)
{
    const struct tc_offer *first = a, *second = b;

    if (first->expected_us != second->expected_us)
        return first->expected_us < second->expected_us ? -1 : 1;
    return first->engine < second->engine ? -1 : first->engine > second->engine;
}

static void collect(struct pool *pool, const struct tc_layout *layout,
                    const struct tc_target *target, int32_t most)
{
    struct tc_choice choices[CUDA_ENGINES_MAX];
    int32_t found = tc_choose(&layout->conv, target, choices, CUDA_ENGINES_MAX);

    for (int32_t i = 0; i < found && most > 0; i++) {
        if (make(&pool->offers[pool->count], layout, &choices[i], target)) {
            pool->count++;
            most--;
        }
    }
}

/* The needs that the list must meet: an offer without workspace, one that also takes unaligned
 * operands, and one that takes unaligned operands. Unaligned operands are aligned only to their
 * elements. */
enum { FREE, FREE_UNALIGNED, UNALIGNED, NEEDS };

static int meets(const struct tc_offer *offer, int32_t need)
{
    int unaligned = offer->choice.kernel->load == TC_LOAD_ELEMENTS ||
                    (offer->choice.kernel->load != TC_LOAD_TMA && offer->bits & TC_LAYOUT_A &&
                     offer->bits & TC_LAYOUT_B);

    return (need == UNALIGNED || offer->workspace == 0) && (need == FREE || unaligned);
}

/* Adds the best offer that meets a need, unless it is listed. If the list is full, it replaces
 * one at the end. */
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

/* Fills the pool with the offers of all layouts, best first. */
static void fill(struct pool *pool, const struct conv *conv, const struct tc_target *target)
{
    struct tc_target laid_out = *target;
    struct tc_layout layout = {.conv = *conv};
    int32_t bits[TC_LAYOUTS], layouts = tc_layout_candidates(conv, target->type, bits);

    laid_out.by_16 = 1;
    pool->count = 0;
    collect(pool, &layout, target, CUDA_ENGINES_MAX);
    for (int32_t i = 0; i < layouts; i++) {
        if (tc_layout_make(&layout, conv, target->type, bits[i]))
            collect(pool, &layout, &laid_out, CHOICES);
    }
    qsort(pool->offers, (size_t)pool->count, sizeof pool->offers[0], compare);
}

/* Copies the best offers of the pool, and those that meet a need. Returns their number. */
static int32_t list(const struct pool *pool, struct tc_offer *offers, int32_t most)
{
    int32_t count = pool->count < most ? pool->count : most, last = most;

    for (int32_t i = 0; i < count; i++)
        offers[i] = pool->offers[i];
    for (int32_t need = 0; need < NEEDS; need++)
        complete(pool, need, offers, &count, most, &last);
    return count;
}

int32_t tc_offers(const struct conv *conv, const struct tc_target *target, struct tc_offer *offers,
                  int32_t most)
{
    struct pool pool;

    fill(&pool, conv, target);
    return list(&pool, offers, most);
}

/* Returns the elements of an image, from its first one to its last one. */
static int64_t span_of(const struct conv *conv, int is_a)
{
    int64_t channels = conv->groups * (is_a ? conv->channels : conv->n);
    int64_t span = 1 + (channels - 1) * (is_a ? conv->a.step : conv->position.step);

    for (int32_t d = 0; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];

        span += is_a ? (dim->a_extent - 1) * dim->a : (dim->positions - 1) * dim->position;
    }
    return span;
}

/* Returns the geometry with a fixed number of images. Images follow each other without gaps if
 * there was only one, which has no stride. */
static struct conv with_fixed_images(const struct conv *conv)
{
    struct conv fixed = *conv;

    fixed.images = FIXED_IMAGES;
    if (conv->images == 1) {
        fixed.a_image = span_of(conv, 1);
        fixed.position_image = span_of(conv, 0);
    }
    return fixed;
}

int32_t tc_batch_invariant_offers(const struct conv *conv, const struct tc_target *target,
                                  struct tc_offer *offers, int32_t most)
{
    struct conv fixed = with_fixed_images(conv);
    struct tc_offer chosen[CUDA_ENGINES_MAX];
    struct tc_layout layout;
    int32_t kept = 0, count;
    struct pool pool;

    fill(&pool, &fixed, target);
    for (int32_t i = 0; i < pool.count; i++) {
        if (pool.offers[i].is_batch_invariant)
            pool.offers[kept++] = pool.offers[i];
    }
    pool.count = kept;
    kept = 0;
    count = list(&pool, chosen, most);
    for (int32_t i = 0; i < count; i++)
        kept += tc_offer_of(conv, target, chosen[i].engine, &offers[kept], &layout);
    return kept;
}
