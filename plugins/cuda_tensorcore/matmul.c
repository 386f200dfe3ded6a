/* SPDX-License-Identifier: Apache-2.0 */
/* Converts matrix products to convolutions with filters of one tap. The strides decide which one:
 *   fprop  d[m][n] = sum of a[m][k] b[k][n], if k is contiguous in a and b, and for any others
 *   dgrad  the same, if n is contiguous in b
 *   wgrad  the same, if m is contiguous in a, and n in b: k counts images
 * If m is contiguous in d, the transposed product is computed. */
#include "matmul.h"

#include "../cuda_common/divide.h"

#include <string.h>

#define SLOT(name)  slot_matmul_##name
#define FUSED(name) slot_convolution_bias_activation_forward_##name

/* A matrix: its operand, its extents, and its strides in elements. */
struct matrix {
    const struct anydnn_plugin_tensor *tensor;
    int64_t rows, columns, row, column;
};

static struct matrix matrix_of(const struct anydnn_plugin_tensor *tensor)
{
    int32_t last = tensor->ndims - 1;

    return (struct matrix){.tensor = tensor,
                           .rows = tensor->dims[last - 1],
                           .columns = tensor->dims[last],
                           .row = tensor->strides[last - 1],
                           .column = tensor->strides[last]};
}

static struct matrix transposed(struct matrix of)
{
    return (struct matrix){of.tensor, of.columns, of.rows, of.column, of.row};
}

/* Returns 1 if neighbours along the columns, or rows, of a matrix are neighbours in memory. */
static int is_along_columns(const struct matrix *of)
{
    return of->columns == 1 || of->column == 1;
}

static int is_along_rows(const struct matrix *of)
{
    return !is_along_columns(of) && (of->rows == 1 || of->row == 1);
}

/* ------------------------------------------------------------------ what is supported */

static int32_t check_types(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t type = problem->tensor[SLOT(a)]->type;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if (problem->tensor[slot] && problem->tensor[slot]->type != type)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "%s has type %s and a has type %s; cuda_tensorcore multiplies "
                              "matrices of one type",
                              kit_slot_name(problem->operation, slot),
                              kit_type_name(problem->tensor[slot]->type), kit_type_name(type));
    }
    return 0;
}

static int32_t check_finish(const struct anydnn_plugin_problem *problem,
                            const struct tc_matmul *matmul, struct kit_refusal *why)
{
    const struct anydnn_plugin_matmul *params = problem->params;
    const struct anydnn_plugin_tensor *bias = problem->tensor[SLOT(bias)];

    if (problem->tensor[SLOT(aux)])
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "cuda_tensorcore does not store aux beside d");
    if (params->activation == ANYDNN_PLUGIN_ACTIVATION_GELU ||
        params->activation == ANYDNN_PLUGIN_ACTIVATION_GELU_TANH)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "the kernels of cuda_tensorcore have no GELU");
    if (!bias && (params->activation != ANYDNN_PLUGIN_ACTIVATION_IDENTITY ||
                  (problem->tensor[SLOT(c)] && !matmul->in_place)))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "cuda_tensorcore adds c or computes an activation only beside a bias, "
                          "unless c is in the memory of d");
    for (int32_t d = 0; bias && d < bias->ndims; d++) {
        if ((d < bias->ndims - 1) != (bias->dims[d] == 1) && problem->tensor[SLOT(d)]->dims[d] > 1)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "cuda_tensorcore adds a bias that is a row; dim %d of bias is %lld",
                              d, (long long)bias->dims[d]);
    }
    if (matmul->batch > TC_MATMUL_BATCH)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "cuda_tensorcore launches each product of a batch by itself, up to %d; "
                          "there are %lld",
                          TC_MATMUL_BATCH, (long long)matmul->batch);
    return 0;
}

/* ------------------------------------------------------------------ batches */

static int64_t batch_stride(const struct anydnn_plugin_tensor *tensor, int32_t d)
{
    return tensor && tensor->dims[d] > 1 ? tensor->strides[d] : 0;
}

/* Makes the dims of the batch. The last ones become rows of a, c and d where b stays the same and
 * the rows follow one another. */
static void make_batch(struct tc_matmul *matmul, const struct anydnn_plugin_problem *problem,
                       struct matrix *a, struct matrix *c, struct matrix *d)
{
    int32_t ndims = d->tensor->ndims - 2;
    int can_join = 1;

