/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which element types operations accept and combine: those of cuDNN (tests/probes), and
 * bfloat16 wherever half is accepted. Convolutions have a table of their own. */
#include "problem/check_types.h"

#include <stdio.h>

#include "desc/names.h"
#include "problem/problem.h"
#include "sys/text.h"

#define BIT(type) (UINT32_C(1) << ANYDNN_PLUGIN_##type)

#define SHORT_FLOATS (BIT(HALF) | BIT(BFLOAT16))
#define FLOATS       (BIT(DOUBLE) | BIT(FLOAT) | SHORT_FLOATS)
#define SIGNED       (BIT(INT8) | BIT(INT8X4) | BIT(INT8X32))
#define UNSIGNED     (BIT(UINT8) | BIT(UINT8X4))
#define PLAIN_SIGNED (BIT(FLOAT) | SHORT_FLOATS | BIT(INT8))

/* A rule: a type of `from` in the first operand allows those of `to` in another. With 0, the rule
 * of the family decides. */
struct mix {
    uint32_t from;
    uint32_t to;
};

static const struct mix floats[] = {{FLOATS, 0}, {0, 0}};
static const struct mix floats_int8[] = {{FLOATS | BIT(INT8), 0}, {0, 0}};
static const struct mix pooled[] = {{FLOATS | SIGNED, 0}, {0, 0}};
static const struct mix all[] = {{FLOATS | SIGNED | UNSIGNED | BIT(INT32), 0}, {0, 0}};

static const struct mix transforms[] = {
    {PLAIN_SIGNED | SIGNED, PLAIN_SIGNED | SIGNED},
    {UNSIGNED, UNSIGNED},
    {BIT(INT32), BIT(INT32)},
    {BIT(DOUBLE), BIT(DOUBLE)},
    {0, 0},
};

static const struct mix filter_transforms[] = {
    {PLAIN_SIGNED, PLAIN_SIGNED},
    {BIT(UINT8), BIT(UINT8)},
    {BIT(DOUBLE), BIT(DOUBLE)},
    {0, 0},
};

static const struct mix arithmetic[] = {
    {BIT(FLOAT), PLAIN_SIGNED},
    {BIT(HALF), BIT(FLOAT) | BIT(HALF)},
    {BIT(BFLOAT16), BIT(FLOAT) | BIT(BFLOAT16)},
    {BIT(INT8), BIT(FLOAT) | BIT(INT8)},
    {BIT(DOUBLE), BIT(DOUBLE)},
    {0, 0},
};

/* Inputs of a product and its result, as in convolutions; the result of short floats may be f32. */
static const struct mix products[] = {
    {BIT(DOUBLE), BIT(DOUBLE)},
    {BIT(FLOAT), BIT(FLOAT)},
    {BIT(HALF), BIT(FLOAT) | BIT(HALF)},
    {BIT(BFLOAT16), BIT(FLOAT) | BIT(BFLOAT16)},
    {0, 0},
};

static const struct {
    const struct mix *mixes;
    const char *other; /* the operand to which `to` applies */
} rules[ANYDNN_PLUGIN_OPERATION_END] = {
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS] = {floats, NULL},
    [ANYDNN_PLUGIN_POOLING_FORWARD] = {pooled, NULL},
    [ANYDNN_PLUGIN_POOLING_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_ACTIVATION_FORWARD] = {floats_int8, NULL},
    [ANYDNN_PLUGIN_ACTIVATION_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_LRN_FORWARD] = {floats_int8, NULL},
    [ANYDNN_PLUGIN_LRN_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_SOFTMAX_FORWARD] = {floats_int8, NULL},
    [ANYDNN_PLUGIN_SOFTMAX_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] = {floats_int8, NULL},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING] = {floats, NULL},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_DROPOUT_FORWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_DROPOUT_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR] = {transforms, "y"},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX] = {transforms, "y"},
    [ANYDNN_PLUGIN_TRANSFORM_FILTER] = {filter_transforms, "y"},
    [ANYDNN_PLUGIN_ADD_TENSOR] = {all, NULL},
    [ANYDNN_PLUGIN_OP_TENSOR] = {arithmetic, "c"},
    [ANYDNN_PLUGIN_REDUCE_TENSOR] = {arithmetic, "c"},
    [ANYDNN_PLUGIN_SET_TENSOR] = {all, NULL},
    [ANYDNN_PLUGIN_SCALE_TENSOR] = {all, NULL},
    [ANYDNN_PLUGIN_IM2COL] = {floats, NULL},
    [ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_CTC_LOSS] = {floats, NULL},
    [ANYDNN_PLUGIN_NORMALIZATION_FORWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_NORMALIZATION_BACKWARD] = {floats, NULL},
    [ANYDNN_PLUGIN_MATMUL] = {products, "d"},
};

static int holds(uint32_t set, int32_t type)
{
    return type >= 0 && type < 32 && (set >> type & 1);
}

/* Fails with the rule "LEAD f32, f16 or s8". */
static anydnnStatus_t fail_set(const struct adn_check *check, int32_t slot, const char *lead,
                               uint32_t set)
{
    char rule[200];
    struct adn_text text;

    adn_text_begin(&text, rule, sizeof(rule));
    adn_text_add(&text, "%s ", lead);
    for (int32_t type = 0; type < 32; type++)
        if (holds(set, type)) {
            set &= ~(UINT32_C(1) << type);
            adn_text_add(&text, "%s%s", adn_type_name(type),
                         set == 0                 ? ""
                         : (set & (set - 1)) != 0 ? ", "
                                                  : " or ");
        }
    return adn_check_fail(check, ANYDNN_STATUS_NOT_SUPPORTED, slot, rule);
}

anydnnStatus_t adn_check_types(const struct adn_check *check)
{
    const struct adn_problem *problem = check->problem;
    const struct mix *mix = rules[problem->operation].mixes;
    const char *other = rules[problem->operation].other;
    int32_t from = adn_problem_type(problem);
    int32_t slot = other ? adn_check_slot(check, other) : -1;
    uint32_t taken = 0;
    char lead[80];

    if (!mix)
        return ANYDNN_STATUS_SUCCESS;
    for (; mix->from != 0; mix++) {
        taken |= mix->from;
        if (!holds(mix->from, from))
            continue;
        if (slot < 0 || holds(mix->to, problem->tensor[slot].type))
            return ANYDNN_STATUS_SUCCESS;
        snprintf(lead, sizeof(lead), "with %s of type %s its type must be",
                 check->info->slot[0].role, adn_type_name(from));
        return fail_set(check, slot, lead, mix->to);
    }
    return fail_set(check, 0, "this operation takes", taken);
}
