/* SPDX-License-Identifier: Apache-2.0 */
/* Infers required operands that a text omits, if the others and the parameters determine them. */
#include "problem/infer.h"

#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "desc/shape.h"
#include "problem/operation.h"
#include "problem/parameters.h"
#include "problem/params.h"
#include "sys/error.h"

/* Sets packed strides in the layout of `like` if that layout has a name, else row-major ones. */
static void pack_like(struct anydnn_plugin_tensor *tensor, const struct anydnn_plugin_tensor *like)
{
    const char *layout = adn_layout_name(like);

    if (!layout || adn_layout_set(tensor, layout) != 0)
        adn_layout_set(tensor, "nchw");
}

/* Sets 1,C,1,1 (or with `whole` 1,C,H,W) for x, in x's type. */
static void channel_tensor(struct anydnn_plugin_tensor *tensor,
                           const struct anydnn_plugin_tensor *x, int whole)
{
    *tensor = *x;
    for (int32_t i = 0; i < x->ndims; i++)
        if (i != 1 && !(whole && i > 1))
            tensor->dims[i] = 1;
    adn_layout_set(tensor, "nchw");
}

static int infer_convolution(struct adn_problem *problem, int32_t slot)
{
    const struct anydnn_plugin_convolution *conv = &problem->params.convolution;
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    const struct anydnn_plugin_tensor *w = &problem->tensor[1];
    struct anydnn_plugin_tensor *y = &problem->tensor[slot];
    int32_t y_slot = adn_problem_operation(problem->operation)->slot_count - 1;

    if (problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA ||
        problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER ||
        !(problem->present >> 1 & 1) || x->ndims != w->ndims || x->ndims < 3)
        return -1;
    *y = *x;
    y->dims[1] = w->dims[0];
    if (adn_problem_is_integer(x->type)) /* unsigned input has signed results */
        y->type = w->type;
    if (slot != y_slot) {
        y->type = adn_problem_bias_type(
            problem->present >> y_slot & 1 ? problem->tensor[y_slot].type : y->type);
        channel_tensor(y, y, 0);
        return 0;
    }
    y->dims[0] = x->dims[0];
    for (int32_t i = 2; i < x->ndims; i++)
        y->dims[i] = adn_shape_convolution_out(x->dims[i], conv->pad[i - 2], w->dims[i],
                                               conv->dilation[i - 2], conv->stride[i - 2]);
    pack_like(y, x);
    return 0;
}

static int infer_pooling(struct adn_problem *problem, int32_t slot)
{
    const struct anydnn_plugin_pooling *pool = &problem->params.pooling;
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];

    if (problem->operation == ANYDNN_PLUGIN_POOLING_BACKWARD) {
        int32_t like = slot == 1 ? 0 : 2;

        if (slot == 2)
            return -1;
        *tensor = problem->tensor[like];
        return problem->present >> like & 1 ? 0 : -1;
    }
    *tensor = problem->tensor[0];
    for (int32_t i = 2; i < tensor->ndims; i++)
        tensor->dims[i] = adn_shape_pooling_out(problem->tensor[0].dims[i], pool->pad[i - 2],
                                                pool->window[i - 2], pool->stride[i - 2]);
    pack_like(tensor, &problem->tensor[0]);
    return 0;
}

static int infer_batch_normalization(struct adn_problem *problem, int32_t slot)
{
    static const char *const data[] = {"x", "dy", "y", "dx", "z", "dz"};
    const char *role = adn_problem_operation(problem->operation)->slot[slot].role;
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];
    int32_t type = adn_problem_type(problem), like = adn_parameter_like(problem, slot);

    for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
        if (strcmp(data[i], role) == 0) {
            *tensor = problem->tensor[0];
            return 0;
        }
    channel_tensor(tensor, &problem->tensor[0], problem->params.batch_normalization.mode == 0);
    tensor->type = like >= 0                      ? problem->tensor[like].type
                   : type == ANYDNN_PLUGIN_DOUBLE ? type
                                                  : ANYDNN_PLUGIN_FLOAT;
    return 0;
}

static int infer_dropout(struct adn_problem *problem, int32_t slot)
{
    const char *role = adn_problem_operation(problem->operation)->slot[slot].role;

    if (strcmp(role, "states") == 0)
        adn_shape_of_bytes(&problem->tensor[slot], 32);
    else if (strcmp(role, "reserve") == 0)
        adn_shape_of_bytes(&problem->tensor[slot], adn_shape_bit_bytes(&problem->tensor[0]));
    else
        problem->tensor[slot] = problem->tensor[0];
    return 0;
}

