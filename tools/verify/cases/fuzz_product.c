/* SPDX-License-Identifier: Apache-2.0 */
/* Draws random normalizations and matrix products: dims, types, parameters, presence. */
#include "problem/kinds.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "tools/verify/cases/fuzz.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int64_t draw_size(struct verify_fuzz *fuzz)
{
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33};

    return VERIFY_FUZZ_OF(fuzz, sizes);
}

static int32_t draw_float(struct verify_fuzz *fuzz)
{
    static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_HALF,
                                    ANYDNN_PLUGIN_BFLOAT16};

    return VERIFY_FUZZ_OF(fuzz, types);
}

static void set(struct adn_problem *problem, int slot, int32_t type, int32_t ndims,
                const int64_t *dims)
{
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];

    tensor->struct_size = sizeof(*tensor);
    tensor->type = type;
    tensor->ndims = ndims;
    memcpy(tensor->dims, dims, (size_t)ndims * sizeof(dims[0]));
    if (ndims == 1)
        tensor->strides[0] = 1;
}

/* ---- normalizations */

static void draw_groups(struct verify_fuzz *fuzz, struct anydnn_plugin_normalization *params,
                        const struct anydnn_plugin_tensor *x)
{
    int instance = params->kind == ANYDNN_PLUGIN_NORMALIZATION_INSTANCE;
    int64_t channels;

    params->kind = ANYDNN_PLUGIN_NORMALIZATION_GROUP;
    params->axes = 0;
    params->channel_axis =
        verify_fuzz_once_in(fuzz, 3) ? 1 + verify_fuzz_below(fuzz, x->ndims - 1) : 1;
    channels = x->dims[params->channel_axis];
    do
        params->groups = 1 + verify_fuzz_below(fuzz, (int)channels);
    while (channels % params->groups != 0);
    if (instance)
        params->groups = channels;
}

static void draw_axes(struct verify_fuzz *fuzz, struct anydnn_plugin_normalization *params,
                      const struct anydnn_plugin_tensor *x)
{
    int last = 1 + verify_fuzz_below(fuzz, x->ndims);
    uint32_t every = (UINT32_C(1) << x->ndims) - 1;

    params->channel_axis = 1;
    params->groups = 1;
    params->axes = every & ~((UINT32_C(1) << (x->ndims - last)) - 1);
    if (verify_fuzz_once_in(fuzz, 3))
        params->axes = 1 + (uint32_t)verify_fuzz_below(fuzz, (int)every);
}

/* Draws the dims of a scale or bias: those that are normalized, one of channels, or any. */
static void draw_part(struct verify_fuzz *fuzz, int64_t *dims)
{
    const struct anydnn_plugin_normalization *params = &fuzz->problem.params.normalization;
    const struct anydnn_plugin_tensor *x = &fuzz->problem.tensor[0];
    int any = verify_fuzz_once_in(fuzz, 3);

    for (int32_t i = 0; i < x->ndims; i++) {
        int group = params->kind == ANYDNN_PLUGIN_NORMALIZATION_GROUP;
        int varies = group ? i == params->channel_axis : (params->axes >> i & 1) != 0;

        if (any)
            varies = verify_fuzz_once_in(fuzz, 2);
        dims[i] = varies ? x->dims[i] : 1;
    }
}

static int slot_of(const struct adn_problem *problem, const char *role)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (int i = 0; i < info->slot_count; i++)
        if (strcmp(info->slot[i].role, role) == 0)
            return i;
    return -1;
}

static void drop(struct adn_problem *problem, const char *role)
{
    int slot = slot_of(problem, role);

    if (slot >= 0)
        problem->present &= ~(UINT32_C(1) << slot);
}

