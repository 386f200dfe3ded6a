/* SPDX-License-Identifier: Apache-2.0 */
/* An oracle that calls the functions of a backend. */
#include "judge/oracle.h"
#include "judge/subject.h"
#include "load/load.h"
#include "problem/problem.h"
#include "tools/oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choice {
    int made;
    struct anydnn_plugin_candidate candidate;
    char *sentence;
};

static int32_t choose(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct choice *choice = cookie;

    if (candidate->reason != 0)
        snprintf(choice->sentence, ADN_JUDGE_SENTENCE, "%s",
                 candidate->sentence != NULL ? candidate->sentence : "no message");
    else if (!choice->made)
        choice->candidate = *candidate;
    choice->made |= candidate->reason == 0;
    return choice->made;
}

static int run_plan(const struct adn_oracle *oracle, const struct anydnn_plugin_problem *view,
                    const struct choice *choice, const struct adn_values *values, void **image,
                    char *sentence)
{
    const struct oracle_backend *own = oracle->own;
    const struct anydnn_plugin_operation *operation = own->backend->operation[view->operation];
    struct anydnn_plugin_operands operands = {.struct_size = sizeof(operands)};
    struct anydnn_plugin_plan *plan = NULL;
    double value = values->value;
    int32_t effect = 0;
    int32_t status;

    memcpy(operands.data, image, sizeof(operands.data));
    memcpy(operands.scale, values->scale, sizeof(operands.scale));
    memcpy(operands.number, values->number, sizeof(operands.number));
    operands.value = &value;
    operands.workspace_bytes = choice->candidate.workspace;
    if (choice->candidate.workspace > 0)
        operands.workspace =
            aligned_alloc(256, (size_t)(choice->candidate.workspace + 255) / 256 * 256);
    status = operation->plan_create(own->context, view, choice->candidate.engine, &plan);
    if (status == 0) {
        status = operation->plan_execute(plan, &operands, &effect);
        operation->plan_destroy(plan);
    }
    free(operands.workspace);
    if (status != 0)
        snprintf(sentence, ADN_JUDGE_SENTENCE, "the oracle failed (%d): %s", (int)status,
                 adn_load_error_text());
    return status == 0 ? 0 : -1;
}

int oracle_run_backend(struct adn_oracle *oracle, const struct adn_problem *wide,
                       const struct adn_values *values, void *image[ADN_SLOTS], char *sentence)
{
    const struct oracle_backend *own = oracle->own;
    const struct anydnn_plugin_operation *operation = own->backend->operation[wide->operation];
    struct anydnn_plugin_problem view;
    struct choice choice = {.sentence = sentence};

    if (operation == NULL) {
        snprintf(sentence, ADN_JUDGE_SENTENCE,
                 "cpu_ref, which computes the reference results, does not offer this operation");
        return 1;
    }
    adn_problem_view(wide, 0, &view);
    operation->candidates(own->context, &view, choose, &choice);
    return choice.made ? run_plan(oracle, &view, &choice, values, image, sentence) : 1;
}
