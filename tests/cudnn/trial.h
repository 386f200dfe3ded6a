/* SPDX-License-Identifier: Apache-2.0 */
/* A trial of one problem of the backend cudnn over the mock: the tests of operands' layouts and
 * copies share it. */
#ifndef CDN_TRIAL_H
#define CDN_TRIAL_H

#include "harness.h"

#include <string.h>

#define SLOTS 12

/* A problem of tensors with dims 2,8,6,5, and a call of it. */
struct trial {
    struct anydnn_plugin_tensor tensor[SLOTS];
    struct anydnn_plugin_problem problem;
    struct anydnn_plugin_operands operands;
    struct anydnn_plugin_plan *plan;
    struct answer answer;
};

static _Alignas(256) char memory[SLOTS][4096];
static _Alignas(256) char workspace[4096];

/* Fills a trial. `present` has the slots as bits. Tensors are packed rows of float until the caller
 * changes them. */
static inline void make_trial(struct trial *trial, int32_t number, uint32_t present,
                              const void *params)
{
    memset(trial, 0, sizeof *trial);
    trial->problem = (struct anydnn_plugin_problem){.struct_size = sizeof trial->problem,
                                                    .operation = number,
                                                    .algorithm = -1,
                                                    .deterministic = 1,
                                                    .present = present,
                                                    .params = params};
    trial->operands = (struct anydnn_plugin_operands){.struct_size = sizeof trial->operands,
                                                      .scale = {1},
                                                      .workspace = workspace,
                                                      .workspace_bytes = sizeof workspace};
    for (int slot = 0; slot < SLOTS; slot++) {
        trial->tensor[slot] = (struct anydnn_plugin_tensor){.struct_size = sizeof trial->tensor[0],
                                                            .type = ANYDNN_PLUGIN_FLOAT,
                                                            .ndims = 4,
                                                            .dims = {2, 8, 6, 5}};
        pack_rows(&trial->tensor[slot]);
        if (!(present >> slot & 1))
            continue;
        trial->problem.tensor[slot] = &trial->tensor[slot];
        trial->operands.data[slot] = memory[slot];
    }
}

/* Queries the candidates and runs the first offer once. Returns 0, or the reason if the problem is
 * declined. */
static inline int32_t try_it(struct anydnn_plugin_context *context, struct trial *trial)
{
    const struct anydnn_plugin_operation *of = operation(trial->problem.operation);
    int32_t effect = -1;

    memset(&trial->answer, 0, sizeof trial->answer);
    assert_int_equal(of->candidates(context, &trial->problem, take_offer, &trial->answer), 0);
    assert_true(trial->answer.count > 0);
    if (trial->answer.offer[0].reason)
        return trial->answer.offer[0].reason;
    mock->transforms = 0;
    mock->calls[0] = 0;
    assert_int_equal(
        of->plan_create(context, &trial->problem, trial->answer.offer[0].engine, &trial->plan), 0);
    assert_int_equal(of->plan_execute(trial->plan, &trial->operands, &effect), 0);
    assert_int_equal(effect, ANYDNN_PLUGIN_EFFECT_ENQUEUED);
    assert_int_equal(scratches, 0);
    of->plan_destroy(trial->plan);
    return 0;
}

#endif
