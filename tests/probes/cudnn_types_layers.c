/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about descriptors, pooling, activation, softmax and dropout, each with one type for
 * all tensors. */
#include "cudnn_types.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

static const int formats[] = {NCHW, NHWC, VECT};

static void descriptors(void)
{
    for (int type = 0; type <= S64; type++)
        for (int f = 0; f < COUNT(formats); f++) {
            cudnnTensorDescriptor_t desc;
            cudnnFilterDescriptor_t filter;
            cudnnDataType_t got;
            cudnnStatus_t status;
            int v = lanes(type), at[8] = {0};
            size_t bytes = 0;

            if (!ask("descriptor %s %s 2,%d,3,5", type_name(type), format_name(formats[f]), 2 * v))
                continue;
            cudnnCreateTensorDescriptor(&desc);
            cudnnCreateFilterDescriptor(&filter);
            status = cudnnSetTensor4dDescriptor(desc, (cudnnTensorFormat_t)formats[f],
                                                (cudnnDataType_t)type, 2, 2 * v, 3, 5);
            if (answer("tensor", status)) {
                cudnnGetTensor4dDescriptor(desc, &got, at, at + 1, at + 2, at + 3, at + 4, at + 5,
                                           at + 6, at + 7);
                cudnnGetTensorSizeInBytes(desc, &bytes);
                printf("  dims %d,%d,%d,%d strides %d,%d,%d,%d, %zu bytes\n", at[0], at[1], at[2],
                       at[3], at[4], at[5], at[6], at[7], bytes);
            }
            answer("filter",
                   cudnnSetFilter4dDescriptor(filter, (cudnnDataType_t)type,
                                              (cudnnTensorFormat_t)formats[f], 2, 2 * v, 3, 5));
        }
}

/* ---- pooling */

static const char *const pool_names[] = {"max", "average include", "average exclude",
                                         "max deterministic"};

static cudnnPoolingDescriptor_t pool(int mode, int h, int w, int pad, int stride)
{
    cudnnPoolingDescriptor_t desc;

    cudnnCreatePoolingDescriptor(&desc);
    cudnnSetPooling2dDescriptor(desc, (cudnnPoolingMode_t)mode, CUDNN_NOT_PROPAGATE_NAN, h, w, 0,
                                pad, 1, stride);
    return desc;
}

static void pool_forward(int mode, int type, int y_type, int format)
{
    static const double x_values[] = {1, 2, 2, 3, 3, 3, 1, 4, 5, 0, 7, 100, 127, 127, 100, 101};
    const int c = 4 > lanes(type) ? 4 : lanes(type);
    const int x_dims[4] = {1, c, 2, 4}, y_dims[4] = {1, c, 1, 2};
    struct array *x, *y;

    if (!ask("pooling %s %s to %s %s, 2x4 to 1x2", pool_names[mode], type_name(type),
             type_name(y_type), format_name(format)))
        return;
    x = array(type, format, x_dims, x_values, COUNT(x_values));
    y = array(y_type, format, y_dims, x_values, 1);
    if (answer("forward",
               cudnnPoolingForward(handle, pool(mode, 2, 2, 0, 2), factor(y_type, 1), x->desc,
                                   x->data, factor(y_type, 0), y->desc, y->data))) {
        show("x", x, 16);
        show("y", y, 4);
    }
    if (type == y_type)
        answer("backward", cudnnPoolingBackward(handle, pool(mode, 2, 2, 0, 2), factor(type, 1),
                                                y->desc, y->data, y->desc, y->data, x->desc,
                                                x->data, factor(type, 0), x->desc, x->data));
}

/* Pools rows of pairs, which show the rounding of halves, saturation, windows that contain only
 * padding, and blends. */
static void pool_values(int mode, int type, int format, double alpha, double beta, int pad)
{
    static const double mixed[] = {1, 2, 2, 3, -1, -2, -2, -3, 127, 126, -128, -127, 0, -1, 0, 1};
    static const double positive[] = {1,   2,   2,   3,   4,   5,   250, 251,
                                      127, 126, 255, 255, 254, 255, 0,   1};
    static const double prior[] = {1, 2, 3, 100};
    const int c = 4 > lanes(type) ? 4 : lanes(type), w = pad ? 10 : 8;
    const int x_dims[4] = {1, c, 1, 16}, y_dims[4] = {1, c, 1, w};
    struct array *x, *y;

    if (!ask("pooling %s %s %s of pairs, pad %d, alpha %g, beta %g, prior 1 2 3 100 ..",
             pool_names[mode], type_name(type), format_name(format), pad, alpha, beta))
        return;
    x = array(type, format, x_dims, type == U8 || type == U8X4 ? positive : mixed, 16);
    y = array(type, format, y_dims, prior, 4);
    if (answer("forward",
               cudnnPoolingForward(handle, pool(mode, 1, 2, pad, 2), factor(type, alpha), x->desc,
                                   x->data, factor(type, beta), y->desc, y->data))) {
        show("x", x, 16);
        show("y", y, w);
    }
}

static void poolings(void)
{
    for (int mode = 0; mode < 4; mode++)
        for (int type = 0; type < TYPES; type++)
            for (int f = 0; f < COUNT(formats); f++) {
                if ((lanes(type) > 1) != (formats[f] == VECT))
                    continue;
                pool_forward(mode, type, type, formats[f]);
                if (type != F32 && mode < 2)
                    pool_forward(mode, type, F32, formats[f]);
            }
    for (int mode = 0; mode < 3; mode++) {
        pool_values(mode, F16, NCHW, 1, 0, 2);
        pool_values(mode, BF16, NCHW, 1, 0, 2);
        for (int type = 0; type < TYPES; type++)
            if (type == S8 || type == U8 || type == S32 || lanes(type) > 1) {
                pool_values(mode, type, lanes(type) > 1 ? VECT : NHWC, 1, 0, 0);
                pool_values(mode, type, format_of(type), 1, 0, 0);
                pool_values(mode, type, format_of(type), 1, 0, 2);
                pool_values(mode, type, format_of(type), 2, 0, 0);
                pool_values(mode, type, format_of(type), 0.5, 0, 0);
                pool_values(mode, type, format_of(type), 0.5, 0.5, 0);
                pool_values(mode, type, format_of(type), 1, 1, 0);
            }
    }
}

