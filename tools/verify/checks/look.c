/* SPDX-License-Identifier: Apache-2.0 */
/* Checks memory after a run: only outputs have changed, and they are right. */
#include "tools/verify/checks/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/element.h"
#include "judge/places.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/problem.h"
#include "problem/unread.h"

/* ---- unchanged memory */

static int is_written(const struct adn_subject *subject, int slot)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (adn_subject_has(subject, i) && adn_subject_is_out(subject, i) &&
            adn_problem_home(&subject->problem, i) == slot)
            return 1;
    return 0;
}

/* Copies the elements of an output into the image, so that the bytes between them can be
 * compared. */
static void take_elements(const struct verify_run *run, const struct adn_subject *subject, int slot,
                          unsigned char *image)
{
    const struct anydnn_plugin_tensor *tensor = &run->problem->tensor[slot];
    const struct verify_block *block = &run->block[slot];
    struct adn_places places;

    adn_places_begin(&places, tensor);
    for (int64_t i = 0; i < subject->slot[slot].count; i++) {
        memcpy(image + block->at + places.at, block->back + block->at + places.at, places.size);
        adn_places_next(&places);
    }
}

static int tell_touched(const struct verify_block *block, size_t place, int written,
                        const char *role, struct verify_finding *finding)
{
    long long at = (long long)place - (long long)block->at;

    if (at < 0)
        return verify_note(finding, "bounds", "it writes %lld bytes before %s", -at, role);
    if (at >= (long long)block->bytes)
        return verify_note(finding, "bounds", "it writes %lld bytes past the end of %s",
                           at - (long long)block->bytes + 1, role);
    if (written)
        return verify_note(finding, "gaps",
                           "it writes to a gap between the elements of %s, at byte %lld", role, at);
    return verify_note(finding, "inputs", "it writes to %s, an input, at byte %lld", role, at);
}

static int check_block(const struct verify_run *run, const struct adn_subject *subject, int slot,
                       struct verify_finding *finding)
{
    const struct verify_block *block = &run->block[slot];
    int written = is_written(subject, slot);
    unsigned char *image;
    size_t place = 0;

    if (memcmp(block->image, block->back, block->total) == 0)
        return 0;
    image = tool_alloc(block->total);
    memcpy(image, block->image, block->total);
    if (written)
        take_elements(run, subject, slot, image);
    if (memcmp(image, block->back, block->total) != 0)
        while (image[place] == block->back[place])
            place++;
    else
        place = block->total;
    free(image);
    return place == block->total
               ? 0
               : tell_touched(block, place, written, subject->info->slot[slot].role, finding);
}

static int check_workspace(const struct verify_run *run, struct verify_finding *finding)
{
    const struct verify_block *block = &run->workspace;
    size_t end = block->at + block->bytes;
    size_t place = 0;

    if (memcmp(block->image, block->back, block->at) == 0 &&
        memcmp(block->image + end, block->back + end, block->total - end) == 0)
        return 0;
    while (block->image[place] == block->back[place] || (place >= block->at && place < end))
        place++;
    return verify_note(finding, "workspace",
                       "it writes to the workspace at byte %lld; it had reported a need of %" PRIu64
                       " bytes",
                       (long long)place - (long long)block->at, run->candidate->workspace);
}

int verify_run_untouched(const struct verify_run *run, const struct adn_subject *subject,
                         struct verify_finding *finding)
{
    if (check_workspace(run, finding) != 0)
        return -1;
    for (int i = 0; i < ADN_SLOTS; i++)
        if (run->block[i].total > 0 && check_block(run, subject, i, finding) != 0)
            return -1;
    return 0;
}

/* ---- repeated runs */

void verify_keep(const struct verify_run *run, unsigned char *kept[ADN_SLOTS])
{
    for (int i = 0; i < ADN_SLOTS; i++) {
        kept[i] = NULL;
        if (run->block[i].total == 0)
            continue;
        kept[i] = tool_alloc(run->block[i].total);
        memcpy(kept[i], run->block[i].back, run->block[i].total);
    }
}

