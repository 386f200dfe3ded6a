/* SPDX-License-Identifier: Apache-2.0 */
/* Dims of random problems: small, ones and whole vectors more often than others, windows and pads
 * of every size beside them. */
#include "tools/verify/cases/fuzz.h"

#include <string.h>

#include "desc/operations.h"
#include "desc/shape.h"
#include "judge/rules.h"
#include "problem/operation.h"
#include "problem/problem.h"

#define NDIMS_MOST ANYDNN_PLUGIN_DIM_MAX
#define RANDOM_DIMS                                                                                \
    10 /* one in so many poolings has an output of other dims than the formula's                   \
        */

/* Dims by what an operand is. */
struct shapes {
    int32_t ndims;
    int64_t x[NDIMS_MOST];
    int64_t w[NDIMS_MOST];
    int64_t y[NDIMS_MOST];
    int64_t part[NDIMS_MOST]; /* one element a channel, or what is broadcast or reduced to */
};

static int64_t draw_size(struct verify_fuzz *fuzz)
{
    static const int64_t sizes[] = {1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 17};

    return VERIFY_FUZZ_OF(fuzz, sizes);
}

static int64_t draw_channels(struct verify_fuzz *fuzz, int lanes)
{
    static const int64_t counts[] = {1,  1,  2,  3,  4,  5,  7,  8,  12,
                                     15, 16, 17, 24, 31, 32, 33, 48, 64};

    return lanes > 1 ? lanes * (int64_t)(1 + verify_fuzz_below(fuzz, 3))
                     : VERIFY_FUZZ_OF(fuzz, counts);
}

static int most_lanes(const struct adn_problem *problem)
{
    int lanes = 1;

    for (int i = 0; i < ADN_SLOTS; i++)
        if ((problem->present >> i & 1) && adn_type_lanes(problem->tensor[i].type) > lanes)
            lanes = adn_type_lanes(problem->tensor[i].type);
    return lanes;
}

static void draw_x(struct verify_fuzz *fuzz, struct shapes *shapes)
{
    static const int32_t counts[] = {4, 4, 4, 4, 4, 4, 5, 5, 5, 3, 3, 6, 2, 7, 8};
    static const int64_t images[] = {1, 1, 2, 3, 4};

    shapes->ndims = VERIFY_FUZZ_OF(fuzz, counts);
    for (int32_t i = 0; i < shapes->ndims; i++)
        shapes->x[i] = i > 4 ? 1 + verify_fuzz_below(fuzz, 3) : draw_size(fuzz);
    shapes->x[0] = VERIFY_FUZZ_OF(fuzz, images);
    shapes->x[1] = draw_channels(fuzz, most_lanes(&fuzz->problem));
}

/* ---- families with windows */

static int64_t draw_pad(struct verify_fuzz *fuzz)
{
    static const int64_t pads[] = {0, 0, 0, 1, 1, 2, 3, 5};

    return VERIFY_FUZZ_OF(fuzz, pads);
}

static int64_t draw_step(struct verify_fuzz *fuzz)
{
    static const int64_t steps[] = {1, 1, 1, 1, 2, 2, 3, 5};

    return VERIFY_FUZZ_OF(fuzz, steps);
}

static int64_t draw_window(struct verify_fuzz *fuzz, int64_t size)
{
    static const int64_t windows[] = {1, 1, 2, 3, 3, 4, 5, 7};

    return verify_fuzz_once_in(fuzz, 6) ? size : VERIFY_FUZZ_OF(fuzz, windows);
}

