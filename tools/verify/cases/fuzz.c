/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a random problem of an operation that a backend publishes: types, parameters, operands,
 * factors. Draws again if the rules of the operation reject it. */
#include "tools/verify/cases/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/operations.h"
#include "desc/shape.h"
#include "judge/random.h"
#include "judge/rules.h"
#include "load/load.h"
#include "problem/operation.h"
#include "problem/parameters.h"
#include "problem/params.h"
#include "problem/problem.h"

#define TRIES     1000
#define TYPES     32
#define MOST      (1 << 13) /* elements of an operand */
#define LONGEST   (1 << 16) /* elements that an operand spans, including gaps */
#define MOST_WORK 2e6       /* terms of all results */

/* ---- types */

static int32_t draw_type(struct verify_fuzz *fuzz, int32_t wanted)
{
    int32_t type;

    if (wanted >= 0)
        return wanted;
    do
        type = verify_fuzz_below(fuzz, TYPES);
    while (!(fuzz->published->types >> type & 1));
    return type;
}

static int is_parameter(const char *role)
{
    static const char *const roles[] = {
        "scale",     "bias",         "mean",   "var",   "running_mean", "running_var",
        "save_mean", "save_inv_var", "dscale", "dbias", "save_inv_dev"};

    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (strcmp(roles[i], role) == 0)
            return 1;
    return 0;
}

static int32_t draw_index_type(struct verify_fuzz *fuzz)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_UINT8, ANYDNN_PLUGIN_UINT16, ANYDNN_PLUGIN_UINT32,
                                    ANYDNN_PLUGIN_UINT64};

    return VERIFY_FUZZ_OF(fuzz, types);
}

/* Returns the type of a parameter. Those of the groups in `shorts` have x's type if it is half or
 * bfloat16 and the backend takes that. */
static int32_t parameter_type(const struct verify_fuzz *fuzz, int32_t slot, int32_t type,
                              int shorts)
{
    enum adn_parameter_group group = adn_parameter_group(fuzz->problem.operation, slot);

    if (group != ADN_PARAMETER_NONE && adn_type_is_short_float(type) &&
        (fuzz->parameter_types >> type & 1) && (shorts >> group & 1))
        return type;
    return type == ANYDNN_PLUGIN_DOUBLE ? type : ANYDNN_PLUGIN_FLOAT;
}

/* Sets the types. Most operands have the type of the first. In operations that mix types, some get
 * another. The rules of the operation check the combination. */
static void set_types(struct verify_fuzz *fuzz, int32_t type)
{
    static const int32_t others[] = {
        ANYDNN_PLUGIN_FLOAT,  ANYDNN_PLUGIN_HALF,    ANYDNN_PLUGIN_BFLOAT16, ANYDNN_PLUGIN_INT8,
        ANYDNN_PLUGIN_INT8X4, ANYDNN_PLUGIN_UINT8X4, ANYDNN_PLUGIN_INT8X32};
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int mixes = info->family == ADN_FAMILY_CONVOLUTION || info->family == ADN_FAMILY_FUSED ||
                info->family == ADN_FAMILY_NONE || info->family == ADN_FAMILY_TRANSFORM ||
                info->family == ADN_FAMILY_OP_TENSOR || info->family == ADN_FAMILY_REDUCE;
    int32_t other = mixes && verify_fuzz_once_in(fuzz, 2) ? VERIFY_FUZZ_OF(fuzz, others) : type;
    int32_t out = mixes && verify_fuzz_once_in(fuzz, 2) ? VERIFY_FUZZ_OF(fuzz, others) : type;
    int shorts = fuzz->parameter_types != 0 && info->family == ADN_FAMILY_BATCH_NORMALIZATION
                     ? verify_fuzz_below(fuzz, 16)
                     : 0;

    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;

        problem->tensor[i].type = type;
        if (adn_judge_is_bytes(role))
            problem->tensor[i].type = ANYDNN_PLUGIN_UINT8;
        else if (strcmp(role, "indices") == 0)
            problem->tensor[i].type = draw_index_type(fuzz);
        else if (info->family == ADN_FAMILY_FUSED && strcmp(role, "bias") == 0)
            problem->tensor[i].type = adn_problem_bias_type(out);
        else if (is_parameter(role))
            problem->tensor[i].type = parameter_type(fuzz, i, type, shorts);
        else if (strcmp(role, "w") == 0 && i > 0)
            problem->tensor[i].type = other;
        else if (strcmp(role, "z") == 0 || (info->slot[i].flags & ADN_SLOT_OUT))
            problem->tensor[i].type = out;
    }
}