static void draw_operands(struct verify_fuzz *fuzz)
{
    static const char *const saved[] = {"save_mean", "save_inv_dev"};
    static const char *const parts[][2] = {{"scale", "dscale"}, {"bias", "dbias"}};
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    int wide = x->type == ANYDNN_PLUGIN_DOUBLE;
    int alike = verify_fuzz_once_in(fuzz, 2);
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];

    for (int i = 1; i < info->slot_count; i++)
        set(problem, i, wide || alike ? x->type : draw_float(fuzz), x->ndims, x->dims);
    for (size_t i = 0; i < COUNT(parts); i++) {
        int32_t type = wide ? x->type : draw_float(fuzz);

        draw_part(fuzz, dims);
        for (int k = 0; k < 2; k++)
            if (slot_of(problem, parts[i][k]) >= 0)
                set(problem, slot_of(problem, parts[i][k]), type, x->ndims, dims);
    }
    adn_normalization_statistics(&problem->params.normalization, x, dims);
    for (size_t i = 0; i < COUNT(saved); i++)
        set(problem, slot_of(problem, saved[i]), wide ? x->type : ANYDNN_PLUGIN_FLOAT, x->ndims,
            dims);
}

void verify_fuzz_normalization(struct verify_fuzz *fuzz)
{
    static const int32_t counts[] = {2, 2, 3, 3, 4, 4, 4, 5, 6, 8};
    struct adn_problem *problem = &fuzz->problem;
    struct anydnn_plugin_normalization *params = &problem->params.normalization;
    int32_t ndims = VERIFY_FUZZ_OF(fuzz, counts);
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];

    for (int32_t i = 0; i < ndims; i++)
        dims[i] = i > 3 ? 1 + verify_fuzz_below(fuzz, 3) : draw_size(fuzz);
    set(problem, 0, problem->tensor[0].type, ndims, dims);
    if (params->kind == ANYDNN_PLUGIN_NORMALIZATION_GROUP ||
        params->kind == ANYDNN_PLUGIN_NORMALIZATION_INSTANCE)
        draw_groups(fuzz, params, &problem->tensor[0]);
    else
        draw_axes(fuzz, params, &problem->tensor[0]);
    if (params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS)
        drop(problem, "save_mean");
    if (slot_of(problem, "z") >= 0 && !(problem->present >> slot_of(problem, "z") & 1))
        drop(problem, "sum");
    draw_operands(fuzz);
}

/* ---- matrix products */

#define SLOT(name) slot_matmul_##name

void verify_fuzz_matmul(struct verify_fuzz *fuzz)
{
    static const int32_t counts[] = {2, 2, 2, 3, 3, 4, 5, 8};
    struct adn_problem *problem = &fuzz->problem;
    int32_t ndims = VERIFY_FUZZ_OF(fuzz, counts), type = problem->tensor[SLOT(a)].type;
    int32_t is_short = type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;
    int32_t to = is_short && verify_fuzz_once_in(fuzz, 3) ? ANYDNN_PLUGIN_FLOAT : type;
    int32_t added = is_short && verify_fuzz_once_in(fuzz, 3) ? ANYDNN_PLUGIN_FLOAT : to;
    const int64_t m = draw_size(fuzz), n = draw_size(fuzz), k = draw_size(fuzz);
    int64_t a[ANYDNN_PLUGIN_DIM_MAX], b[ANYDNN_PLUGIN_DIM_MAX];
    int64_t d[ANYDNN_PLUGIN_DIM_MAX], bias[ANYDNN_PLUGIN_DIM_MAX];

    problem->present &= 1u << SLOT(a) | 1u << SLOT(b) | 1u << SLOT(c) | 1u << SLOT(bias) |
                        1u << SLOT(d) | 1u << SLOT(aux);
    for (int32_t i = 0; i < ndims; i++) {
        d[i] = i == ndims - 2 ? m : i == ndims - 1 ? n : 1 + verify_fuzz_below(fuzz, 3);
        a[i] = i == ndims - 1 ? k : d[i];
        b[i] = i == ndims - 2 ? k : d[i];
        if (i < ndims - 2 && verify_fuzz_once_in(fuzz, 3))
            *(verify_fuzz_once_in(fuzz, 2) ? &a[i] : &b[i]) = 1;
        bias[i] = i == ndims - 1 || verify_fuzz_once_in(fuzz, 4) ? d[i] : 1;
    }
    set(problem, SLOT(a), type, ndims, a);
    set(problem, SLOT(b), type, ndims, b);
    set(problem, SLOT(c), added, ndims, d);
    set(problem, SLOT(bias), added, ndims, bias);
    set(problem, SLOT(d), to, ndims, d);
    set(problem, SLOT(aux), added, ndims, d);
}