static int draw_convolution(struct verify_fuzz *fuzz, struct shapes *shapes)
{
    static const int64_t splits[] = {1, 1, 1, 2, 3, 4};
    struct anydnn_plugin_convolution *params = &fuzz->problem.params.convolution;
    int lanes = most_lanes(&fuzz->problem);
    int im2col = fuzz->problem.operation == ANYDNN_PLUGIN_IM2COL;
    int depthwise = lanes == 1 && verify_fuzz_once_in(fuzz, 8);

    params->spatial_dims = shapes->ndims - 2;
    params->groups = im2col ? 1 : VERIFY_FUZZ_OF(fuzz, splits);
    if (depthwise && !im2col)
        params->groups = shapes->x[1];
    shapes->w[1] = depthwise ? 1 : shapes->x[1];
    shapes->x[1] = shapes->w[1] * params->groups;
    shapes->w[0] = (lanes > 1 || !verify_fuzz_once_in(fuzz, 3) ? draw_channels(fuzz, lanes) : 1) *
                   params->groups;
    shapes->y[0] = shapes->x[0];
    shapes->y[1] = shapes->w[0];
    for (int32_t i = 2; i < shapes->ndims; i++) {
        params->pad[i - 2] = draw_pad(fuzz);
        params->stride[i - 2] = draw_step(fuzz);
        params->dilation[i - 2] = draw_step(fuzz);
        shapes->w[i] = params->window[i - 2] = draw_window(fuzz, shapes->x[i]);
        shapes->y[i] = adn_shape_convolution_out(shapes->x[i], params->pad[i - 2], shapes->w[i],
                                                 params->dilation[i - 2], params->stride[i - 2]);
    }
    if (!im2col)
        memset(params->window, 0, sizeof(params->window));
    return shapes->ndims > 2 ? 0 : -1;
}

static int draw_pooling(struct verify_fuzz *fuzz, struct shapes *shapes)
{
    struct anydnn_plugin_pooling *params = &fuzz->problem.params.pooling;
    int any = verify_fuzz_once_in(fuzz, RANDOM_DIMS);

    params->spatial_dims = shapes->ndims - 2;
    for (int32_t i = 2; i < shapes->ndims; i++) {
        params->pad[i - 2] = draw_pad(fuzz) - verify_fuzz_once_in(fuzz, 20);
        params->stride[i - 2] = draw_step(fuzz);
        params->window[i - 2] = draw_window(fuzz, shapes->x[i]);
        shapes->y[i] = any ? draw_size(fuzz)
                           : adn_shape_pooling_out(shapes->x[i], params->pad[i - 2],
                                                   params->window[i - 2], params->stride[i - 2]);
    }
    return shapes->ndims > 2 ? 0 : -1;
}

static int draw_transform(struct verify_fuzz *fuzz, struct shapes *shapes)
{
    struct anydnn_plugin_transform *params = &fuzz->problem.params.transform;

    for (int32_t i = 0; i < shapes->ndims; i++) {
        params->pad_before[i] = verify_fuzz_once_in(fuzz, 3) ? verify_fuzz_below(fuzz, 4) - 1 : 0;
        params->pad_after[i] = verify_fuzz_once_in(fuzz, 3) ? verify_fuzz_below(fuzz, 4) - 1 : 0;
    }
    for (int32_t i = 0; i < shapes->ndims - 2; i++)
        params->fold[i] = draw_step(fuzz);
    return adn_shape_transform(params, shapes->ndims, shapes->x, shapes->y);
}

/* ---- what is smaller than the rest */

static void draw_part(struct verify_fuzz *fuzz, struct shapes *shapes)
{
    const struct adn_problem *problem = &fuzz->problem;
    enum adn_family family = adn_problem_operation(problem->operation)->family;
    int whole =
        family == ADN_FAMILY_BATCH_NORMALIZATION && problem->params.batch_normalization.mode == 0;
    int any = problem->operation == ANYDNN_PLUGIN_ADD_TENSOR || family == ADN_FAMILY_OP_TENSOR ||
              family == ADN_FAMILY_REDUCE;
    int lanes = most_lanes(problem);

    for (int32_t i = 0; i < shapes->ndims; i++)
        if (any ? verify_fuzz_once_in(fuzz, 2) || (i == 1 && lanes > 1)
                : i == 1 || (whole && i > 1))
            shapes->part[i] = family == ADN_FAMILY_FUSED ? shapes->y[i] : shapes->x[i];
        else
            shapes->part[i] = 1;
}

