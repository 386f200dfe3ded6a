/* SPDX-License-Identifier: Apache-2.0 */
/* Checks batch invariance: the samples of a batch are run in batches of other sizes, at other
 * addresses and in another order, and must get the same bits. */
#include "tools/verify/checks/target.h"

#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "judge/places.h"
#include "judge/subject.h"
#include "problem/batch.h"
#include "problem/operation.h"
#include "problem/unread.h"
#include "tools/common.h"

/* The batches, and the most multiply-adds of the largest one. */
#define LARGE       64
#define SMALL       7
#define LARGE_WORK  0x1p21
#define LARGE_QUICK 0x1p15
#define SMALL_WORK  0x1p22

/* The samples of one run, by their index in the whole batch. */
struct part {
    int count;
    int sample[LARGE];
    enum verify_place place;
    struct adn_problem problem;
    unsigned char *result[ADN_SLOTS]; /* scalars of the outputs in logical order */
};

struct batch {
    const struct verify_trial *trial;
    struct adn_subject whole;
    uint32_t slots; /* that have samples */
};

/* Returns 1 if the output is compared. Scratch operands have no meaning after a run. */
static int is_compared(const struct batch *batch, int slot)
{
    const char *role = batch->whole.info->slot[slot].role;

    return batch->whole.slot[slot].compared && (batch->slots >> slot & 1) &&
           strcmp(role, "temp") != 0 && strcmp(role, "temp2") != 0;
}

/* Returns the bytes of one sample of an output. */
static size_t sample_bytes(const struct batch *batch, int slot)
{
    const struct anydnn_plugin_tensor *tensor = &batch->whole.problem.tensor[slot];
    struct adn_places places;

    adn_places_begin(&places, tensor);
    return (size_t)(batch->whole.slot[slot].count / tensor->dims[0]) * places.size;
}

/* Makes the subject of a part with the samples' numbers. */
static void take_samples(const struct batch *batch, struct part *part, struct adn_subject *subject)
{
    adn_batch_resize(&batch->whole.problem, part->count, &part->problem);
    adn_subject_begin(subject, &part->problem, &batch->whole.values);
    for (int slot = 0; slot < ADN_SLOTS; slot++) {
        const struct adn_subject_slot *from = &batch->whole.slot[slot];
        struct adn_subject_slot *to = &subject->slot[slot];
        int has_batch = (batch->slots >> slot & 1) != 0;
        int count = has_batch ? part->count : 1;
        size_t each = (size_t)(to->count / count);

        if (from->before == NULL || to->count == 0)
            continue;
        to->before = tool_alloc((size_t)to->count * sizeof(double));
        for (int i = 0; i < count; i++)
            memcpy(to->before + (size_t)i * each,
                   from->before + (has_batch ? (size_t)part->sample[i] * each : 0),
                   each * sizeof(double));
    }
}

/* Copies the outputs of a run. */
static void keep_results(const struct batch *batch, const struct verify_run *run, struct part *part)
{
    for (int slot = 0; slot < batch->whole.info->slot_count; slot++) {
        const struct verify_block *block = &run->block[adn_problem_home(&part->problem, slot)];
        struct adn_places places;
        size_t bytes;

        if (!is_compared(batch, slot))
            continue;
        bytes = sample_bytes(batch, slot) * (size_t)part->count;
        part->result[slot] = tool_alloc(bytes);
        adn_places_begin(&places, &part->problem.tensor[slot]);
        for (size_t at = 0; at < bytes; at += places.size) {
            memcpy(part->result[slot] + at, block->back + block->at + places.at, places.size);
            adn_places_next(&places);
        }
    }
}

/* Returns the offer of the engine for the part's problem in the mode, with the note, or NULL. */
static const struct anydnn_plugin_candidate *
offer_for(const struct batch *batch, const struct part *part, struct verify_offers *offers)
{
    struct anydnn_plugin_problem view;

    adn_problem_view(&part->problem, 0, &view);
    view.guarantees = ANYDNN_PLUGIN_GUARANTEE_BATCH_INVARIANT;
    verify_ask(batch->trial->target, batch->trial->target->context, &view, offers);
    for (int i = 0; i < offers->count; i++)
        if (offers->candidate[i].engine == batch->trial->candidate->engine &&
            (offers->candidate[i].notes & ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT))
            return &offers->candidate[i];
    return NULL;
}

/* Runs a part. Returns 1 if its results are known, 0 if the engine does not accept it, or -1 with a
 * finding. */
