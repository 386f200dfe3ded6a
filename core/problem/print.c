/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the text form. parse.c reads it back to the same problem. */
#include "problem/text.h"

#include <inttypes.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "problem/operation.h"
#include "problem/params.h"

#include "sys/text.h"

static void print_tensor(struct adn_text *text, const char *role,
                         const struct anydnn_plugin_tensor *tensor)
{
    const char *layout = adn_layout_name(tensor);

    adn_text_add(text, " %s=%s:", role, adn_type_name(tensor->type));
    adn_text_list(text, tensor->dims, tensor->ndims);
    adn_text_add(text, ":");
    if (layout)
        adn_text_add(text, "%s", layout);
    else
        adn_text_list(text, tensor->strides, tensor->ndims);
}

static int list_is(const int64_t *values, int32_t count, int64_t initial)
{
    for (int32_t i = 0; i < count; i++)
        if (values[i] != initial)
            return 0;
    return 1;
}

/* Prints the dims whose bits are set, or `none`. */
static void print_axes(struct adn_text *text, const char *key, uint32_t axes)
{
    const char *lead = "";

    adn_text_add(text, " %s=%s", key, axes == 0 ? "none" : "");
    for (; axes != 0; axes &= axes - 1) {
        adn_text_add(text, "%s%d", lead, __builtin_ctz(axes));
        lead = ",";
    }
}

static int32_t default_type(const struct adn_problem *problem)
{
    return adn_problem_compute_default(adn_problem_operation(problem->operation)->family,
                                       adn_problem_type(problem));
}

static void print_param(struct adn_text *text, const struct adn_problem *problem,
                        const struct adn_param *param)
{
    const void *at = (const char *)&problem->params + param->offset;
    const int64_t *list = at;
    int32_t count = problem->tensor[0].ndims - (param->kind == ADN_PARAM_SPATIAL ? 2 : 0);
    int32_t number;
    double real;

    switch (param->kind) {
    case ADN_PARAM_SPATIAL:
    case ADN_PARAM_DIMS:
        if (count > 0 && (param->always || !list_is(list, count, (int64_t)param->initial))) {
            adn_text_add(text, " %s=", param->key);
            adn_text_list(text, list, count);
        }
        break;
    case ADN_PARAM_INT64:
        if (param->always || list[0] != (int64_t)param->initial)
            adn_text_add(text, " %s=%" PRId64, param->key, list[0]);
        break;
    case ADN_PARAM_DOUBLE:
        memcpy(&real, at, sizeof(real));
        if (param->always || memcmp(&real, &param->initial, sizeof(real)) != 0) {
            adn_text_add(text, " %s=", param->key);
            adn_text_double(text, real);
        }
        break;
    default:
        memcpy(&number, at, sizeof(number));
        if (!param->always && number == (int32_t)param->initial)
            break;
        if (param->kind == ADN_PARAM_TYPE) {
            if (param->always || number != default_type(problem))
                adn_text_add(text, " %s=%s", param->key, adn_type_name(number));
        } else if (param->kind == ADN_PARAM_AXES) {
            print_axes(text, param->key, (uint32_t)number);
        } else if (param->kind == ADN_PARAM_NAMES) {
            adn_text_add(text, " %s=%s", param->key, adn_param_name(param, number));
        } else {
            adn_text_add(text, " %s=%" PRId32, param->key, number);
        }
    }
}

/* Prints each output with the inputs at its address, the first by slot first. */
static void print_aliases(struct adn_text *text, const struct adn_problem *problem,
                          const struct adn_operation *info)
{
    const char *lead = " alias=";

    for (int32_t out = 0; out < info->slot_count; out++) {
        if (problem->alias[out] == 0 || !(info->slot[out].flags & ADN_SLOT_OUT))
            continue;
        for (int32_t in = 0; in < info->slot_count; in++)
            if (problem->alias[out] == in + 1 ||
                (problem->alias[in] == out + 1 && !(info->slot[in].flags & ADN_SLOT_OUT))) {
                adn_text_add(text, "%s%s:%s", lead, info->slot[out].role, info->slot[in].role);
                lead = ",";
            }
    }
}

static void print_slot_list(struct adn_text *text, const struct adn_problem *problem,
                            const struct adn_operation *info)
{
    const char *lead = " without=";

    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->absent >> i & 1) ||
            ((info->slot[i].flags & ADN_SLOT_OPTIONAL) && !(problem->present >> i & 1))) {
            adn_text_add(text, "%s%s", lead, info->slot[i].role);
            lead = ",";
        }
    print_aliases(text, problem, info);
}

static void print_values(struct adn_text *text, const struct adn_operation *info, int32_t operation,
                         const struct adn_values *values)
{
    struct adn_values initial;

    adn_values_init(&initial, operation);
    for (int i = 0; i < 4 && info->scale[i].name; i++)
        if (memcmp(&values->scale[i], &initial.scale[i], sizeof(double)) != 0) {
            adn_text_add(text, " %s=", info->scale[i].name);
            adn_text_double(text, values->scale[i]);
        }
    if (info->number && memcmp(&values->number[0], &initial.number[0], sizeof(double)) != 0) {
        adn_text_add(text, " %s=", info->number);
        adn_text_double(text, values->number[0]);
    }
    if (operation == ANYDNN_PLUGIN_SET_TENSOR &&
        memcmp(&values->value, &initial.value, sizeof(double)) != 0) {
        adn_text_add(text, " value=");
        adn_text_double(text, values->value);
    }
    if (values->align > 0)
        adn_text_add(text, " align=%" PRId32, values->align);
}

size_t adn_problem_print(const struct adn_problem *problem, const struct adn_values *values,
                         char *buffer, size_t size)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    struct adn_text text;

    adn_text_begin(&text, buffer, size);
    adn_text_add(&text, "%s", adn_operation_name(problem->operation));
    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->present & ~problem->absent) >> i & 1)
            print_tensor(&text, info->slot[i].role, &problem->tensor[i]);
    for (const struct adn_param *param = adn_problem_params(info->family); param->key; param++)
        print_param(&text, problem, param);
    if (info->family == ADN_FAMILY_CONVOLUTION || info->family == ADN_FAMILY_FUSED ||
        problem->math != ANYDNN_PLUGIN_MATH_DEFAULT)
        adn_text_add(&text, " math=%s", adn_math_name(problem->math));
    if (problem->algorithm != ADN_ALGORITHM_ANY)
        adn_text_add(&text, " algo=%s",
                     adn_problem_algorithm_name(problem->operation, problem->algorithm));
    if (!problem->deterministic)
        adn_text_add(&text, " deterministic=0");
    if (problem->batch_invariant)
        adn_text_add(&text, " batch_invariant=1");
    print_slot_list(&text, problem, info);
    if (values)
        print_values(&text, info, problem->operation, values);
    return text.length;
}