/* ---- operands */

static int is_one_of(const char *role, const char *const *roles)
{
    while (*roles != NULL && strcmp(*roles, role) != 0)
        roles++;
    return *roles != NULL;
}

static const int64_t *dims_of(const struct adn_problem *problem, const char *role,
                              const struct shapes *shapes)
{
    static const char *const filters[] = {"w", "dw", NULL};
    static const char *const outputs[] = {"y", "dy", NULL};
    static const char *const parts[] = {
        "bias",        "scale",  "mean",    "var",       "running_mean",
        "running_var", "dscale", "dbias",   "save_mean", "save_inv_var",
        "db",          "b",      "indices", NULL};
    enum adn_family family = adn_problem_operation(problem->operation)->family;

    if (is_one_of(role, filters))
        return shapes->w;
    if (is_one_of(role, outputs) || (family == ADN_FAMILY_FUSED && strcmp(role, "z") == 0))
        return shapes->y;
    if (is_one_of(role, parts) || (family == ADN_FAMILY_REDUCE && strcmp(role, "c") == 0) ||
        (problem->operation == ANYDNN_PLUGIN_ADD_TENSOR && strcmp(role, "x") == 0))
        return shapes->part;
    return shapes->x;
}

static void set_matrix(struct adn_problem *problem, int slot, const struct shapes *shapes)
{
    int64_t *dims = problem->tensor[slot].dims;

    problem->tensor[slot].ndims = 2;
    dims[0] = shapes->x[1];
    dims[1] = shapes->x[0];
    for (int32_t i = 2; i < shapes->ndims; i++) {
        dims[0] *= shapes->w[i];
        dims[1] *= shapes->y[i];
    }
}

static int set_dims(struct adn_problem *problem, int slot, const struct shapes *shapes)
{
    const char *role = adn_problem_operation(problem->operation)->slot[slot].role;
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];
    int64_t elements = 1;

    tensor->struct_size = sizeof(*tensor);
    tensor->ndims = shapes->ndims;
    for (int32_t i = 0; i < shapes->ndims; i++)
        elements *= shapes->x[i];
    if (adn_judge_is_bytes(role))
        adn_shape_of_bytes(tensor, strcmp(role, "states") == 0 ? 32 : (elements + 7) / 8);
    else if (strcmp(role, "col") == 0)
        set_matrix(problem, slot, shapes);
    else
        memcpy(tensor->dims, dims_of(problem, role, shapes),
               (size_t)shapes->ndims * sizeof(tensor->dims[0]));
    for (int32_t i = 0; i < tensor->ndims; i++)
        if (tensor->dims[i] < 1)
            return -1;
    return tensor->ndims > 1 && tensor->dims[1] % adn_type_lanes(tensor->type) != 0 ? -1 : 0;
}

int verify_fuzz_shape(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    struct shapes shapes = {0};
    int result = 0;

    if (verify_fuzz_sequence(fuzz))
        return 0;
    draw_x(fuzz, &shapes);
    memcpy(shapes.y, shapes.x, sizeof(shapes.y));
    switch (adn_problem_operation(problem->operation)->family) {
    case ADN_FAMILY_CONVOLUTION:
    case ADN_FAMILY_FUSED:
    case ADN_FAMILY_IM2COL:
        result = draw_convolution(fuzz, &shapes);
        break;
    case ADN_FAMILY_POOLING:
        result = draw_pooling(fuzz, &shapes);
        break;
    case ADN_FAMILY_TRANSFORM:
        result = draw_transform(fuzz, &shapes);
        break;
    default:
        break;
    }
    draw_part(fuzz, &shapes);
    for (int i = 0; i < ADN_SLOTS && result == 0; i++)
        if (problem->present >> i & 1)
            result = set_dims(problem, i, &shapes);
    return result;
}
