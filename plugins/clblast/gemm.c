/* SPDX-License-Identifier: Apache-2.0 */
/* Describes matrices as CLBlast takes them, and enqueues products. */
#include "clblast.h"

/* CLBlast's kernels compute sizes and offsets in 32 bits. */
#define ELEMENTS_MAX INT64_C(0x7fffffff)

int32_t clblast_check_type(const struct anydnn_plugin_context *context, int32_t type,
                           const char *what, struct kit_refusal *why)
{
    if (type != ANYDNN_PLUGIN_FLOAT && type != ANYDNN_PLUGIN_DOUBLE)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "%s is %s; this backend multiplies float and double alone", what,
                          kit_type_name(type));
    if (type == ANYDNN_PLUGIN_DOUBLE && !context->has_double)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_DEVICE,
                          "%s is double, and the OpenCL device does not compute with double", what);
    return 0;
}

int32_t clblast_take_matrix(struct clblast_matrix *to, int64_t rows, int64_t columns,
                            int64_t row_stride, int64_t column_stride, const char *role,
                            struct kit_refusal *why)
{
    int64_t inner;

    to->is_transposed = columns > 1 && column_stride != 1;
    inner = to->is_transposed ? rows : columns;
    to->ld = to->is_transposed ? column_stride : rows > 1 ? row_stride : columns;
    if ((to->is_transposed && rows > 1 && row_stride != 1) || to->ld < inner)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                          "%s has rows at a distance of %lld and columns at %lld; one of them must "
                          "be 1, and the other at least the size of a row",
                          role, (long long)row_stride, (long long)column_stride);
    if (kit_times(to->is_transposed ? columns : rows, to->ld) > ELEMENTS_MAX)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "%s is a matrix of %lld rows and %lld columns; CLBlast counts fewer than "
                          "2^31 elements",
                          role, (long long)rows, (long long)columns);
    return 0;
}

int32_t clblast_status(CLBlastStatusCode code, const char *what)
{
    int is_shortage = code == CLBlastTempBufferAllocFailure ||
                      code == CLBlastOpenCLOutOfResources || code == CLBlastOpenCLOutOfHostMemory;

    if (code == CLBlastSuccess)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    return kit_fail(is_shortage ? ANYDNN_PLUGIN_STATUS_ALLOC_FAILED
                                : ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED,
                    "%s: CLBlast error %d", what, (int)code);
}

int32_t clblast_place(const struct clblast_call *call, const void *pointer,
                      struct clblast_place *place)
{
    const struct anydnn_plugin_context *context = call->plan->context;
    uint64_t offset = 0, bytes = 0;
    void *object = NULL;
    int32_t status =
        context->space->pointer_resolve(context->device, pointer, &object, &offset, &bytes);
    uint64_t element = (uint64_t)kit_type_size(call->plan->type);

    if (status)
        return status;
    if (offset % element != 0 || offset / element > (uint64_t)ELEMENTS_MAX)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "an operand begins %llu bytes into its buffer; CLBlast counts fewer than "
                        "2^31 whole elements",
                        (unsigned long long)offset);
    place->buffer = object;
    place->offset = offset / element;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static CLBlastTranspose transpose_of(const struct clblast_matrix *matrix)
{
    return matrix->is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
}

/* Enqueues one product. */
static CLBlastStatusCode multiply(const struct clblast_call *call, const struct clblast_gemm *of,
                                  struct clblast_place a, struct clblast_place b,
                                  struct clblast_place c, double beta)
{
    cl_command_queue queue = call->queue;
    double alpha = call->operands->scale[0];
    CLBlastStatusCode code;

    clblast_enter();
    if (call->plan->type == ANYDNN_PLUGIN_DOUBLE)
        code = clblast.CLBlastDgemm(
            CLBlastLayoutRowMajor, transpose_of(&of->a), transpose_of(&of->b), (size_t)of->m,
            (size_t)of->n, (size_t)of->k, alpha, a.buffer, a.offset, (size_t)of->a.ld, b.buffer,
            b.offset, (size_t)of->b.ld, beta, c.buffer, c.offset, (size_t)of->c.ld, &queue, NULL);
    else
        code = clblast.CLBlastSgemm(
            CLBlastLayoutRowMajor, transpose_of(&of->a), transpose_of(&of->b), (size_t)of->m,
            (size_t)of->n, (size_t)of->k, (float)alpha, a.buffer, a.offset, (size_t)of->a.ld,
            b.buffer, b.offset, (size_t)of->b.ld, (float)beta, c.buffer, c.offset, (size_t)of->c.ld,
            &queue, NULL);
    clblast_leave();
    return code;
}

int32_t clblast_multiply(const struct clblast_call *call, const struct clblast_gemm *product,
                         struct clblast_place a, struct clblast_place b, struct clblast_place c,
                         double beta)
{
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS;

    for (int64_t i = 0; i < product->batch && !status; i++) {
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
        status = clblast_status(multiply(call, product, a, b, c, beta), "a matrix product");
        a.offset += (size_t)product->a.batch;
        b.offset += (size_t)product->b.batch;
        c.offset += (size_t)product->c.batch;
    }
    return status;
}