    matmul->batch = 1;
    for (int32_t i = ndims - 1; i >= 0; i--) {
        int64_t size = d->tensor->dims[i], *stride = matmul->strides[matmul->ndims];

        if (size == 1)
            continue;
        stride[TC_MATMUL_A] = batch_stride(a->tensor, i);
        stride[TC_MATMUL_B] = batch_stride(problem->tensor[SLOT(b)], i);
        stride[TC_MATMUL_C] = batch_stride(c->tensor, i);
        stride[TC_MATMUL_D] = batch_stride(d->tensor, i);
        can_join &= stride[TC_MATMUL_B] == 0 && stride[TC_MATMUL_A] == a->rows * a->row &&
                    stride[TC_MATMUL_D] == d->rows * d->row &&
                    (!c->tensor || stride[TC_MATMUL_C] == c->rows * c->row);
        if (can_join) {
            a->rows *= size;
            d->rows *= size;
            c->rows *= size;
            continue;
        }
        matmul->dims[matmul->ndims++] = size;
        matmul->batch *= size;
    }
}

void tc_matmul_offsets(const struct tc_matmul *matmul, int64_t number,
                       int64_t offsets[TC_MATMUL_OPERANDS])
{
    memset(offsets, 0, TC_MATMUL_OPERANDS * sizeof offsets[0]);
    for (int32_t d = 0; d < matmul->ndims; d++) {
        int64_t index = number % matmul->dims[d];

        number /= matmul->dims[d];
        for (int i = 0; i < TC_MATMUL_OPERANDS; i++)
            offsets[i] += index * matmul->strides[d][i];
    }
}

/* ------------------------------------------------------------------ the convolution */

/* Stores a tensor with the extents and strides of a matrix, and two spatial dims of 1. */
static void put(struct anydnn_plugin_problem *to, struct kit_copies *copies, int32_t slot,
                const struct matrix *from)
{
    struct anydnn_plugin_tensor made = {.struct_size = sizeof made,
                                        .type = from->tensor->type,
                                        .ndims = 4,
                                        .dims = {from->rows, from->columns, 1, 1},
                                        .strides = {from->row, from->column, 1, 1}};

    copies->tensor[slot] = made;
    to->tensor[slot] = &copies->tensor[slot];
    to->present |= UINT32_C(1) << slot;
}

/* Stores the three matrices. wgrad has rows of a and b as images, so x is b and dy is a. */
static void put_all(struct anydnn_plugin_problem *to, struct kit_copies *copies,
                    const struct matrix *a, const struct matrix *b, const struct matrix *c,
                    const struct matrix *d)
{
    struct matrix a_t = transposed(*a), b_t = transposed(*b);

    switch (to->operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        put(to, copies, slot_convolution_backward_data_dy, a);
        put(to, copies, slot_convolution_backward_data_w, b);
        put(to, copies, slot_convolution_backward_data_dx, d);
        break;
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
        put(to, copies, slot_convolution_backward_filter_x, b);
        put(to, copies, slot_convolution_backward_filter_dy, &a_t);
        put(to, copies, slot_convolution_backward_filter_dw, d);
        break;
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
        put(to, copies, FUSED(x), a);
        put(to, copies, FUSED(w), &b_t);
        put(to, copies, FUSED(y), d);
        if (c->tensor)
            put(to, copies, FUSED(z), c);
        break;
    default:
        put(to, copies, slot_convolution_forward_x, a);
        put(to, copies, slot_convolution_forward_w, &b_t);
        put(to, copies, slot_convolution_forward_y, d);
    }
}

static int32_t operation_of(int has_bias, const struct matrix *a, const struct matrix *b)
{
    if (has_bias)
        return ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;
    if (!is_along_columns(b))
        return ANYDNN_PLUGIN_CONVOLUTION_FORWARD;
    return is_along_columns(a) ? ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
           : is_along_rows(a)  ? ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER
                               : ANYDNN_PLUGIN_CONVOLUTION_FORWARD;
}

