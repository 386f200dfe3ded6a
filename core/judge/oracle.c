/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the oracle once: the same problem in double, on packed operands. */
#include "judge/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/shape.h"
#include "judge/rules.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/operation.h"

#define ALIGNMENT ((size_t)256)

static void in_double(struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    memset(problem->alias, 0, sizeof(problem->alias));
    problem->math = ANYDNN_PLUGIN_MATH_DEFAULT;
    problem->algorithm = ADN_ALGORITHM_ANY;
    problem->batch_invariant = 0;
    for (int i = 0; i < info->slot_count; i++) {
        struct anydnn_plugin_tensor *tensor = &problem->tensor[i];
        const char *role = info->slot[i].role;

        if (!(problem->present >> i & 1))
            continue;
        if (!adn_judge_is_bytes(role) && strcmp(role, "indices") != 0 &&
            !adn_problem_on_host(problem, i))
            tensor->type = ANYDNN_PLUGIN_DOUBLE;
        adn_layout_set(tensor, "nchw");
    }
    if (info->family == ADN_FAMILY_CONVOLUTION || info->family == ADN_FAMILY_FUSED ||
        info->family == ADN_FAMILY_IM2COL)
        problem->params.convolution.compute_type = ANYDNN_PLUGIN_DOUBLE;
    if (info->family == ADN_FAMILY_OP_TENSOR)
        problem->params.op_tensor.compute_type = ANYDNN_PLUGIN_DOUBLE;
    if (info->family == ADN_FAMILY_REDUCE)
        problem->params.reduce.compute_type = ANYDNN_PLUGIN_DOUBLE;
    if (info->family == ADN_FAMILY_NORMALIZATION)
        problem->params.normalization.compute_type = ANYDNN_PLUGIN_DOUBLE;
    if (info->family == ADN_FAMILY_MATMUL)
        problem->params.matmul.compute_type = ANYDNN_PLUGIN_DOUBLE;
}

static size_t scalar_bytes(int32_t type)
{
    return (size_t)(adn_type_size(type) / adn_type_lanes(type));
}

/* Makes a packed image of an operand, of zeros without values. Returns NULL if memory is out. */
static void *image_of(const struct anydnn_plugin_tensor *tensor, const double *values)
{
    size_t size = scalar_bytes(tensor->type);
    size_t count = (size_t)adn_shape_elements(tensor);
    unsigned char *image = NULL;

    if (count < SIZE_MAX / 2 / sizeof(double))
        image = aligned_alloc(ALIGNMENT, (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (image == NULL)
        return NULL;
    if (tensor->type == ANYDNN_PLUGIN_DOUBLE && values != NULL)
        return memcpy(image, values, count * sizeof(double));
    for (size_t i = 0; i < count; i++)
        adn_element_store(tensor->type, image + i * size, values != NULL ? values[i] : 0);
    return image;
}

static void values_of(const struct anydnn_plugin_tensor *tensor, const unsigned char *image,
                      double *values)
{
    size_t size = scalar_bytes(tensor->type);
    size_t count = (size_t)adn_shape_elements(tensor);

    if (tensor->type == ANYDNN_PLUGIN_DOUBLE)
        memcpy(values, image, count * sizeof(double));
    for (size_t i = 0; tensor->type != ANYDNN_PLUGIN_DOUBLE && i < count; i++)
        values[i] = adn_element_load(tensor->type, image + i * size);
}

int adn_oracle_run(struct adn_oracle *oracle, const struct adn_problem *problem,
                   const struct adn_values *values, double *const in[ADN_SLOTS],
                   double *const out[ADN_SLOTS], char *sentence)
{
    struct adn_problem wide = *problem;
    void *image[ADN_SLOTS] = {NULL};
    int result = 0;

    if (oracle->run == NULL) {
        snprintf(sentence, ADN_JUDGE_SENTENCE,
                 "cpu_ref, which computes the reference results, is not installed");
        return 1;
    }
    in_double(&wide);
    for (int i = 0; i < ADN_SLOTS && result == 0; i++)
        if ((wide.present >> i & 1) && (image[i] = image_of(&wide.tensor[i], in[i])) == NULL)
            result = adn_judge_no_memory(sentence);
    if (result == 0)
        result = oracle->run(oracle, &wide, values, image, sentence);
    for (int i = 0; i < ADN_SLOTS && result == 0; i++)
        if (out[i] != NULL)
            values_of(&wide.tensor[i], image[i], out[i]);
    for (int i = 0; i < ADN_SLOTS; i++)
        free(image[i]);
    return result;
}