const char *verify_differs(const struct verify_run *run, const struct adn_subject *subject,
                           unsigned char *const kept[ADN_SLOTS])
{
    for (int i = 0; i < subject->info->slot_count; i++) {
        const char *role = subject->info->slot[i].role;

        if (kept[i] != NULL && strcmp(role, "temp") != 0 && strcmp(role, "temp2") != 0 &&
            memcmp(kept[i], run->block[i].back, run->block[i].total) != 0)
            return role;
    }
    return NULL;
}

void verify_kept_free(unsigned char *kept[ADN_SLOTS])
{
    for (int i = 0; i < ADN_SLOTS; i++)
        free(kept[i]);
}

/* ---- the outputs */

static struct adn_method method_of(const struct verify_run *run)
{
    return (struct adn_method){run->candidate->math, run->candidate->notes};
}

void verify_each_element(const struct verify_run *run, const struct adn_subject *subject, int slot,
                         void (*each)(void *cookie, const struct adn_judged *element), void *cookie)
{
    const struct anydnn_plugin_tensor *tensor = &run->problem->tensor[slot];
    const struct adn_subject_slot *at = &subject->slot[slot];
    const struct adn_method method = method_of(run);
    const struct verify_block *block = &run->block[adn_problem_home(run->problem, slot)];
    struct adn_places places;
    struct adn_judged now;

    adn_places_begin(&places, tensor);
    adn_subject_bound(subject, slot, &method, &now.bound);
    for (int64_t i = 0; i < at->count; i++) {
        now.at = i;
        now.got = adn_element_load(tensor->type, block->back + block->at + places.at);
        adn_judged_fill(subject, slot, &method, &now);
        each(cookie, &now);
        adn_places_next(&places);
    }
}

struct judgement {
    struct adn_measure measure;
    struct adn_judged first; /* wrong elements */
    int64_t wrong;
};

static void take_element(void *cookie, const struct adn_judged *element)
{
    struct judgement *judgement = cookie;

    adn_measure_add(&judgement->measure, element->bound.type, element->got, element->want);
    if (!element->right && judgement->wrong++ == 0)
        judgement->first = *element;
}

static int check_slot(const struct verify_run *run, const struct adn_subject *subject, int slot,
                      struct verify_finding *finding)
{
    const struct anydnn_plugin_tensor *tensor = &run->problem->tensor[slot];
    const struct adn_method method = method_of(run);
    int exact = adn_subject_is_exact(subject, slot);
    struct judgement judgement = {.wrong = 0};
    char place[160];

    adn_measure_begin(&judgement.measure);
    verify_each_element(run, subject, slot, take_element, &judgement);
    if (adn_method_is_transform(&method) && judgement.measure.mismatches == 0 &&
        adn_measure_relative_l2(&judgement.measure) <= adn_subject_transform_limit(subject, slot))
        return 0;
    if (judgement.wrong == 0)
        return 0;
    adn_index_text(tensor, judgement.first.at, place, sizeof(place));
    return verify_note(finding, "result",
                       "%s: %lld of %lld elements are wrong; [%s] is %.9g, %s is %.9g (%s; "
                       "relative L2 error %.3g)",
                       subject->info->slot[slot].role, (long long)judgement.wrong,
                       (long long)subject->slot[slot].count, place, judgement.first.got,
                       exact ? "the only right value" : "the right value",
                       exact ? adn_type_round(tensor->type, judgement.first.want)
                             : judgement.first.want,
                       exact                              ? "exact in any order of summation"
                       : adn_method_is_transform(&method) ? "transform algorithm"
                                                          : "the error exceeds the rounding bound",
                       adn_measure_relative_l2(&judgement.measure));
}

int verify_run_right(const struct verify_run *run, const struct adn_subject *subject,
                     struct verify_finding *finding)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (adn_subject_has(subject, i) && subject->slot[i].compared &&
            subject->slot[i].want != NULL && check_slot(run, subject, i, finding) != 0)
            return -1;
    return 0;
}
