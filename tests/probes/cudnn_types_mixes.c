/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about OpTensor and ReduceTensor: which types can be combined. Only successful
 * combinations are printed. */
#include "cudnn_types.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const int all[] = {F32, F64, F16, BF16, S8, U8, S32, S8X4, U8X4, S8X32};
static const int computes[] = {F32, F64, F16, BF16, S32};
static const double values[] = {1, 2, 3, 5, -1, -2, -3, -5, 127, 100, -128, -100};
static const double unsigned_values[] = {1, 2, 3, 5, 7, 9, 11, 13, 127, 100, 128, 200};
static const double prior[] = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4};

static const double *data_of(int type)
{
    return type == U8 || type == U8X4 ? unsigned_values : values;
}

static void stop_at_error(void)
{
    cudaError_t error = cudaDeviceSynchronize();

    if (error == cudaSuccess)
        return;
    printf("  then CUDA: %s\n", cudaGetErrorString(error));
    exit(2);
}

/* ---- OpTensor */

static cudnnStatus_t op_tensor(int op, int compute, const struct array *a, const struct array *b,
                               const struct array *c, double alpha1, double alpha2, double beta)
{
    cudnnOpTensorDescriptor_t desc;
    cudnnStatus_t status;

    cudnnCreateOpTensorDescriptor(&desc);
    status = cudnnSetOpTensorDescriptor(desc, (cudnnOpTensorOp_t)op, (cudnnDataType_t)compute,
                                        CUDNN_NOT_PROPAGATE_NAN);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnOpTensor(handle, desc, factor(compute, alpha1), a->desc, a->data,
                               factor(compute, alpha2), b->desc, b->data, factor(compute, beta),
                               c->desc, c->data);
    cudnnDestroyOpTensorDescriptor(desc);
    return status;
}

static void op_tensor_table(int compute)
{
    struct array *a[COUNT(all)], *c[COUNT(all)];

    if (!ask("op tensor add, compute %s: a, b: all c that are taken", type_name(compute)))
        return;
    for (int i = 0; i < COUNT(all); i++) {
        const int dims[4] = {1, 32, 1, 4};

        a[i] = array(all[i], format_of(all[i]), dims, data_of(all[i]), 12);
        c[i] = array(all[i], format_of(all[i]), dims, data_of(all[i]), 12);
    }
    for (int i = 0; i < COUNT(all); i++)
        for (int j = 0; j < COUNT(all); j++) {
            int found = 0;

            for (int k = 0; k < COUNT(all); k++) {
                if (op_tensor(CUDNN_OP_TENSOR_ADD, compute, a[i], a[j], c[k], 1, 1, 0) !=
                    CUDNN_STATUS_SUCCESS)
                    continue;
                if (found++ == 0)
                    printf("  %s, %s:", type_name(all[i]), type_name(all[j]));
                printf(" %s", type_name(all[k]));
            }
            if (found)
                printf("\n");
            stop_at_error();
        }
}

static void op_tensor_ops(int type)
{
    static const char *const names[] = {"add", "mul", "min", "max", "sqrt", "not"};

    for (int op = 0; op < 6; op++)
        for (int broadcast = 0; broadcast < 2; broadcast++) {
            struct array *a, *b, *c;

            if (!ask("op tensor %s of %s, compute f32%s", names[op], type_name(type),
                     broadcast ? ", b one element" : ""))
                continue;
            a = row(type, 12, data_of(type), 12);
            b = row(type, broadcast ? 1 : 12, prior, 12);
            c = row(type, 12, prior, 12);
            if (answer("result", op_tensor(op, F32, a, b, c, 1, 1, 0)))
                show("c", c, 12);
            if (answer("blended", op_tensor(op, F32, a, b, c, 0.5, 0.5, 0.5)))
                show("c", c, 12);
        }
}

static void op_tensor_values(int from, int to, double alpha1, double alpha2, double beta)
{
    struct array *a, *b, *c;

    if (!ask("op tensor add %s, %s to %s, factors %g %g %g, compute f32", type_name(from),
             type_name(from), type_name(to), alpha1, alpha2, beta))
        return;
    a = row(from, 12, data_of(from), 12);
    b = row(from, 12, prior, 12);
    c = row(to, 12, prior, 12);
    if (answer("result", op_tensor(CUDNN_OP_TENSOR_ADD, F32, a, b, c, alpha1, alpha2, beta))) {
        show("a", a, 12);
        show("b", b, 12);
        show("c", c, 12);
    }
}

/* Converts ties, overflowing and subnormal numbers, and NaN. */
static void op_tensor_conversions(int to)
{
    static const double edges[] = {
        0.5,     1.5,           2.5,        -0.5,       -2.5,
        300,     -300,          NAN,        INFINITY,   -INFINITY,
        65519,   65520,         65504,      1e-7,       8.940696716308594e-08,
        2.98e-8, 5.9604645e-08, 1.00390625, 1.01171875, 3.3961e38,
        2049,    2051};
    static const double zero[] = {0};
    const int step = 8;

    if (!ask("op tensor add of 0 and edges, f32 to %s", type_name(to)))
        return;
    for (int i = 0; i < COUNT(edges); i += step) {
        int left = COUNT(edges) - i < step ? COUNT(edges) - i : step;
        struct array *a = row(F32, left, edges + i, left), *b = row(F32, left, zero, 1);
        struct array *c = row(to, left, prior, 12);

        if (answer("result", op_tensor(CUDNN_OP_TENSOR_ADD, F32, a, b, c, 1, 1, 0))) {
            show("a", a, left);
            show("c", c, left);
        }
    }
}