/* ---- numeric parameters */

static double draw_real(struct verify_fuzz *fuzz, const struct adn_param *param)
{
    static const double epsilons[] = {1e-5, 1e-3, 0.125};
    static const double alphas[] = {1e-4, 0.5, 1, 2};
    static const double betas[] = {0.75, 0.75, 0.5, 1, 2, 0.0625};
    static const double ks[] = {1, 2, 0.5};
    static const double chances[] = {0.5, 0, 0.25, 0.75, 1};
    static const double coefs[] = {0, 0.5, 1, 1.5, 6};

    return strcmp(param->key, "epsilon") == 0     ? VERIFY_FUZZ_OF(fuzz, epsilons)
           : strcmp(param->key, "lrn_alpha") == 0 ? VERIFY_FUZZ_OF(fuzz, alphas)
           : strcmp(param->key, "lrn_beta") == 0  ? VERIFY_FUZZ_OF(fuzz, betas)
           : strcmp(param->key, "k") == 0         ? VERIFY_FUZZ_OF(fuzz, ks)
           : strcmp(param->key, "p") == 0         ? VERIFY_FUZZ_OF(fuzz, chances)
                                                  : VERIFY_FUZZ_OF(fuzz, coefs);
}

static void draw_params(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    enum adn_family family = adn_problem_operation(problem->operation)->family;

    for (const struct adn_param *param = adn_problem_params(family); param->key != NULL; param++) {
        char *at = (char *)&problem->params + param->offset;
        int32_t number = 0;
        double real;

        switch (param->kind) {
        case ADN_PARAM_NAMES:
            while (adn_param_number(param, number) >= 0)
                number++;
            number = adn_param_number(param, verify_fuzz_below(fuzz, number));
            memcpy(at, &number, sizeof(number));
            break;
        case ADN_PARAM_INT32: /* the window of LRN: the limits more often */
            number = verify_fuzz_once_in(fuzz, 3) ? 1 : 1 + verify_fuzz_below(fuzz, 16);
            memcpy(at, &number, sizeof(number));
            break;
        case ADN_PARAM_AXES: /* drawn with the shape */
            break;
        case ADN_PARAM_TYPE:
            number = adn_problem_compute_default(family, problem->tensor[0].type);
            if (number == ANYDNN_PLUGIN_FLOAT && problem->tensor[0].type == ANYDNN_PLUGIN_HALF &&
                family == ADN_FAMILY_CONVOLUTION && verify_fuzz_once_in(fuzz, 4))
                number = ANYDNN_PLUGIN_HALF;
            memcpy(at, &number, sizeof(number));
            break;
        case ADN_PARAM_DOUBLE:
            real = draw_real(fuzz, param);
            memcpy(at, &real, sizeof(real));
            break;
        default:
            break;
        }
    }
}

/* ---- operands, factors, modes */

static void draw_present(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint64_t coins = adn_random_bits(&fuzz->state);

    /* Operands whose names begin alike occur together (running_mean, save_mean, ...). */
    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;
        int coin = strncmp(role, "running", 7) == 0 ? 20 : strncmp(role, "save", 4) == 0 ? 21 : i;

        if (!(info->slot[i].flags & ADN_SLOT_OPTIONAL) || (coins >> coin & 1))
            problem->present |= UINT32_C(1) << i;
    }
}

static void draw_values(struct verify_fuzz *fuzz)
{
    /* Products of these factors with small integers are exact, which the judge requires. */
    static const double factors[] = {0, 1, 1, 2, 0.5, -1, 0.25, -0.5};
    static const double averages[] = {1, 0.5, 0.125, 0};
    const struct adn_operation *info = adn_problem_operation(fuzz->problem.operation);

    adn_values_init(&fuzz->values, fuzz->problem.operation);
    for (int i = 0; i < 4 && info->scale[i].name != NULL; i++)
        if (verify_fuzz_once_in(fuzz, 2))
            fuzz->values.scale[i] = VERIFY_FUZZ_OF(fuzz, factors);
    if (info->number != NULL)
        fuzz->values.number[0] = VERIFY_FUZZ_OF(fuzz, averages);
    if (fuzz->problem.operation == ANYDNN_PLUGIN_SET_TENSOR)
        fuzz->values.value = verify_fuzz_below(fuzz, 100);
}