/* Infers operands with the shape of the first. */
static int infer_same(struct adn_problem *problem, int32_t slot)
{
    problem->tensor[slot] = problem->tensor[0];
    return 0;
}

static int infer_plain(struct adn_problem *problem, int32_t slot)
{
    switch (problem->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS:
        channel_tensor(&problem->tensor[slot], &problem->tensor[0], 0);
        return 0;
    case ANYDNN_PLUGIN_TRANSFORM_TENSOR:
    case ANYDNN_PLUGIN_ADD_TENSOR:
        return infer_same(problem, slot);
    default:
        return -1;
    }
}

static int infer_op_tensor(struct adn_problem *problem, int32_t slot)
{
    return infer_same(problem, slot);
}

/* Multiplies. Returns INT64_MAX, which no size accepts, if the result does not fit. */
static int64_t product(int64_t a, int64_t b)
{
    int64_t result;

    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

static int infer_im2col(struct adn_problem *problem, int32_t slot)
{
    const struct anydnn_plugin_convolution *conv = &problem->params.convolution;
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    struct anydnn_plugin_tensor *col = &problem->tensor[slot];
    int64_t rows = x->dims[1];
    int64_t columns = x->dims[0];

    for (int32_t i = 0; i < x->ndims - 2; i++) {
        rows = product(rows, conv->window[i]);
        columns = product(columns,
                          adn_shape_convolution_out(x->dims[i + 2], conv->pad[i], conv->window[i],
                                                    conv->dilation[i], conv->stride[i]));
    }
    *col = *x;
    memset(col->dims, 0, sizeof(col->dims));
    memset(col->strides, 0, sizeof(col->strides));
    col->ndims = 2;
    col->dims[0] = rows;
    col->dims[1] = columns;
    adn_layout_set(col, "nchw");
    return 0;
}

/* Sets a packed tensor of these dims in the type of the first operand. */
static int packed(struct adn_problem *problem, int32_t slot, int32_t ndims, const int64_t *dims)
{
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];

    memset(tensor, 0, sizeof(*tensor));
    tensor->struct_size = sizeof(*tensor);
    tensor->type = problem->tensor[0].type;
    tensor->ndims = ndims;
    memcpy(tensor->dims, dims, (size_t)ndims * sizeof(dims[0]));
    return adn_layout_set(tensor, "nchw");
}

/* Infers the operands of the transformer. The size of a grid does not follow from theta. */
static int infer_spatial(struct adn_problem *problem, int32_t slot)
{
    const char *role = adn_problem_operation(problem->operation)->slot[slot].role;
    const struct anydnn_plugin_tensor *x = &problem->tensor[0];
    const struct anydnn_plugin_tensor *grid = &problem->tensor[1];

    if (strcmp(role, "dtheta") == 0)
        return packed(problem, slot, 3, (const int64_t[]){x->dims[0], 2, 3});
    if (strcmp(role, "dx") == 0) {
        problem->tensor[slot] = *x;
        return 0;
    }
    if (!(problem->present >> 1 & 1) || x->ndims != 4 || grid->ndims != 4)
        return -1;
    if (strcmp(role, "dgrid") == 0) {
        problem->tensor[slot] = *grid;
        return 0;
    }
    if (packed(problem, slot, 4,
               (const int64_t[]){x->dims[0], x->dims[1], grid->dims[1], grid->dims[2]}) != 0)
        return -1;
    pack_like(&problem->tensor[slot], x);
    return 0;
}

static int infer_ctc(struct adn_problem *problem, int32_t slot)
{
    const char *role = adn_problem_operation(problem->operation)->slot[slot].role;
    int32_t type = adn_problem_type(problem);

    if (strcmp(role, "labels") == 0 || problem->tensor[0].ndims != 3 ||
        packed(problem, slot, 1, &problem->tensor[0].dims[1]) != 0)
        return -1;
    problem->tensor[slot].type = strcmp(role, "costs") != 0     ? ANYDNN_PLUGIN_INT32
                                 : type == ANYDNN_PLUGIN_DOUBLE ? type
                                                                : ANYDNN_PLUGIN_FLOAT;
    return 0;
}

