/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about transforms, set, scale, add and im2col. */
#include "cudnn_types.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 127, 100, 3, 1};
static const double mixed[] = {1, 2, 3, 5, -1, -2, -3, -5, 127, 100, -128, -100};
static const double prior[] = {1, 1, 2, 2, 1, 1, 2, 2, 100, 100, -100, -100};
static const double blends[][2] = {{1, 0}, {0.5, 0}, {2, 0}, {1, 1}, {0.5, 0.5}};

static int is_unsigned(int type)
{
    return type == U8 || type == U8X4;
}

static const double *data_of(int type)
{
    return is_unsigned(type) ? values : mixed;
}

static const double *prior_of(int type)
{
    return is_unsigned(type) ? values : prior;
}

/* ---- transforms */

static void transform(int from, int from_format, int to, int to_format, double alpha, double beta)
{
    const int c = lanes(from) > lanes(to) ? lanes(from) : lanes(to) > 4 ? lanes(to) : 4;
    const int dims[4] = {1, c, 1, 3};
    struct array *x, *y;

    if (!ask("transform %s %s to %s %s, alpha %g, beta %g", type_name(from),
             format_name(from_format), type_name(to), format_name(to_format), alpha, beta))
        return;
    x = array(from, from_format, dims, data_of(from), 12);
    y = array(to, to_format, dims, prior_of(to), 12);
    if (answer("transform", cudnnTransformTensor(handle, factor(to, alpha), x->desc, x->data,
                                                 factor(to, beta), y->desc, y->data))) {
        show("x", x, 12);
        if (beta != 0)
            show("prior", array(to, to_format, dims, prior_of(to), 12), 12);
        show("y", y, 12);
    }
}

static void transforms(void)
{
    for (int from = 0; from < TYPES; from++)
        for (int to = 0; to < TYPES; to++)
            transform(from, format_of(from), to, format_of(to), 1, 0);
    for (int from = 0; from < TYPES; from++) {
        if (lanes(from) == 1) {
            transform(from, NCHW, from, NHWC, 1, 0);
            transform(from, NHWC, from, NCHW, 1, 0);
            transform(from, NHWC, S8X4, VECT, 1, 0);
            transform(from, NHWC, S8X32, VECT, 1, 0);
        }
        for (int b = 1; b < COUNT(blends); b++) {
            transform(from, format_of(from), from, format_of(from), blends[b][0], blends[b][1]);
            transform(from, format_of(from), S8, NCHW, blends[b][0], blends[b][1]);
            transform(S8, NCHW, from, format_of(from), blends[b][0], blends[b][1]);
        }
    }
}

static void transform_ex(int from, int to, int from_format, int to_format, double alpha,
                         double beta, int filter)
{
    const int c = lanes(from) > lanes(to) ? lanes(from) : lanes(to) > 4 ? lanes(to) : 4;
    const int dims[4] = {1, c, 1, 3};
    const int32_t none[4] = {0, 0, 0, 0};
    const uint32_t fold[2] = {1, 1};
    cudnnTensorTransformDescriptor_t desc;
    struct array *x, *y;
    cudnnStatus_t status;

    if (!ask("transform %s %s %s to %s %s, alpha %g, beta %g", filter ? "filter" : "ex",
             type_name(from), format_name(from_format), type_name(to), format_name(to_format),
             alpha, beta))
        return;
    cudnnCreateTensorTransformDescriptor(&desc);
    answer("set", cudnnSetTensorTransformDescriptor(desc, 4, (cudnnTensorFormat_t)to_format, none,
                                                    none, fold, CUDNN_TRANSFORM_FOLD));
    x = array(from, from_format, dims, data_of(from), 12);
    y = array(to, to_format, dims, prior_of(to), 12);
    if (filter)
        status = cudnnTransformFilter(handle, desc, factor(to, alpha), x->filter, x->data,
                                      factor(to, beta), y->filter, y->data);
    else
        status = cudnnTransformTensorEx(handle, desc, factor(to, alpha), x->desc, x->data,
                                        factor(to, beta), y->desc, y->data);
    if (answer("transform", status)) {
        show("x", x, 12);
        show("y", y, 12);
    }
}

static void transforms_ex(void)
{
    for (int filter = 0; filter < 2; filter++)
        for (int from = 0; from < TYPES; from++) {
            if (filter && from == S32) /* S32 has no filter descriptor */
                continue;
            for (int to = 0; to < TYPES; to++)
                if (!filter || to != S32)
                    transform_ex(from, to, format_of(from), format_of(to), 1, 0, filter);
            if (lanes(from) == 1)
                transform_ex(from, from, NCHW, NHWC, 1, 0, filter);
            transform_ex(from, from, format_of(from), format_of(from), 0.5, 0.5, filter);
        }
}