/* Makes the parameters of a convolution with one tap. */
static struct anydnn_plugin_convolution params_of(const struct anydnn_plugin_matmul *from)
{
    struct anydnn_plugin_convolution made = {
        .struct_size = sizeof made,
        .spatial_dims = 2,
        .stride = {1, 1},
        .dilation = {1, 1},
        .window = {1, 1},
        .groups = 1,
        .mode = ANYDNN_PLUGIN_CROSS_CORRELATION,
        .compute_type = from->compute_type,
        .activation = from->activation,
        .nan_propagate = from->nan_propagate,
        .coef = from->coef,
    };

    return made;
}

/* Returns 1 if each product of the batch begins at a multiple of 16 bytes when the first does. */
static int batch_is_aligned(const struct tc_matmul *matmul, int32_t type)
{
    int64_t chunk = 16 / cuda_type_size(type), rest = 0;

    for (int32_t d = 0; d < matmul->ndims; d++) {
        for (int i = 0; i < TC_MATMUL_OPERANDS; i++)
            rest |= matmul->strides[d][i] % chunk;
    }
    return rest == 0;
}

static void find_slots(struct tc_matmul *matmul, const struct anydnn_plugin_problem *problem)
{
    *matmul = (struct tc_matmul){.a = SLOT(a), .b = SLOT(b), .c = -1, .bias = -1, .d = SLOT(d)};
    if (problem->tensor[SLOT(c)])
        matmul->c = SLOT(c);
    if (problem->tensor[SLOT(bias)])
        matmul->bias = SLOT(bias);
    matmul->in_place = matmul->c >= 0 && problem->alias[SLOT(d)] == 1 + SLOT(c);
}

/* Exchanges a and b, so that the transposed product is computed. */
static void transpose_all(struct tc_matmul *matmul, struct matrix *a, struct matrix *b,
                          struct matrix *c, struct matrix *d)
{
    struct matrix first = transposed(*b);

    *b = transposed(*a);
    *a = first;
    *c = transposed(*c);
    *d = transposed(*d);
    matmul->a = SLOT(b);
    matmul->b = SLOT(a);
}

/* Replaces the plan's problem by a convolution. `from` is a copy of the problem, whose tensors are
 * those of the plan. */
static void replace(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *from,
                    const struct matrix *a, const struct matrix *b, const struct matrix *c,
                    const struct matrix *d)
{
    const struct anydnn_plugin_tensor *row = from->tensor[SLOT(bias)];
    struct anydnn_plugin_problem *to = &plan->problem;
    struct kit_copies copies;

    memset(&copies, 0, sizeof copies);
    copies.params.convolution = params_of(from->params);
    to->present = 0;
    memset(to->alias, 0, sizeof to->alias);
    memset(to->tensor, 0, sizeof to->tensor);
    to->operation = operation_of(row != NULL, a, b);
    put_all(to, &copies, a, b, c, d);
    if (row) {
        struct matrix bias = matrix_of(row);

        bias.rows = 1;
        put(to, &copies, FUSED(bias), &bias);
    }
    plan->copies = copies;
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        to->tensor[slot] = to->tensor[slot] ? &plan->copies.tensor[slot] : NULL;
    to->params = &plan->copies.params;
}

void tc_matmul_convert(struct anydnn_plugin_plan *plan, struct tc_matmul *matmul)
{
    struct anydnn_plugin_problem from = plan->problem;
    struct matrix a = matrix_of(from.tensor[SLOT(a)]), b = matrix_of(from.tensor[SLOT(b)]);
    struct matrix d = matrix_of(from.tensor[SLOT(d)]), c = {.tensor = NULL};

    find_slots(matmul, &from);
    if (matmul->c >= 0)
        c = matrix_of(from.tensor[SLOT(c)]);
    make_batch(matmul, &from, &a, &c, &d);
    check_types(&from, &matmul->why);
    if (!matmul->why.reason)
        check_finish(&from, matmul, &matmul->why);
    if (!matmul->why.reason && !batch_is_aligned(matmul, d.tensor->type))
        kit_refuse(&matmul->why, ANYDNN_PLUGIN_REASON_LAYOUT,
                   "cuda_tensorcore needs products that begin at multiples of 16 bytes; a stride "
                   "of the batch is none");
    if (matmul->bias < 0 && is_along_rows(&d))
        transpose_all(matmul, &a, &b, &c, &d);
    replace(plan, &from, &a, &b, &c, &d);
    if (plan->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER) {
        int32_t first = matmul->a;

        matmul->a = matmul->b;
        matmul->b = first;
    }
    matmul->first = matmul->a == SLOT(b);
}
