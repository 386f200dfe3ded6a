/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock's CTC loss and spatial transformer: they note what they are given. Costs become 2, and
 * gradients 7 in the steps of a sequence alone, as cuDNN 9.19 was seen to leave the others. Labels
 * that cuDNN does not take, or for which no path is, are refused here.
 */
#include "mock.h"

#include <string.h>

#pragma GCC visibility push(default)

extern struct mock_cudnn mock_cudnn;
void mock_cudnn_call(const char *name);

cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t made,
                                                     cudnnSamplerType_t sampler,
                                                     cudnnDataType_t type, int ndims,
                                                     const int dims[])
{
    (void)made, (void)sampler, (void)type;
    if (ndims != 4)
        return CUDNN_STATUS_BAD_PARAM;
    memcpy(mock_cudnn.image, dims, sizeof mock_cudnn.image);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t handle,
                                            cudnnSpatialTransformerDescriptor_t made,
                                            const void *alpha, const cudnnTensorDescriptor_t x_desc,
                                            const void *x, const void *beta,
                                            const cudnnTensorDescriptor_t dx_desc, void *dx,
                                            const void *alpha_grid,
                                            const cudnnTensorDescriptor_t dy_desc, const void *dy,
                                            const void *grid, const void *beta_grid, void *dgrid)
{
    (void)handle, (void)made, (void)alpha, (void)x, (void)beta, (void)dx, (void)alpha_grid;
    (void)dy_desc, (void)dy, (void)grid, (void)beta_grid, (void)dgrid;
    mock_cudnn_call("cudnnSpatialTfSamplerBackward");
    return memcmp(x_desc, dx_desc, sizeof(struct mock_tensor)) == 0 ? CUDNN_STATUS_SUCCESS
                                                                    : CUDNN_STATUS_BAD_PARAM;
}

/* ------------------------------------------------------------------ CTC loss */

static int is_taken(const int *label, int labels, int steps)
{
    int least = labels;

    for (int i = 1; i < labels; i++)
        least += label[i] == label[i - 1];
    return labels > 0 && labels < 256 && least <= steps;
}

static cudnnStatus_t look(const struct mock_tensor *x, const int labels[],
                          const int label_lengths[], const int input_lengths[])
{
    int count = 0;

    if (x->ndims != 3)
        return CUDNN_STATUS_BAD_PARAM;
    for (int n = 0; n < x->dims[1]; n++) {
        if (!is_taken(labels + count, label_lengths[n], input_lengths[n]))
            return CUDNN_STATUS_BAD_PARAM;
        count += label_lengths[n];
    }
    for (int i = 0; i < count && i < 16; i++)
        mock_cudnn.ctc.labels[i] = labels[i];
    for (int n = 0; n < x->dims[1] && n < 4; n++) {
        mock_cudnn.ctc.label_lengths[n] = label_lengths[n];
        mock_cudnn.ctc.input_lengths[n] = input_lengths[n];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                           const cudnnTensorDescriptor_t gradients,
                                           const int labels[], const int label_lengths[],
                                           const int input_lengths[], cudnnCTCLossAlgo_t algo,
                                           cudnnCTCLossDescriptor_t loss, size_t *bytes)
{
    (void)handle, (void)gradients, (void)algo, (void)loss;
    *bytes = 256;
    return look((const struct mock_tensor *)x, labels, label_lengths, input_lengths);
}

cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorDescriptor_t x_desc,
                           const void *x, const int labels[], const int label_lengths[],
                           const int input_lengths[], void *costs,
                           const cudnnTensorDescriptor_t gradients_desc, void *gradients,
                           cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t loss, void *workspace,
                           size_t bytes)
{
    const struct mock_tensor *of = (const struct mock_tensor *)x_desc;
    cudnnStatus_t status = look(of, labels, label_lengths, input_lengths);
    int row = of->dims[1] * of->dims[2];
    float *to = gradients;

    (void)handle, (void)x, (void)gradients_desc, (void)algo, (void)loss, (void)workspace;
    mock_cudnn_call("cudnnCTCLoss");
    if (status != CUDNN_STATUS_SUCCESS || bytes < 256)
        return CUDNN_STATUS_BAD_PARAM;
    for (int n = 0; n < of->dims[1]; n++) {
        ((float *)costs)[n] = 2;
        for (int t = 0; to && t < input_lengths[n]; t++)
            for (int k = 0; k < of->dims[2]; k++)
                to[t * row + n * of->dims[2] + k] = 7;
    }
    return CUDNN_STATUS_SUCCESS;
}

#pragma GCC visibility pop
