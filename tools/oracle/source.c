/* SPDX-License-Identifier: Apache-2.0 */
/* Computes inputs of a backward operation with its forward operation. */
#include "tools/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "desc/shape.h"
#include "judge/oracle.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/operation.h"
#include "problem/problem.h"

struct source {
    int32_t operation;
    const char *from[4]; /* operands of the forward operation that exist here under that name */
    const char *to[4];   /* forward outputs that are inputs here */
};

static const struct source *source_of(int32_t operation)
{
    static const struct {
        int32_t backward;
        struct source source;
    } sources[] = {
        {ANYDNN_PLUGIN_POOLING_BACKWARD, {ANYDNN_PLUGIN_POOLING_FORWARD, {"x"}, {"y"}}},
        {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, {ANYDNN_PLUGIN_ACTIVATION_FORWARD, {"x"}, {"y"}}},
        {ANYDNN_PLUGIN_LRN_BACKWARD, {ANYDNN_PLUGIN_LRN_FORWARD, {"x"}, {"y"}}},
        {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, {ANYDNN_PLUGIN_SOFTMAX_FORWARD, {NULL}, {"y"}}},
        {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
         {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
          {"x", "scale", "bias"},
          {"y", "save_mean", "save_inv_var", "reserve"}}},
        {ANYDNN_PLUGIN_NORMALIZATION_BACKWARD,
         {ANYDNN_PLUGIN_NORMALIZATION_FORWARD,
          {"x", "scale", "bias"},
          {"save_mean", "save_inv_dev"}}},
    };

    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        if (sources[i].backward == operation)
            return &sources[i].source;
    return NULL;
}

static int named(const char *const names[4], const char *role)
{
    for (int i = 0; i < 4 && names[i] != NULL; i++)
        if (strcmp(names[i], role) == 0)
            return 1;
    return 0;
}

/* Builds the forward problem. Its operands have the shapes of operands of the same name here. If
 * there is none (softmax's x, the sum before an activation), they have the shape of the first. */
static void describe_source(const struct adn_subject *subject, const struct source *source,
                            struct adn_problem *forward, struct adn_values *values)
{
    const struct adn_operation *info = adn_problem_operation(source->operation);

    adn_problem_init(forward, source->operation);
    adn_values_init(values, source->operation);
    forward->params = subject->problem.params;
    for (int i = 0; i < info->slot_count; i++) {
        int slot = adn_subject_lookup(subject, info->slot[i].role);

        if (slot < 0 && (info->slot[i].flags & ADN_SLOT_OPTIONAL) &&
            !(strcmp(info->slot[i].role, "z") == 0 && adn_subject_lookup(subject, "dz") >= 0))
            continue;
        if (slot < 0 && strcmp(info->slot[i].role, "bias") == 0 &&
            subject->info->family == ADN_FAMILY_BATCH_NORMALIZATION)
            slot = adn_subject_lookup(subject, "scale");
        forward->tensor[i] = subject->problem.tensor[slot < 0 ? 0 : slot];
        forward->present |= UINT32_C(1) << i;
    }
}

int oracle_fill_source(struct adn_subject *subject, uint64_t seed, struct adn_oracle *oracle,
                       char *sentence)
{
    const struct source *source = source_of(subject->problem.operation);
    double *in[ADN_SLOTS] = {NULL};
    double *out[ADN_SLOTS] = {NULL};
    double *own[ADN_SLOTS] = {NULL};
    struct adn_problem forward;
    struct adn_values values;
    const struct adn_operation *info;
    int result;

    if (source == NULL)
        return 0;
    describe_source(subject, source, &forward, &values);
    info = adn_problem_operation(source->operation);
    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;
        int slot = adn_subject_lookup(subject, role);
        int64_t count = adn_shape_elements(&forward.tensor[i]);
        uint64_t state = seed ^ UINT64_C(0xabcdef);

        if (!(forward.present >> i & 1))
            continue;
        if (slot >= 0 && named(source->from, role)) {
            in[i] = subject->slot[slot].before;
        } else if (slot >= 0 && named(source->to, role)) {
            out[i] = subject->slot[slot].before;
        } else if (info->slot[i].flags & ADN_SLOT_IN) {
            in[i] = own[i] = tool_alloc_array(count, sizeof(double));
            for (int64_t k = 0; k < count; k++)
                own[i][k] = oracle_random_real(&state);
        }
    }
    result = adn_oracle_run(oracle, &forward, &values, in, out, sentence);
    for (int i = 0; i < ADN_SLOTS; i++)
        free(own[i]);
    for (int i = 0; i < info->slot_count && result == 0; i++)
        for (int64_t k = 0; out[i] != NULL && k < adn_shape_elements(&forward.tensor[i]); k++)
            out[i][k] = adn_type_round(forward.tensor[i].type, out[i][k]);
    return result;
}
