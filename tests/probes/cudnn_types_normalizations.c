/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about the types of data and parameters of LRN, divisive and batch normalization. */
#include "cudnn_types.h"

#include <stdio.h>

static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const double ones[] = {1};
static const int dims[4] = {1, 8, 1, 1};

static void lrns(void)
{
    for (int type = 0; type < TYPES; type++) {
        const int plane[4] = {1, lanes(type), 3, 3}, deep[4] = {1, 8 * lanes(type), 1, 1};
        struct array *x, *y, *temp, *temp2;
        cudnnLRNDescriptor_t desc;

        if (!ask("lrn and divisive %s, n 5, alpha 0.5, beta 0.75, k 2", type_name(type)))
            continue;
        cudnnCreateLRNDescriptor(&desc);
        cudnnSetLRNDescriptor(desc, 5, 0.5, 0.75, 2);
        x = array(type, format_of(type), deep, values, 8);
        y = array(type, format_of(type), deep, values, 8);
        if (answer("lrn", cudnnLRNCrossChannelForward(handle, desc, CUDNN_LRN_CROSS_CHANNEL_DIM1,
                                                      factor(type, 1), x->desc, x->data,
                                                      factor(type, 0), y->desc, y->data)))
            show("y", y, 8);
        answer("lrn back",
               cudnnLRNCrossChannelBackward(handle, desc, CUDNN_LRN_CROSS_CHANNEL_DIM1,
                                            factor(type, 1), y->desc, y->data, y->desc, y->data,
                                            x->desc, x->data, factor(type, 0), x->desc, x->data));
        x = array(type, format_of(type), plane, values, 8);
        y = array(type, format_of(type), plane, values, 8);
        temp = array(type, format_of(type), plane, values, 8);
        temp2 = array(type, format_of(type), plane, values, 8);
        if (answer("divisive",
                   cudnnDivisiveNormalizationForward(
                       handle, desc, CUDNN_DIVNORM_PRECOMPUTED_MEANS, factor(type, 1), x->desc,
                       x->data, NULL, temp->data, temp2->data, factor(type, 0), y->desc, y->data)))
            show("y", y, 8);
        answer("div. back", cudnnDivisiveNormalizationBackward(
                                handle, desc, CUDNN_DIVNORM_PRECOMPUTED_MEANS, factor(type, 1),
                                x->desc, x->data, NULL, y->data, temp->data, temp2->data,
                                factor(type, 0), x->desc, y->data, NULL));
    }
}

static void batch_normalization(cudnnBatchNormMode_t mode, int type, int y_type, int param,
                                int format)
{
    struct array *x, *y, *dx, *scale, *bias, *mean, *var, *save, *inverse, *dscale, *dbias;

    if (!ask("batch normalization mode %d %s %s to %s, parameters %s", (int)mode,
             format_name(format), type_name(type), type_name(y_type), type_name(param)))
        return;
    x = array(type, format, dims, values, 8);
    y = array(y_type, format, dims, values, 8);
    dx = array(type, format, dims, values, 8);
    scale = array(param, NCHW, dims, ones, 1);
    bias = array(param, NCHW, dims, values, 8);
    mean = array(param, NCHW, dims, ones, 1);
    var = array(param, NCHW, dims, ones, 1);
    save = array(param, NCHW, dims, ones, 1);
    inverse = array(param, NCHW, dims, ones, 1);
    dscale = array(param, NCHW, dims, ones, 1);
    dbias = array(param, NCHW, dims, ones, 1);
    if (answer("inference",
               cudnnBatchNormalizationForwardInference(
                   handle, mode, factor(type, 1), factor(type, 0), x->desc, x->data, y->desc,
                   y->data, scale->desc, scale->data, bias->data, mean->data, var->data, 0.001)))
        show("y", y, 8);
    if (answer("training", cudnnBatchNormalizationForwardTraining(
                               handle, mode, factor(type, 1), factor(type, 0), x->desc, x->data,
                               y->desc, y->data, scale->desc, scale->data, bias->data, 0.5,
                               mean->data, var->data, 0.001, save->data, inverse->data)))
        show("y", y, 8);
    answer("backward",
           cudnnBatchNormalizationBackward(
               handle, mode, factor(type, 1), factor(type, 0), factor(type, 1), factor(type, 0),
               x->desc, x->data, y->desc, y->data, dx->desc, dx->data, scale->desc, scale->data,
               dscale->data, dbias->data, 0.001, save->data, inverse->data));
}

static void derived(void)
{
    for (int type = 0; type < TYPES; type++) {
        cudnnTensorDescriptor_t desc;
        cudnnDataType_t got = CUDNN_DATA_FLOAT;
        struct array *x;
        int at[8];

        if (!ask("derived batch normalization descriptor of %s", type_name(type)))
            continue;
        x = row(type, 6, values, 8);
        cudnnCreateTensorDescriptor(&desc);
        if (answer("derive",
                   cudnnDeriveBNTensorDescriptor(desc, x->desc, CUDNN_BATCHNORM_SPATIAL)) &&
            cudnnGetTensor4dDescriptor(desc, &got, at, at + 1, at + 2, at + 3, at + 4, at + 5,
                                       at + 6, at + 7) == CUDNN_STATUS_SUCCESS)
            printf("  type %s\n", type_name((int)got));
    }
}

void ask_normalizations(void)
{
    static const int list[] = {F32, F16, BF16, F64, S8, U8, S32};
    static const int params[] = {F32, F16, BF16, F64};

    lrns();
    derived();
    for (int mode = 0; mode < 3; mode++)
        for (int t = 0; t < COUNT(list); t++)
            for (int p = 0; p < COUNT(params); p++) {
                batch_normalization((cudnnBatchNormMode_t)mode, list[t], list[t], params[p], NCHW);
                batch_normalization((cudnnBatchNormMode_t)mode, list[t], list[t], params[p], NHWC);
                if (mode == 1 && p == 0 && list[t] != F32) {
                    batch_normalization((cudnnBatchNormMode_t)mode, list[t], F32, F32, NCHW);
                    batch_normalization((cudnnBatchNormMode_t)mode, F32, list[t], F32, NCHW);
                }
            }
}