/* ---- set, scale, add */

static void sets(void)
{
    for (int type = 0; type < TYPES; type++) {
        unsigned char value[8] = {0};
        struct array *y;

        if (!ask("set %s to its 3", type_name(type)))
            continue;
        y = row(type, 4, values, 12);
        if (type == F32)
            memcpy(value, factor(F32, 3), 4);
        else if (type == F64)
            memcpy(value, factor(F64, 3), 8);
        else if (type == F16)
            memcpy(value, &(uint16_t){0x4200}, 2);
        else if (type == BF16)
            memcpy(value, &(uint16_t){0x4040}, 2);
        else
            value[0] = 3;
        if (answer("set", cudnnSetTensor(handle, y->desc, y->data, value)))
            show("y", y, 8);
        if (answer("float 5", cudnnSetTensor(handle, y->desc, y->data, factor(F32, 5))))
            show("y", y, 8);
        value[1] = 4;
        value[2] = 5;
        value[3] = 6;
        value[0] = 3;
        if (lanes(type) == 4 &&
            answer("bytes 3456", cudnnSetTensor(handle, y->desc, y->data, value)))
            show("y", y, 8);
    }
}

static void scales(void)
{
    for (int type = 0; type < TYPES; type++)
        for (int a = 0; a < 3; a++) {
            const double alpha = a == 0 ? 0.5 : a == 1 ? 2 : -1.25;
            struct array *y;

            if (!ask("scale %s by %g", type_name(type), alpha))
                continue;
            y = row(type, 12, data_of(type), 12);
            show("y", y, 12);
            if (answer("scale", cudnnScaleTensor(handle, y->desc, y->data, factor(type, alpha))))
                show("y", y, 12);
        }
}

static void add(int from, int to, int broadcast, double alpha, double beta)
{
    const int c = lanes(from) > lanes(to) ? lanes(from) : lanes(to);
    const int dims[4] = {1, c, 1, 12}, one[4] = {1, c, 1, 1};
    struct array *a, *y;

    if (!ask("add %s%s to %s, alpha %g, beta %g", type_name(from),
             broadcast ? " (one a channel)" : "", type_name(to), alpha, beta))
        return;
    a = array(from, format_of(from), broadcast ? one : dims, data_of(from), 12);
    y = array(to, format_of(to), dims, prior_of(to), 12);
    show("y", y, 12);
    if (answer("add", cudnnAddTensor(handle, factor(to, alpha), a->desc, a->data, factor(to, beta),
                                     y->desc, y->data))) {
        show("a", a, 12);
        show("y", y, 12);
    }
}

static void adds(void)
{
    for (int from = 0; from < TYPES; from++) {
        for (int to = 0; to < TYPES; to++)
            add(from, to, 0, 1, 1);
        add(from, from, 1, 1, 1);
        for (int b = 1; b < COUNT(blends); b++)
            add(from, from, 0, blends[b][0], blends[b][1]);
    }
}

/* ---- im2col */

static void im2cols(void)
{
    static const int computes[] = {F32, F16, BF16, F64, S32};

    for (int type = 0; type < TYPES; type++)
        for (int f = 0; f < 2; f++)
            for (int c = 0; c < COUNT(computes); c++) {
                const int dims[4] = {1, lanes(type), 2, 3}, window[4] = {1, lanes(type), 1, 2};
                cudnnConvolutionDescriptor_t conv;
                struct array *x, *w, *col;
                int format = lanes(type) > 1 ? VECT : f == 0 ? NCHW : NHWC;

                if (!ask("im2col %s %s, compute %s", type_name(type), format_name(format),
                         type_name(computes[c])))
                    continue;
                x = array(type, format, dims, values, 12);
                w = array(type, format, window, values, 12);
                col = row(type, 64, prior, 1);
                cudnnCreateConvolutionDescriptor(&conv);
                cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                                (cudnnDataType_t)computes[c]);
                if (answer("im2col",
                           cudnnIm2Col(handle, x->desc, x->data, w->filter, conv, col->data)))
                    show("col", col, 8);
            }
}

void ask_tensors(void)
{
    transforms();
    transforms_ex();
    sets();
    scales();
    adds();
    im2cols();
}