/* Infers d from the rows of a and the columns of b. Where one has a batch dim of 1, the other
 * gives its size. Operands that are no matrices, or differ in their number of dims, get some d: the
 * check of the problem then tells what is wrong with them. */
static int infer_matmul(struct adn_problem *problem, int32_t slot)
{
    const struct anydnn_plugin_tensor *a = &problem->tensor[0], *b = &problem->tensor[1];
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];

    if (slot == 1 || !(problem->present >> 1 & 1))
        return -1;
    if (a->ndims != b->ndims || a->ndims < 2)
        return packed(problem, slot, a->ndims, a->dims);
    for (int32_t i = 0; i < a->ndims; i++)
        dims[i] = a->dims[i] > b->dims[i] ? a->dims[i] : b->dims[i];
    dims[a->ndims - 2] = a->dims[a->ndims - 2];
    dims[a->ndims - 1] = b->dims[a->ndims - 1];
    return packed(problem, slot, a->ndims, dims);
}

typedef int (*infer_fn)(struct adn_problem *problem, int32_t slot);

static const infer_fn infers[] = {
    [ADN_FAMILY_NONE] = infer_plain,
    [ADN_FAMILY_CONVOLUTION] = infer_convolution,
    [ADN_FAMILY_FUSED] = infer_convolution,
    [ADN_FAMILY_IM2COL] = infer_im2col,
    [ADN_FAMILY_POOLING] = infer_pooling,
    [ADN_FAMILY_ACTIVATION] = infer_same,
    [ADN_FAMILY_SOFTMAX] = infer_same,
    [ADN_FAMILY_LRN] = infer_same,
    [ADN_FAMILY_BATCH_NORMALIZATION] = infer_batch_normalization,
    [ADN_FAMILY_DROPOUT] = infer_dropout,
    [ADN_FAMILY_TRANSFORM] = NULL,
    [ADN_FAMILY_OP_TENSOR] = infer_op_tensor,
    [ADN_FAMILY_REDUCE] = NULL,
    [ADN_FAMILY_SPATIAL] = infer_spatial,
    [ADN_FAMILY_CTC] = infer_ctc,
    [ADN_FAMILY_NORMALIZATION] = infer_same,
    [ADN_FAMILY_MATMUL] = infer_matmul,
};

/* Writes why an operand is undetermined. If two operands differ in their number of dims, that is
 * the better reason. */
static anydnnStatus_t undetermined(const struct adn_problem *problem, const char *entry,
                                   int32_t slot)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    const struct anydnn_plugin_tensor *first = &problem->tensor[0], *second = &problem->tensor[1];

    if (infers[info->family] == infer_convolution && (problem->present & 3) == 3 &&
        first->ndims != second->ndims)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: operand `%s` has %d dims and `%s` has %d; a convolution's operands "
                        "must have the same number of dims",
                        entry, info->slot[0].role, (int)first->ndims, info->slot[1].role,
                        (int)second->ndims);
    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "%s: operand `%s` of %s is missing, and the others do not determine it", entry,
                    info->slot[slot].role, adn_operation_name(problem->operation));
}

anydnnStatus_t adn_problem_infer(struct adn_problem *problem, const char *entry)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    infer_fn infer = infers[info->family];

    for (int32_t i = 0; i < info->slot_count; i++) {
        if ((problem->present >> i & 1) || (info->slot[i].flags & ADN_SLOT_OPTIONAL))
            continue;
        if (!infer || infer(problem, i) != 0)
            return undetermined(problem, entry, i);
        for (int32_t dim = 0; dim < problem->tensor[i].ndims; dim++)
            if (problem->tensor[i].dims[dim] < 1)
                return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                                "%s: operand `%s` would have %lld elements in dim %d: the window "
                                "does not fit the padded input, or a stride or dilation is below 1",
                                entry, info->slot[i].role, (long long)problem->tensor[i].dims[dim],
                                (int)dim);
        if (adn_shape_elements(&problem->tensor[i]) == INT64_MAX ||
            adn_shape_bytes(&problem->tensor[i]) < 0)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: the size of operand `%s` in bytes exceeds 64 bits", entry,
                            info->slot[i].role);
        problem->present |= UINT32_C(1) << i;
    }
    return ANYDNN_STATUS_SUCCESS;
}
