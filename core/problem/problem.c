/* SPDX-License-Identifier: Apache-2.0 */
/* Implements a problem as a value: its initial state, hash, equality, copy, and the view for a
 * backend. */
#include "problem/problem.h"

#include <string.h>

#include "problem/operation.h"
#include "problem/params.h"
#include "problem/unread.h"

static void params_init(union kit_params *params, enum adn_family family)
{
    const struct adn_param *param = adn_problem_params(family);

    memset(params, 0, sizeof(*params));
    params->struct_size = (uint32_t)adn_problem_params_size(family);
    for (; param->key; param++) {
        char *at = (char *)params + param->offset;

        switch (param->kind) {
        case ADN_PARAM_SPATIAL:
        case ADN_PARAM_DIMS:
            break;
        case ADN_PARAM_INT64:
            *(int64_t *)(void *)at = (int64_t)param->initial;
            break;
        case ADN_PARAM_INT32:
        case ADN_PARAM_NAMES:
        case ADN_PARAM_TYPE:
        case ADN_PARAM_AXES:
            *(int32_t *)(void *)at = (int32_t)param->initial;
            break;
        case ADN_PARAM_DOUBLE:
            *(double *)(void *)at = param->initial;
            break;
        }
    }
}

void adn_problem_init(struct adn_problem *problem, int32_t operation)
{
    memset(problem, 0, sizeof(*problem));
    problem->operation = operation;
    problem->math = ANYDNN_PLUGIN_MATH_DEFAULT;
    problem->algorithm = ADN_ALGORITHM_ANY;
    problem->deterministic = 1;
    params_init(&problem->params, adn_problem_operation(operation)->family);
    if (operation == ANYDNN_PLUGIN_IM2COL) /* its text has no groups, its parameters do */
        problem->params.convolution.groups = 1;
}

void adn_values_init(struct adn_values *values, int32_t operation)
{
    const struct adn_operation *info = adn_problem_operation(operation);

    memset(values, 0, sizeof(*values));
    for (int i = 0; i < 4 && info->scale[i].name; i++)
        values->scale[i] = info->scale[i].initial;
    if (info->number)
        values->number[0] = 1;
}

/* Mixes a word into a hash: rotate, exclusive or, multiply, the fewest instructions a word (the
 * hash of Firefox, "FxHash"). The table takes low bits, so the end of adn_problem_hash folds the
 * high ones in. */
static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    return ((hash << 5 | hash >> 59) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t mix_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const char *at = data;

    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;

        memcpy(&word, at, 8);
        hash = mix(hash, word);
    }
    return hash;
}

uint64_t adn_problem_hash(const struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint64_t hash = mix_bytes(0, problem, offsetof(struct adn_problem, params));

    hash = mix_bytes(hash, &problem->params, adn_problem_params_size(info->family));
    for (int32_t i = 0; i < info->slot_count; i++) {
        const struct anydnn_plugin_tensor *tensor = &problem->tensor[i];

        if (!(problem->present >> i & 1))
            continue;
        hash = mix(hash, (uint64_t)tensor->type << 32 | (uint32_t)tensor->ndims);
        hash = mix_bytes(hash, tensor->dims, (size_t)tensor->ndims * sizeof(int64_t));
        hash = mix_bytes(hash, tensor->strides, (size_t)tensor->ndims * sizeof(int64_t));
    }
    return hash ^ hash >> 32;
}

_Static_assert(offsetof(struct adn_problem, params) % 8 == 0 &&
                   sizeof(struct anydnn_plugin_convolution) % 8 == 0 &&
                   sizeof(struct anydnn_plugin_pooling) % 8 == 0 &&
                   sizeof(struct anydnn_plugin_transform) % 8 == 0 &&
                   sizeof(struct anydnn_plugin_normalization) % 8 == 0 &&
                   sizeof(struct anydnn_plugin_matmul) % 8 == 0,
               "the hash reads whole words");

int adn_problem_equal(const struct adn_problem *a, const struct adn_problem *b)
{
    const struct adn_operation *info = adn_problem_operation(a->operation);

    if (memcmp(a, b, offsetof(struct adn_problem, params)) != 0 ||
        memcmp(&a->params, &b->params, adn_problem_params_size(info->family)) != 0)
        return 0;
    for (int32_t i = 0; i < info->slot_count; i++)
        if ((a->present >> i & 1) &&
            memcmp(&a->tensor[i], &b->tensor[i], sizeof(a->tensor[i])) != 0)
            return 0;
    return 1;
}

void adn_problem_copy(struct adn_problem *to, const struct adn_problem *from)
{
    memset(to, 0, sizeof(*to));
    memcpy(to, from, offsetof(struct adn_problem, tensor));
    for (int i = 0; i < ADN_SLOTS; i++)
        if (from->present >> i & 1)
            to->tensor[i] = from->tensor[i];
}

int adn_problem_broaden(const struct adn_problem *problem, struct adn_problem *broad)
{
    enum adn_family family = adn_problem_operation(problem->operation)->family;
    struct anydnn_plugin_batch_normalization *norm = &broad->params.batch_normalization;
    struct anydnn_plugin_convolution *convolution = &broad->params.convolution;

    if (family != ADN_FAMILY_FUSED && family != ADN_FAMILY_BATCH_NORMALIZATION)
        return 0;
    adn_problem_copy(broad, problem);
    if (family == ADN_FAMILY_FUSED) {
        convolution->activation = convolution->nan_propagate = 0;
        convolution->coef = 0;
    } else {
        norm->activation = norm->nan_propagate = 0;
        norm->coef = norm->epsilon = 0;
    }
    return 1;
}

/* Writes the aliases for a backend: only those of inputs that are read. Other inputs may still
 * share memory with an output. */
static void view_aliases(const struct adn_problem *problem, uint8_t alias[ADN_SLOTS])
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint32_t unread = adn_problem_unread(problem);

    for (int32_t out = 0; out < info->slot_count; out++) {
        if (problem->alias[out] == 0 || !(info->slot[out].flags & ADN_SLOT_OUT))
            continue;
        for (int32_t in = 0; in < info->slot_count; in++) {
            if ((unread >> in & 1) ||
                (problem->alias[out] != in + 1 && problem->alias[in] != out + 1))
                continue;
            if (alias[out] == 0)
                alias[out] = (uint8_t)(in + 1);
            else
                alias[in] = (uint8_t)(out + 1);
        }
    }
}

void adn_problem_view(const struct adn_problem *problem, int32_t device,
                      struct anydnn_plugin_problem *view)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    memset(view, 0, sizeof(*view));
    view->struct_size = sizeof(*view);
    view->operation = problem->operation;
    view->math = problem->math;
    view->algorithm = problem->algorithm;
    view->deterministic = problem->deterministic;
    view->device = device;
    view->present = problem->present;
    view->guarantees = problem->batch_invariant ? ANYDNN_PLUGIN_GUARANTEE_BATCH_INVARIANT : 0;
    view_aliases(problem, view->alias);
    for (int i = 0; i < ADN_SLOTS; i++)
        if (problem->present >> i & 1)
            view->tensor[i] = &problem->tensor[i];
    if (adn_problem_params_size(info->family) > 0)
        view->params = &problem->params;
}