/* ---- activation, softmax, dropout */

static void activations(void)
{
    static const struct {
        const char *name;
        int mode;
    } modes[] = {{"relu", CUDNN_ACTIVATION_RELU},
                 {"sigmoid", CUDNN_ACTIVATION_SIGMOID},
                 {"clipped relu", CUDNN_ACTIVATION_CLIPPED_RELU},
                 {"elu", CUDNN_ACTIVATION_ELU},
                 {"swish", CUDNN_ACTIVATION_SWISH},
                 {"identity", CUDNN_ACTIVATION_IDENTITY}};
    static const double values[] = {0, 1, 2, 3, 100, 5};

    for (int m = 0; m < COUNT(modes); m++)
        for (int type = 0; type < TYPES; type++) {
            cudnnActivationDescriptor_t desc;
            struct array *x, *y, *f;

            if (!ask("activation %s %s, coef 4", modes[m].name, type_name(type)))
                continue;
            cudnnCreateActivationDescriptor(&desc);
            cudnnSetActivationDescriptor(desc, (cudnnActivationMode_t)modes[m].mode,
                                         CUDNN_NOT_PROPAGATE_NAN, 4);
            x = row(type, 6, values, 6);
            y = row(type, 6, values, 6);
            f = row(F32, 6 * lanes(type), values, 6);
            if (answer("forward",
                       cudnnActivationForward(handle, desc, factor(type, 1), x->desc, x->data,
                                              factor(type, 0), y->desc, y->data)))
                show("y", y, 6);
            answer("backward", cudnnActivationBackward(handle, desc, factor(type, 1), y->desc,
                                                       y->data, y->desc, y->data, x->desc, x->data,
                                                       factor(type, 0), x->desc, x->data));
            if (type != F32 && lanes(type) == 1)
                answer("to f32", cudnnActivationForward(handle, desc, factor(F32, 1), x->desc,
                                                        x->data, factor(F32, 0), f->desc, f->data));
        }
}

static void softmaxes(void)
{
    static const double values[] = {0, 1, 2, 3, 4, 5};

    for (int algorithm = 0; algorithm < 3; algorithm++)
        for (int type = 0; type < TYPES; type++) {
            struct array *x, *y, *f;

            if (!ask("softmax algorithm %d %s", algorithm, type_name(type)))
                continue;
            x = row(type, 6, values, 6);
            y = row(type, 6, values, 6);
            f = row(F32, 6, values, 6);
            if (answer("forward",
                       cudnnSoftmaxForward(handle, (cudnnSoftmaxAlgorithm_t)algorithm,
                                           CUDNN_SOFTMAX_MODE_INSTANCE, factor(type, 1), x->desc,
                                           x->data, factor(type, 0), y->desc, y->data)))
                show("y", y, 6);
            answer("backward", cudnnSoftmaxBackward(handle, (cudnnSoftmaxAlgorithm_t)algorithm,
                                                    CUDNN_SOFTMAX_MODE_INSTANCE, factor(type, 1),
                                                    y->desc, y->data, y->desc, y->data,
                                                    factor(type, 0), x->desc, x->data));
            if (type != F32 && lanes(type) == 1)
                answer("to f32",
                       cudnnSoftmaxForward(handle, (cudnnSoftmaxAlgorithm_t)algorithm,
                                           CUDNN_SOFTMAX_MODE_INSTANCE, factor(F32, 1), x->desc,
                                           x->data, factor(F32, 0), f->desc, f->data));
        }
}

static void dropouts(void)
{
    static const double values[] = {1, 2, 3, 4, 5, 6};
    static const int list[] = {F32, F16, BF16, F64, S8, U8, S32, S8X4, U8X4, S8X32};
    size_t state_bytes = 0, reserve_bytes = 0;
    void *states = NULL, *reserve = NULL;
    cudnnDropoutDescriptor_t desc;

    for (int t = 0; t < COUNT(list); t++) {
        struct array *x, *y;

        if (!ask("dropout %s, p 0.5", type_name(list[t])))
            continue;
        x = row(list[t], 6, values, 6);
        y = row(list[t], 6, values, 6);
        cudnnDropoutGetStatesSize(handle, &state_bytes);
        cudaMalloc(&states, state_bytes);
        cudnnCreateDropoutDescriptor(&desc);
        answer("set", cudnnSetDropoutDescriptor(desc, handle, 0.5F, states, state_bytes, 1));
        answer("size", cudnnDropoutGetReserveSpaceSize(x->desc, &reserve_bytes));
        printf("  reserve of %zu bytes for %d elements\n", reserve_bytes, x->count);
        cudaMalloc(&reserve, reserve_bytes + 256);
        if (answer("forward", cudnnDropoutForward(handle, desc, x->desc, x->data, y->desc, y->data,
                                                  reserve, reserve_bytes)))
            show("y", y, 6);
        answer("backward", cudnnDropoutBackward(handle, desc, y->desc, y->data, x->desc, x->data,
                                                reserve, reserve_bytes));
    }
}

void ask_layers(void)
{
    descriptors();
    poolings();
    activations();
    softmaxes();
    dropouts();
}
