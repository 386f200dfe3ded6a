/* SPDX-License-Identifier: Apache-2.0 */
/* One run of one engine, with operands between guard zones and a workspace of exactly the requested
 * size. */
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "judge/places.h"
#include "judge/subject.h"
#include "load/load.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

#define GUARD           4096
#define WORKSPACE_GUARD 65536
#define NOTHING_GUARD   8192 /* guard of a workspace of 0 bytes */

/* ---- opening */

/* Returns the alignment that the candidate requires, at least the element's size. An operand that
 * far past a multiple of 256 has this alignment and no better. */
static size_t shift_of(const struct verify_run *run, int slot)
{
    size_t size = (size_t)adn_type_size(run->problem->tensor[slot].type);
    size_t asked = run->candidate->alignment[slot];

    return asked > size ? asked : size;
}

/* Allocates one operand. The workspace, whose alignment is 256, is like an operand. */
static int make_block(struct verify_block *block, const struct anydnn_plugin_space *space,
                      const char *role, size_t bytes, size_t guard, size_t shift,
                      enum verify_place place)
{
    if (space != NULL || place == VERIFY_SHIFTED)
        return verify_block_make(block, space, bytes, guard, place == VERIFY_ALIGNED ? 0 : shift);
    return verify_block_make_at_edge(block, role, bytes, guard,
                                     place == VERIFY_ALIGNED ? 0 : shift);
}

static int make_blocks(struct verify_run *run, enum verify_place place)
{
    const struct anydnn_plugin_space *own = run->target->space;

    for (int i = 0; i < ADN_SLOTS; i++) {
        const struct anydnn_plugin_space *space = adn_problem_on_host(run->problem, i) ? NULL : own;
        size_t bytes;

        if (!((run->problem->present & ~run->problem->absent) >> i & 1) ||
            adn_problem_home(run->problem, i) != i)
            continue;
        bytes = (size_t)adn_shape_bytes(&run->problem->tensor[i]);
        if (make_block(&run->block[i], space,
                       adn_problem_operation(run->problem->operation)->slot[i].role, bytes, GUARD,
                       shift_of(run, i), place) != 0)
            return -1;
    }
    return make_block(&run->workspace, own, "workspace", (size_t)run->candidate->workspace,
                      run->candidate->workspace > 0 ? WORKSPACE_GUARD : NOTHING_GUARD, 256, place);
}

int verify_run_plan(struct verify_run *run, struct anydnn_plugin_plan **plan,
                    struct verify_finding *finding)
{
    const struct anydnn_plugin_operation *operation =
        run->target->backend->operation[run->problem->operation];
    struct anydnn_plugin_problem view;
    int32_t status;

    adn_problem_copy(&run->shown, run->problem);
    adn_problem_view(&run->shown, 0, &view);
    adn_load_error_clear();
    status = operation->plan_create(run->context, &view, run->candidate->engine, plan);
    /* A plan that kept a pointer to the problem now reads nonsense. */
    memset(&run->shown, 0xee, sizeof(run->shown));
    if (status != 0)
        return verify_note(finding, "plan_create",
                           "plan_create of an offered engine returned %d: %s", (int)status,
                           adn_load_error_text());
    if (*plan == NULL)
        return verify_note(finding, "plan_create", "plan_create returned 0 and no plan");
    return verify_environment("plan_create", finding);
}

int verify_run_open(struct verify_run *run, const struct verify_target *target,
                    struct anydnn_plugin_context *context, const struct adn_problem *problem,
                    const struct anydnn_plugin_candidate *candidate, enum verify_place place,
                    const struct verify_run *shared, struct verify_finding *finding)
{
    memset(run, 0, sizeof(*run));
    run->target = target;
    run->context = context;
    run->problem = problem;
    run->candidate = candidate;
    if (make_blocks(run, place) != 0)
        return verify_note(finding, "memory", "out of memory in its memory space");
    if (shared != NULL) {
        run->plan = shared->plan;
        return 0;
    }
    return verify_run_plan(run, &run->plan, finding);
}

void verify_run_close(struct verify_run *run)
{
    if (run->plan != NULL)
        run->target->backend->operation[run->problem->operation]->plan_destroy(run->plan);
    verify_environment_look("plan_destroy");
    for (int i = 0; i < ADN_SLOTS; i++)
        if (run->block[i].total > 0)
            verify_block_free(&run->block[i]);
    verify_block_free(&run->workspace);
    run->plan = NULL;
}

/* ---- running */

/* Returns the contents of an operand before a run, or NULL for poison. z is not read if its factor
 * is 0. */
static const double *contents_of(const struct adn_subject *subject, int slot)
{
    int is_z = subject->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD &&
               slot == slot_convolution_bias_activation_forward_z;

    return is_z && subject->values.scale[1] == 0 ? NULL : subject->slot[slot].before;
}

