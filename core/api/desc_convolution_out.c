/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the output dims of a convolution from its descriptors. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "desc/shape.h"
#include "sys/error.h"

struct operands {
    const struct anydnn_plugin_convolution *conv;
    const struct anydnn_plugin_tensor *x;
    const struct anydnn_plugin_tensor *w;
};

static anydnnStatus_t check_descriptors(const char *entry, anydnnConvolutionDescriptor_t conv,
                                        anydnnTensorDescriptor_t input,
                                        anydnnFilterDescriptor_t filter, struct operands *at)
{
    at->conv = adn_desc_convolution(conv);
    at->x = adn_desc_tensor(input);
    at->w = adn_desc_filter(filter);
    if (!at->conv)
        return adn_desc_complain(entry, "convDesc", conv, ADN_DESC_CONVOLUTION);
    if (!at->x)
        return adn_desc_complain(entry, "inputTensorDesc", input, ADN_DESC_TENSOR);
    if (!at->w)
        return adn_desc_complain(entry, "filterDesc", filter, ADN_DESC_FILTER);
    return ANYDNN_STATUS_SUCCESS;
}

/* Checks the numbers of dims. As in cuDNN, the types, and K against the groups, are checked only
 * when the convolution runs. */
static anydnnStatus_t check_shapes(const char *entry, const struct operands *at)
{
    int dims = at->conv->spatial_dims + 2;

    if (at->x->ndims != dims || at->w->ndims != dims)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: convDesc has %d spatial dims, inputTensorDesc %d dims and filterDesc "
                        "%d; both must have "
                        "%d",
                        entry, (int)at->conv->spatial_dims, (int)at->x->ndims, (int)at->w->ndims,
                        dims);
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t output_dims(const char *entry, const struct operands *at, int64_t *dims)
{
    const struct anydnn_plugin_convolution *conv = at->conv;

    if (at->w->dims[1] * conv->groups != at->x->dims[1])
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: the filter has %lld channels in each of %lld groups and the input "
                        "%lld; filter channels "
                        "times groups must be the input's",
                        entry, (long long)at->w->dims[1], (long long)conv->groups,
                        (long long)at->x->dims[1]);
    dims[0] = at->x->dims[0];
    dims[1] = at->w->dims[0];
    for (int i = 2; i < at->x->ndims; i++) {
        dims[i] = adn_shape_convolution_out(at->x->dims[i], conv->pad[i - 2], at->w->dims[i],
                                            conv->dilation[i - 2], conv->stride[i - 2]);
        if (dims[i] < 1)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: in dim %d, the dilated filter covers %lld elements and the padded "
                            "input has %lld; the filter must fit",
                            entry, i, (long long)((at->w->dims[i] - 1) * conv->dilation[i - 2] + 1),
                            (long long)(at->x->dims[i] + 2 * conv->pad[i - 2]));
    }
    for (int i = 0; i < at->x->ndims; i++) {
        anydnnStatus_t status = adn_desc_check_int(entry, "an output dim", dims[i]);

        if (status != ANYDNN_STATUS_SUCCESS)
            return status;
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetConvolution2dForwardOutputDim(anydnnConvolutionDescriptor_t convDesc,
                                                      anydnnTensorDescriptor_t inputTensorDesc,
                                                      anydnnFilterDescriptor_t filterDesc, int *n,
                                                      int *c, int *h, int *w)
{
    static const char *const names[] = {"n", "c", "h", "w"};
    const void *const outputs[] = {n, c, h, w};
    int64_t dims[ANYDNN_DIM_MAX];
    struct operands at;
    anydnnStatus_t status = check_descriptors(__func__, convDesc, inputTensorDesc, filterDesc, &at);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 4);
    if (status == ANYDNN_STATUS_SUCCESS && at.conv->spatial_dims != 2)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: convDesc has %d spatial dims; this entry requires 2", __func__,
                          (int)at.conv->spatial_dims);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = check_shapes(__func__, &at);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = output_dims(__func__, &at, dims);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *n = (int)dims[0];
    *c = (int)dims[1];
    *h = (int)dims[2];
    *w = (int)dims[3];
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetConvolutionNdForwardOutputDim(anydnnConvolutionDescriptor_t convDesc,
                                                      anydnnTensorDescriptor_t inputTensorDesc,
                                                      anydnnFilterDescriptor_t filterDesc,
                                                      int nbDims, int tensorOutputDimA[])
{
    static const char *const names[] = {"tensorOutputDimA"};
    const void *const outputs[] = {tensorOutputDimA};
    int64_t dims[ANYDNN_DIM_MAX];
    struct operands at;
    anydnnStatus_t status = check_descriptors(__func__, convDesc, inputTensorDesc, filterDesc, &at);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 1);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = check_shapes(__func__, &at);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "nbDims", nbDims, 1, at.x->ndims,
                                      "it must be from 1 to the number of dims of inputTensorDesc");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = output_dims(__func__, &at, dims);
    for (int i = 0; i < nbDims && status == ANYDNN_STATUS_SUCCESS; i++)
        tensorOutputDimA[i] = (int)dims[i];
    return status;
}