static void op_tensors(void)
{
    static const double factors[][3] = {{1, 1, 0}, {0.5, 0, 0},   {0.5, 0.5, 0},
                                        {2, 1, 0}, {0.5, 0, 0.5}, {1, 0, 1}};
    static const int pairs[][2] = {{S8, S8},    {F32, S8},   {S8, F32},   {F32, F16}, {F16, F32},
                                   {F16, S8},   {F32, U8},   {U8, U8},    {S32, S32}, {F32, S32},
                                   {BF16, F32}, {F32, BF16}, {BF16, BF16}};

    for (int c = 0; c < COUNT(computes); c++)
        op_tensor_table(computes[c]);
    for (int p = 0; p < COUNT(pairs); p++)
        for (int f = 0; f < COUNT(factors); f++)
            op_tensor_values(pairs[p][0], pairs[p][1], factors[f][0], factors[f][1], factors[f][2]);
    op_tensor_conversions(S8);
    op_tensor_conversions(F16);
    op_tensor_conversions(BF16);
    op_tensor_ops(S8);
    op_tensor_ops(F16);
}

/* ---- ReduceTensor */

static cudnnStatus_t reduce(int op, int compute, const struct array *a, const struct array *c,
                            double alpha, double beta, int indexed)
{
    cudnnReduceTensorDescriptor_t desc;
    cudnnStatus_t status;
    size_t bytes = 0, indices = 0;
    static void *list;

    if (list == NULL)
        cudaMalloc(&list, 1 << 16);
    cudnnCreateReduceTensorDescriptor(&desc);
    status = cudnnSetReduceTensorDescriptor(
        desc, (cudnnReduceTensorOp_t)op, (cudnnDataType_t)compute, CUDNN_NOT_PROPAGATE_NAN,
        indexed ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES : CUDNN_REDUCE_TENSOR_NO_INDICES,
        CUDNN_32BIT_INDICES);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnGetReductionWorkspaceSize(handle, desc, a->desc, c->desc, &bytes);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnGetReductionIndicesSize(handle, desc, a->desc, c->desc, &indices);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnReduceTensor(handle, desc, list, indices, workspace(bytes), bytes,
                                   factor(compute, alpha), a->desc, a->data, factor(compute, beta),
                                   c->desc, c->data);
    cudnnDestroyReduceTensorDescriptor(desc);
    return status;
}

static void reduce_table(int op, int compute, int indexed)
{
    const int one[4] = {1, 1, 1, 1};

    if (!ask("reduce op %d, compute %s%s: a: all c that are taken", op, type_name(compute),
             indexed ? ", indices" : ""))
        return;
    for (int i = 0; i < COUNT(all); i++) {
        int found = 0;

        for (int k = 0; k < COUNT(all); k++) {
            struct array *a = row(all[i], 4, values, 4), *c = array(all[k], NCHW, one, values, 1);

            if (lanes(all[k]) > 1)
                c = row(all[k], 1, values, 1);
            if (reduce(op, compute, a, c, 1, 0, indexed) != CUDNN_STATUS_SUCCESS)
                continue;
            if (found++ == 0)
                printf("  %s:", type_name(all[i]));
            printf(" %s", type_name(all[k]));
        }
        if (found)
            printf("\n");
        stop_at_error();
    }
}

static void reduce_values(int op, int from, int to)
{
    static const char *const names[] = {"add", "mul",   "min",   "max",         "amax",
                                        "avg", "norm1", "norm2", "mul no zeros"};
    const int from_dims[4] = {3, 1, 1, 4}, to_dims[4] = {3, 1, 1, 1};
    struct array *a, *c;

    if (!ask("reduce %s of %s to %s, compute f32", names[op], type_name(from), type_name(to)))
        return;
    a = array(from, NCHW, from_dims, data_of(from), 12);
    c = array(to, NCHW, to_dims, prior, 12);
    if (answer("result", reduce(op, F32, a, c, 1, 0, 0))) {
        show("a", a, 12);
        show("c", c, 3);
    }
    if (answer("alpha 0.5", reduce(op, F32, a, c, 0.5, 0, 0)))
        show("c", c, 3);
    if (answer("beta 0.5", reduce(op, F32, a, c, 0.5, 0.5, 0)))
        show("c", c, 3);
}

void ask_mixes(void)
{
    static const int pairs[][2] = {{S8, S8},   {S8, F32},    {F32, S8},  {F16, F16}, {F16, F32},
                                   {F32, F16}, {BF16, BF16}, {S32, S32}, {U8, U8},   {F16, S8}};

    op_tensors();
    for (int op = 0; op < 9; op++)
        for (int c = 0; c < COUNT(computes); c++) {
            reduce_table(op, computes[c], 0);
            if (op >= 2 && op <= 4)
                reduce_table(op, computes[c], 1);
        }
    for (int p = 0; p < COUNT(pairs); p++)
        for (int op = 0; op < 9; op++)
            reduce_values(op, pairs[p][0], pairs[p][1]);
}