static void fill_image(struct verify_run *run, const struct adn_subject *subject, int slot,
                       int zeros)
{
    const struct anydnn_plugin_tensor *tensor = &run->problem->tensor[slot];
    const double *from = contents_of(subject, slot);
    struct verify_block *block = &run->block[slot];
    struct adn_places places;

    verify_block_poison(block, (size_t)adn_type_size(tensor->type));
    if (from == NULL && !zeros)
        return;
    adn_places_begin(&places, tensor);
    for (int64_t i = 0; i < subject->slot[slot].count; i++) {
        adn_element_store(tensor->type, block->image + block->at + places.at,
                          from != NULL ? from[i] : 0);
        adn_places_next(&places);
    }
}

void verify_run_fill(struct verify_run *run, const struct adn_subject *subject, int zeros)
{
    for (int i = 0; i < ADN_SLOTS; i++)
        if (run->block[i].total > 0)
            fill_image(run, subject, i, zeros);
    verify_block_poison(&run->workspace, 4);
}

int verify_run_put(struct verify_run *run)
{
    for (int i = 0; i < ADN_SLOTS; i++)
        if (run->block[i].total > 0 && verify_block_put(&run->block[i]) != 0)
            return -1;
    return verify_block_put(&run->workspace);
}

int verify_run_get(struct verify_run *run)
{
    const struct anydnn_plugin_space *space = run->target->space;

    if (space != NULL && space->synchronize(0, NULL) != 0)
        return -1;
    for (int i = 0; i < ADN_SLOTS; i++)
        if (run->block[i].total > 0 && verify_block_get(&run->block[i]) != 0)
            return -1;
    return verify_block_get(&run->workspace);
}

static void describe_operands(struct verify_run *run, const struct adn_subject *subject,
                              struct anydnn_plugin_operands *operands, unsigned char *value)
{
    int32_t type = run->problem->tensor[0].type;
    const char *name = adn_type_name(type);
    const struct element *element = element_lookup(name, strlen(name));

    memset(operands, 0, sizeof(*operands));
    operands->struct_size = sizeof(*operands);
    for (int i = 0; i < ADN_SLOTS; i++) {
        int32_t given = run->problem->absent >> i & 1 ? adn_problem_substitute(run->problem, i) : i;

        if (run->problem->present >> i & 1)
            operands->data[i] =
                verify_block_data(&run->block[adn_problem_home(run->problem, given)]);
    }
    memcpy(operands->scale, subject->values.scale, sizeof(operands->scale));
    memcpy(operands->number, subject->values.number, sizeof(operands->number));
    for (int lane = 0; lane < element->lanes; lane++)
        element->store(value + (size_t)lane * element->size,
                       adn_type_round(type, subject->values.value));
    operands->value = value;
    operands->workspace = verify_block_data(&run->workspace);
    operands->workspace_bytes = run->candidate->workspace;
    operands->flags = run->flags;
}

/* Checks that a failure that reports no effect changed nothing. */
static int check_failure(struct verify_run *run, int32_t status, int32_t effect,
                         struct verify_finding *finding)
{
    char sentence[ADN_JUDGE_SENTENCE];

    snprintf(sentence, sizeof(sentence), "%s", adn_load_error_text());
    if (effect == ANYDNN_PLUGIN_EFFECT_NONE && verify_run_get(run) == 0)
        for (int i = 0; i < ADN_SLOTS; i++)
            if (run->block[i].total > 0 &&
                memcmp(run->block[i].image, run->block[i].back, run->block[i].total) != 0)
                return verify_note(finding, "effect",
                                   "plan_execute returned %d with effect none, and slot %d has "
                                   "changed: %s",
                                   (int)status, i, sentence);
    return verify_note(finding, "plan_execute", "plan_execute returned %d (effect %d): %s",
                       (int)status, (int)effect,
                       sentence[0] != '\0' ? sentence : "set_error was not called with a message");
}

int32_t verify_run_call(struct verify_run *run, const struct adn_subject *subject,
                        struct anydnn_plugin_plan *plan, void *stream, int32_t *effect)
{
    struct anydnn_plugin_operands operands;
    unsigned char value[32] = {0};

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    describe_operands(run, subject, &operands, value);
    operands.stream = stream;
    adn_load_error_clear();
    return run->target->backend->operation[run->problem->operation]->plan_execute(plan, &operands,
                                                                                  effect);
}

int verify_run_execute(struct verify_run *run, const struct adn_subject *subject, int zeros,
                       struct verify_finding *finding)
{
    int32_t effect;
    int32_t status;

    verify_run_fill(run, subject, zeros);
    if (verify_run_put(run) != 0)
        return verify_note(finding, "memory", "memory_copy of its space failed: %s",
                           adn_load_error_text());
    status = verify_run_call(run, subject, run->plan, NULL, &effect);
    if (verify_environment("plan_execute", finding) != 0)
        return -1;
    if (status != 0)
        return check_failure(run, status, effect, finding);
    if (verify_run_get(run) != 0)
        return verify_note(finding, "memory", "its space failed after the run: %s",
                           adn_load_error_text());
    return 0;
}
