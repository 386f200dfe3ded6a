/* SPDX-License-Identifier: Apache-2.0 */
/* The entries that run convolutions. */
#include "api/convolution.h"

#include "problem/infer.h"
#include "problem/problem.h"
#include "sys/error.h"

void adn_convolution_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnConvolutionStruct *desc = call->descriptor[0];

    params->convolution = desc->c;
}

void adn_convolution_fused_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnActivationStruct *activation = call->descriptor[1];

    adn_convolution_params(call, params);
    params->convolution.activation = activation->a.mode;
    params->convolution.nan_propagate = activation->a.nan_propagate;
    params->convolution.coef = activation->a.coef;
}

anydnnStatus_t anydnnConvolutionForward(anydnnHandle_t handle, const void *alpha,
                                        anydnnTensorDescriptor_t xDesc, const void *x,
                                        anydnnFilterDescriptor_t wDesc, const void *w,
                                        anydnnConvolutionDescriptor_t convDesc,
                                        anydnnConvolutionFwdAlgo_t algo, void *workSpace,
                                        size_t workSpaceSizeInBytes, const void *beta,
                                        anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnConvolutionForward", ANYDNN_PLUGIN_CONVOLUTION_FORWARD);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_filter(&entry, 1, wDesc, w);
    adn_call_convolution(&entry, convDesc);
    adn_call_algorithm(&entry, (int)algo);
    adn_call_tensor(&entry, 2, yDesc, y);
    adn_call_blend(&entry, alpha, beta);
    adn_call_workspace(&entry, workSpace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnConvolutionBackwardData(anydnnHandle_t handle, const void *alpha,
                                             anydnnFilterDescriptor_t wDesc, const void *w,
                                             anydnnTensorDescriptor_t dyDesc, const void *dy,
                                             anydnnConvolutionDescriptor_t convDesc,
                                             anydnnConvolutionBwdDataAlgo_t algo, void *workSpace,
                                             size_t workSpaceSizeInBytes, const void *beta,
                                             anydnnTensorDescriptor_t dxDesc, void *dx)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnConvolutionBackwardData",
                   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA);
    adn_call_filter(&entry, 0, wDesc, w);
    adn_call_tensor(&entry, 1, dyDesc, dy);
    adn_call_convolution(&entry, convDesc);
    adn_call_algorithm(&entry, (int)algo);
    adn_call_tensor(&entry, 2, dxDesc, dx);
    adn_call_blend(&entry, alpha, beta);
    adn_call_workspace(&entry, workSpace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnConvolutionBackwardFilter(
    anydnnHandle_t handle, const void *alpha, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnTensorDescriptor_t dyDesc, const void *dy, anydnnConvolutionDescriptor_t convDesc,
    anydnnConvolutionBwdFilterAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *beta, anydnnFilterDescriptor_t dwDesc, void *dw)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnConvolutionBackwardFilter",
                   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_tensor(&entry, 1, dyDesc, dy);
    adn_call_convolution(&entry, convDesc);
    adn_call_algorithm(&entry, (int)algo);
    adn_call_filter(&entry, 2, dwDesc, dw);
    adn_call_blend(&entry, alpha, beta);
    adn_call_workspace(&entry, workSpace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnConvolutionBackwardBias(anydnnHandle_t handle, const void *alpha,
                                             anydnnTensorDescriptor_t dyDesc, const void *dy,
                                             const void *beta, anydnnTensorDescriptor_t dbDesc,
                                             void *db)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnConvolutionBackwardBias",
                   ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS);
    adn_call_tensor(&entry, 0, dyDesc, dy);
    adn_call_tensor(&entry, 1, dbDesc, db);
    adn_call_blend(&entry, alpha, beta);
    return adn_call_run(handle, &entry);
}

anydnnStatus_t anydnnConvolutionBiasActivationForward(
    anydnnHandle_t handle, const void *alpha1, anydnnTensorDescriptor_t xDesc, const void *x,
    anydnnFilterDescriptor_t wDesc, const void *w, anydnnConvolutionDescriptor_t convDesc,
    anydnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *alpha2, anydnnTensorDescriptor_t zDesc, const void *z,
    anydnnTensorDescriptor_t biasDesc, const void *bias,
    anydnnActivationDescriptor_t activationDesc, anydnnTensorDescriptor_t yDesc, void *y)
{
    ADN_FLOAT_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnConvolutionBiasActivationForward",
                   ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_filter(&entry, 1, wDesc, w);
    adn_call_convolution(&entry, convDesc);
    adn_call_algorithm(&entry, (int)algo);
    adn_call_tensor(&entry, 3, biasDesc, bias);
    adn_call_descriptor(&entry, ADN_DESC_ACTIVATION, "activationDesc", activationDesc, 1);
    adn_call_tensor(&entry, 4, yDesc, y);
    adn_call_scale(&entry, 0, alpha1);
    adn_call_scale(&entry, 1, alpha2);
    /* Programs written for cuDNN pass y for a z that they do not use. z counts only if its factor
     * is not 0. */
    if (call.operands.scale[1] != 0)
        adn_call_tensor(&entry, 2, zDesc, z);
    call.params = adn_convolution_fused_params;
    adn_call_workspace(&entry, workSpace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}

static void im2col_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnn_plugin_tensor *w = call->extra;

    adn_convolution_params(call, params);
    params->convolution.groups = 1;
    for (int32_t i = 0; i + 2 < w->ndims; i++)
        params->convolution.window[i] = w->dims[i + 2];
}

anydnnStatus_t anydnnIm2Col(anydnnHandle_t handle, anydnnTensorDescriptor_t xDesc, const void *x,
                            anydnnFilterDescriptor_t wDesc, anydnnConvolutionDescriptor_t convDesc,
                            void *colBuffer)
{
    ADN_FLOAT_SCOPE;
    struct adn_problem problem;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status;

    adn_call_begin(&entry, &call, "anydnnIm2Col", ANYDNN_PLUGIN_IM2COL);
    adn_call_tensor(&entry, 0, xDesc, x);
    adn_call_convolution(&entry, convDesc);
    if (!adn_call_accepted(&entry))
        return adn_call_report(&entry);
    if (!adn_desc_usable(wDesc, ADN_DESC_FILTER))
        return adn_desc_complain("anydnnIm2Col", "wDesc", wDesc, ADN_DESC_FILTER);
    if (convDesc->c.groups != 1)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "anydnnIm2Col: convDesc has %lld groups; this entry requires 1",
                        (long long)convDesc->c.groups);
    if (wDesc->t.dims[1] != xDesc->t.dims[1])
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnIm2Col: wDesc has %lld channels and xDesc %lld; they must agree",
                        (long long)wDesc->t.dims[1], (long long)xDesc->t.dims[1]);
    if (wDesc->t.ndims != xDesc->t.ndims || convDesc->c.spatial_dims != xDesc->t.ndims - 2)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "anydnnIm2Col: xDesc has %d dims, wDesc %d, convDesc %d spatial ones; they must agree",
            (int)xDesc->t.ndims, (int)wDesc->t.ndims, (int)convDesc->c.spatial_dims);
    adn_call_key(&entry, wDesc->head.stamp);
    call.extra = &wDesc->t;
    call.params = im2col_params;
    adn_problem_init(&problem, ANYDNN_PLUGIN_IM2COL);
    im2col_params(&call, &problem.params);
    problem.tensor[0] = xDesc->t;
    problem.present = 1;
    status = adn_problem_infer(&problem, "anydnnIm2Col");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_data(&entry, 1, &problem.tensor[1], colBuffer);
    return adn_call_run(handle, &entry);
}
