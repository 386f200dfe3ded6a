/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the oracle: the same problem in double, on packed operands. */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/shape.h"

static void in_double(struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    memset(problem->alias, 0, sizeof(problem->alias));
    problem->math = ANYDNN_PLUGIN_MATH_DEFAULT;
    problem->algorithm = ADN_ALGORITHM_ANY;
    for (int i = 0; i < info->slot_count; i++) {
        struct anydnn_plugin_tensor *tensor = &problem->tensor[i];
        const char *role = info->slot[i].role;

        if (!(problem->present >> i & 1))
            continue;
        if (!verify_is_bytes(role) && strcmp(role, "indices") != 0)
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
}

struct choice {
    int made;
    struct anydnn_plugin_candidate candidate;
    char *sentence;
};

static int32_t choose(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct choice *choice = cookie;

    if (candidate->reason != 0)
        snprintf(choice->sentence, VERIFY_SENTENCE, "%s",
                 candidate->sentence != NULL ? candidate->sentence : "no sentence");
    else if (!choice->made)
        choice->candidate = *candidate;
    choice->made |= candidate->reason == 0;
    return choice->made;
}

/* Packed images of the operands; an operand nobody gave holds zeros. */
static void *image_of(const struct anydnn_plugin_tensor *tensor, const double *values)
{
    const char *name = adn_type_name(tensor->type);
    const struct element *element = element_find(name, strlen(name));
    int64_t count = adn_shape_elements(tensor);
    unsigned char *image = tool_alloc((size_t)count * element->size);

    if (tensor->type == ANYDNN_PLUGIN_DOUBLE && values != NULL)
        return memcpy(image, values, (size_t)count * sizeof(double));
    for (int64_t i = 0; i < count; i++)
        element->store(image + (size_t)i * element->size, values != NULL ? values[i] : 0);
    return image;
}

static void values_of(const struct anydnn_plugin_tensor *tensor, const unsigned char *image,
                      double *values)
{
    const char *name = adn_type_name(tensor->type);
    const struct element *element = element_find(name, strlen(name));
    int64_t count = adn_shape_elements(tensor);

    if (tensor->type == ANYDNN_PLUGIN_DOUBLE)
        memcpy(values, image, (size_t)count * sizeof(double));
    for (int64_t i = 0; tensor->type != ANYDNN_PLUGIN_DOUBLE && i < count; i++)
        values[i] = element->load(image + (size_t)i * element->size);
}

static int run_plan(struct verify_oracle *oracle, const struct anydnn_plugin_problem *view,
                    const struct choice *choice, const struct adn_values *values, void **image,
                    char *sentence)
{
    const struct anydnn_plugin_operation *operation = oracle->backend->operation[view->operation];
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
    status = operation->plan_create(oracle->context, view, choice->candidate.engine, &plan);
    if (status == 0) {
        status = operation->plan_execute(plan, &operands, &effect);
        operation->plan_destroy(plan);
    }
    free(operands.workspace);
    if (status != 0)
        snprintf(sentence, VERIFY_SENTENCE, "the oracle failed (%d): %s", (int)status,
                 adn_load_error_text());
    return status == 0 ? 0 : -1;
}

int verify_oracle_backend(struct verify_oracle *oracle, const struct adn_problem *wide,
                          const struct adn_values *values, void *image[VERIFY_SLOTS],
                          char *sentence)
{
    const struct anydnn_plugin_operation *operation = oracle->backend->operation[wide->operation];
    struct anydnn_plugin_problem view;
    struct choice choice = {.sentence = sentence};

    if (operation == NULL) {
        snprintf(sentence, VERIFY_SENTENCE,
                 "cpu_ref, which knows the right answers, does not "
                 "offer this operation");
        return 1;
    }
    adn_problem_view(wide, 0, &view);
    operation->candidates(oracle->context, &view, choose, &choice);
    return choice.made ? run_plan(oracle, &view, &choice, values, image, sentence) : 1;
}

int verify_oracle_run(struct verify_oracle *oracle, const struct adn_problem *problem,
                      const struct adn_values *values, double *const in[VERIFY_SLOTS],
                      double *const out[VERIFY_SLOTS], char *sentence)
{
    struct adn_problem wide = *problem;
    void *image[VERIFY_SLOTS] = {NULL};
    int result;

    if (oracle->run == NULL) {
        snprintf(sentence, VERIFY_SENTENCE, "cpu_ref, which knows the right answers, is not there");
        return 1;
    }
    in_double(&wide);
    for (int i = 0; i < VERIFY_SLOTS; i++)
        if (wide.present >> i & 1)
            image[i] = image_of(&wide.tensor[i], in[i]);
    result = oracle->run(oracle, &wide, values, image, sentence);
    for (int i = 0; i < VERIFY_SLOTS && result == 0; i++)
        if (out[i] != NULL)
            values_of(&wide.tensor[i], image[i], out[i]);
    for (int i = 0; i < VERIFY_SLOTS; i++)
        free(image[i]);
    return result;
}