static int run_part(const struct batch *batch, struct part *part)
{
    struct verify_finding *finding = batch->trial->finding;
    const struct anydnn_plugin_candidate *candidate;
    struct verify_offers *offers = tool_alloc(sizeof(*offers));
    struct adn_subject subject;
    struct verify_run run;
    int result = 0;

    memset(offers, 0, sizeof(*offers));
    take_samples(batch, part, &subject);
    candidate = offer_for(batch, part, offers);
    if (candidate != NULL) {
        result = verify_run_open(&run, batch->trial->target, batch->trial->target->context,
                                 &part->problem, candidate, part->place, NULL, finding);
        if (result == 0)
            result = verify_run_execute(&run, &subject, 0, finding);
        if (result == 0)
            keep_results(batch, &run, part);
        verify_run_close(&run);
        result = result == 0 ? 1 : -1;
    }
    adn_subject_free(&subject);
    free(offers);
    return result;
}

static void free_results(struct part *part)
{
    for (int slot = 0; slot < ADN_SLOTS; slot++)
        free(part->result[slot]);
    memset(part->result, 0, sizeof(part->result));
}

/* Compares the samples of a part with those of the whole batch. */
static int compare(const struct batch *batch, const struct part *part, const struct part *whole)
{
    for (int slot = 0; slot < batch->whole.info->slot_count; slot++) {
        size_t each = part->result[slot] != NULL ? sample_bytes(batch, slot) : 0;

        for (int i = 0; each > 0 && i < part->count; i++)
            if (memcmp(part->result[slot] + (size_t)i * each,
                       whole->result[slot] + (size_t)part->sample[i] * each, each) != 0)
                return verify_note(batch->trial->finding, "batch",
                                   "a sample got other bits in %s in a batch of %d, at place %d, "
                                   "than in a batch of %d, at place %d, but the candidate is noted "
                                   "as batch-invariant",
                                   batch->whole.info->slot[slot].role, part->count, i, whole->count,
                                   part->sample[i]);
    }
    return 0;
}

/* Runs the samples from `first` on, `step` apart, and compares them. */
static int check_part(const struct batch *batch, const struct part *whole, int first, int count,
                      int step, enum verify_place place)
{
    struct part part = {.count = count, .place = place};
    int result;

    for (int i = 0; i < count; i++)
        part.sample[i] = (first + i * step) % whole->count;
    result = run_part(batch, &part);
    if (result > 0)
        result = compare(batch, &part, whole);
    else if (result == 0)
        result = verify_note(batch->trial->finding, "batch",
                             "the engine runs a batch of %d and is not offered for one of %d, "
                             "although batch invariance is demanded",
                             whole->count, part.count);
    free_results(&part);
    return result;
}

/* Returns the size of the whole batch: as large as the work permits. */
static int size_of(const struct verify_trial *trial)
{
    const struct adn_problem *problem = &trial->second->problem;
    double work = 0;

    for (int i = 0; i < trial->second->info->slot_count; i++)
        if (adn_subject_is_out(trial->second, i) && trial->second->slot[i].count > 0)
            work += (double)trial->second->slot[i].count / (double)problem->tensor[i].dims[0] *
                    (trial->second->terms > 1 ? trial->second->terms : 1);
    if (LARGE * work <= (trial->target->quick ? LARGE_QUICK : LARGE_WORK))
        return LARGE;
    return SMALL * work <= SMALL_WORK ? SMALL : 2;
}

static int check_parts(const struct batch *batch, int size)
{
    static const int sizes[] = {1, 2, 3, 7};
    struct part whole = {.count = size, .place = VERIFY_ALIGNED};
    int result;

    for (int i = 0; i < size; i++)
        whole.sample[i] = i;
    result = run_part(batch, &whole);
    if (result > 0) {
        result = 0;
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && result == 0; i++)
            if (sizes[i] < size)
                result = check_part(batch, &whole, 0, sizes[i], 1, VERIFY_ALIGNED);
        /* The rest of a split, whose first sample has an odd offset, and another order. */
        if (result == 0)
            result = check_part(batch, &whole, 1, size - 1, 1, VERIFY_SHIFTED);
        if (result == 0)
            result = check_part(batch, &whole, size - 1, size, size - 1, VERIFY_ALIGNED);
    }
    free_results(&whole);
    return result;
}

int verify_batch(const struct verify_trial *trial)
{
    struct adn_oracle oracle = trial->target->oracle;
    struct batch batch = {.trial = trial};
    char sentence[ADN_JUDGE_SENTENCE];
    struct adn_problem problem, fixed;
    int size, result = 0;

    if (trial->second == NULL || !(trial->candidate->notes & ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT))
        return 0;
    adn_problem_copy(&problem, &trial->problem);
    problem.batch_invariant = adn_batch_covers(problem.operation);
    if (!adn_batch_fix(&problem, &fixed))
        return 0;
    size = size_of(trial);
    adn_batch_resize(&trial->problem, size, &problem);
    batch.slots = adn_batch_slots(problem.operation) & problem.present;
    if (oracle_fill(&batch.whole, &problem, &trial->second->values, ORACLE_REALS, 1, &oracle,
                    sentence) == 0)
        result = check_parts(&batch, size);
    adn_subject_free(&batch.whole);
    return result < 0 ? -1 : 0;
}
