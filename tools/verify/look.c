/* SPDX-License-Identifier: Apache-2.0 */
/* What memory looks like after a run: nothing but outputs has changed, and they are right. */
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* ---- nothing but outputs has changed */

static int is_written(const struct verify_subject *subject, int slot)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (verify_is_present(subject, i) && verify_is_out(subject, i) &&
            (i == slot || subject->problem.alias[i] == slot + 1))
            return 1;
    return 0;
}

/* Bytes that may change, marked 1. */
static void mark_elements(const struct verify_run *run, const struct verify_subject *subject,
                          int slot, unsigned char *marks)
{
    const struct anydnn_plugin_tensor *tensor = &run->problem->tensor[slot];
    const struct verify_slot *at = &subject->slot[slot];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};

    for (int64_t i = 0; i < at->count; i++) {
        memset(marks + run->block[slot].at + verify_offset(tensor, at->element, index), 1,
               at->element->size);
        verify_step(tensor, index);
    }
}

static int check_block(const struct verify_run *run, const struct verify_subject *subject, int slot,
                       struct verify_finding *finding)
{
    const struct verify_block *block = &run->block[slot];
    const char *role = subject->info->slot[slot].role;
    unsigned char *marks = tool_alloc(block->total);
    int written = is_written(subject, slot);
    int result = 0;

    memset(marks, 0, block->total);
    if (written)
        mark_elements(run, subject, slot, marks);
    for (size_t i = 0; i < block->total && result == 0; i++) {
        long long at = (long long)i - (long long)block->at;

        if (marks[i] || block->image[i] == block->back[i])
            continue;
        if (at < 0)
            result = verify_find(finding, "bounds", "it writes %lld bytes before %s", -at, role);
        else if (at >= (long long)block->bytes)
            result = verify_find(finding, "bounds", "it writes %lld bytes past the end of %s",
                                 at - (long long)block->bytes + 1, role);
        else if (written)
            result = verify_find(finding, "gaps",
                                 "it writes into a gap between the elements of %s, at byte %lld",
                                 role, at);
        else
            result =
                verify_find(finding, "inputs", "it writes to %s, an input, at byte %lld", role, at);
    }
    free(marks);
    return result;
}

int verify_run_untouched(const struct verify_run *run, const struct verify_subject *subject,
                         struct verify_finding *finding)
{
    const struct verify_block *space = &run->workspace;

    for (size_t i = 0; i < space->total; i++)
        if ((i < space->at || i >= space->at + space->bytes) && space->image[i] != space->back[i])
            return verify_find(
                finding, "workspace",
                "it writes to the workspace at byte %lld; it had reported a need of %" PRIu64
                " bytes",
                (long long)i - (long long)space->at, run->candidate->workspace);
    for (int i = 0; i < VERIFY_SLOTS; i++)
        if (run->block[i].total > 0 && check_block(run, subject, i, finding) != 0)
            return -1;
    return 0;
}

/* ---- the outputs are right */

static void describe_bound(const struct verify_run *run, const struct verify_subject *subject,
                           int slot, struct adn_bound *bound)
{
    int32_t type = run->problem->tensor[slot].type;
    enum adn_family family = subject->info->family;
    int convolution = family == ADN_FAMILY_CONVOLUTION || family == ADN_FAMILY_FUSED;

    memset(bound, 0, sizeof(*bound));
    bound->type = type;
    bound->compute = convolution                    ? run->problem->params.convolution.compute_type
                     : type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE
                                                    : ANYDNN_PLUGIN_FLOAT;
    bound->terms = subject->terms;
    /* TF32 has 11 bits of significand. */
    if (run->candidate->notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION)
        bound->rounding = 0x1p-11;
}

static void describe_index(const struct anydnn_plugin_tensor *tensor, int64_t linear, char *text,
                           size_t size)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX];
    size_t length = 0;

    for (int d = tensor->ndims - 1; d >= 0; d--) {
        index[d] = linear % tensor->dims[d];
        linear /= tensor->dims[d];
    }
    for (int d = 0; d < tensor->ndims && length < size; d++)
        length += (size_t)snprintf(text + length, size - length, "%s%lld", d > 0 ? "," : "",
                                   (long long)index[d]);
}

static int check_slot(const struct verify_run *run, const struct verify_subject *subject, int slot,
                      struct verify_finding *finding)
{
    const struct anydnn_plugin_tensor *tensor = &run->problem->tensor[slot];
    const struct verify_slot *at = &subject->slot[slot];
    int transform = (run->candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) != 0;
    int exact = subject->exact || at->sum == NULL;
    int alias = run->problem->alias[slot];
    const struct verify_block *block = &run->block[alias > 0 ? alias - 1 : slot];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    struct adn_measure measure;
    struct adn_bound bound;
    int64_t wrong = 0;
    int64_t first = -1;
    double first_got = 0;
    char place[160];

    adn_measure_begin(&measure);
    describe_bound(run, subject, slot, &bound);
    for (int64_t i = 0; i < at->count; i++) {
        double got =
            at->element->load(block->back + block->at + verify_offset(tensor, at->element, index));
        double sum = exact ? 0 : at->sum[i];
        double squares = at->squares != NULL ? at->squares[i] : 0;
        int right;

        verify_step(tensor, index);
        adn_measure_add(&measure, tensor->type, got, at->want[i]);
        right = exact && !transform
                    ? adn_ulp_distance(tensor->type, got,
                                       adn_type_round(tensor->type, at->want[i])) == 0
                    : adn_bound_holds(&bound, got, at->want[i], sum, squares);
        wrong += !right;
        if (!right && first < 0) {
            first = i;
            first_got = got;
        }
    }
    if (transform && measure.mismatches == 0 &&
        adn_measure_relative_l2(&measure) <=
            adn_bound_transform(tensor->type,
                                run->problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
                                    ? subject->terms
                                    : 0))
        return 0;
    if (wrong == 0)
        return 0;
    describe_index(tensor, first, place, sizeof(place));
    return verify_find(finding, "result",
                       "%s: %lld of %lld elements are wrong; [%s] is %.9g, %s is %.9g (%s; "
                       "relative L2 error %.3g)",
                       subject->info->slot[slot].role, (long long)wrong, (long long)at->count,
                       place, first_got, exact ? "the only right value" : "the right value",
                       at->want[first],
                       exact       ? "exact in any order of summation"
                       : transform ? "transform algorithm"
                                   : "more than rounding explains",
                       adn_measure_relative_l2(&measure));
}

int verify_run_right(const struct verify_run *run, const struct verify_subject *subject,
                     struct verify_finding *finding)
{
    for (int i = 0; i < subject->info->slot_count; i++)
        if (verify_is_present(subject, i) && subject->slot[i].compared &&
            subject->slot[i].want != NULL && check_slot(run, subject, i, finding) != 0)
            return -1;
    return 0;
}