static void draw_modes(struct verify_fuzz *fuzz)
{
    static const int32_t maths[] = {ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                    ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, ANYDNN_PLUGIN_MATH_SPLIT};
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int mode;
    int count = 0;

    do
        mode = verify_fuzz_once_in(fuzz, 2) ? 0 : verify_fuzz_below(fuzz, 4);
    while ((fuzz->published->maths & 0xf) != 0 && !(fuzz->published->maths >> mode & 1) &&
           (mode != 0 || fuzz->published->maths > 1));
    problem->math = maths[mode];
    if (mode == 0)
        problem->math = verify_math_of(fuzz->published, problem->tensor[0].type, maths[0]);
    if (info->algorithms == NULL || !verify_fuzz_once_in(fuzz, 6))
        return;
    while (info->algorithms[count] != NULL)
        count++;
    problem->algorithm = verify_fuzz_below(fuzz, count);
}

/* ---- the whole */

static int is_small(const struct adn_problem *problem)
{
    int64_t largest = 0;

    for (int i = 0; i < ADN_SLOTS; i++) {
        int64_t count = problem->present >> i & 1 ? adn_shape_elements(&problem->tensor[i]) : 0;

        if (count > MOST || (count > 0 && adn_shape_span(&problem->tensor[i]) > LONGEST))
            return 0;
        largest = count > largest ? count : largest;
    }
    return adn_judge_terms(problem) * (double)largest <= MOST_WORK;
}

static int draw(struct verify_fuzz *fuzz, int32_t operation, int32_t type)
{
    adn_problem_init(&fuzz->problem, operation);
    set_types(fuzz, draw_type(fuzz, type));
    draw_params(fuzz);
    draw_present(fuzz);
    draw_modes(fuzz);
    draw_values(fuzz);
    if (verify_fuzz_shape(fuzz) != 0)
        return -1;
    verify_fuzz_layout(fuzz);
    return is_small(&fuzz->problem) && verify_is_valid(&fuzz->problem) ? 0 : -1;
}

/* Selects the data. A problem that the user names (cases.c) uses the data in its text. */
static enum oracle_data draw_data(struct verify_fuzz *fuzz, const char *text)
{
    if (strstr(text, "nan=") != NULL && verify_fuzz_once_in(fuzz, 2))
        return ORACLE_SPECIALS;
    if (adn_problem_operation(fuzz->problem.operation)->family == ADN_FAMILY_NORMALIZATION &&
        verify_fuzz_once_in(fuzz, 3))
        return ORACLE_FAR;
    return adn_judge_sums_wrap(&fuzz->problem) && verify_fuzz_once_in(fuzz, 4) ? ORACLE_LARGE
                                                                               : ORACLE_INTEGERS;
}

void verify_fuzz_case(const struct adn_backend *backend, int32_t operation, int32_t type,
                      uint64_t seed, int number, struct verify_case *item)
{
    struct verify_fuzz fuzz = {.published = backend->operation[operation],
                               .parameter_types =
                                   adn_load_limit(backend, operation, ADN_PARAMETER_LIMIT)};
    char *text;

    /* Two rounds decorrelate adjacent numbers. */
    fuzz.state = seed;
    fuzz.state = adn_random_bits(&fuzz.state) + (uint64_t)number;
    fuzz.state = adn_random_bits(&fuzz.state);
    item->fault[0] = '\0';
    for (int i = 0; i < TRIES; i++)
        if (draw(&fuzz, operation, type) == 0) {
            adn_problem_copy(&item->problem, &fuzz.problem);
            item->values = fuzz.values;
            text = verify_case_text(item);
            item->data = draw_data(&fuzz, text);
            free(text);
            return;
        }
    snprintf(item->fault, sizeof(item->fault), "found no valid problem of %s in %d random draws",
             adn_operation_name(operation), TRIES);
}
