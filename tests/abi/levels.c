/* SPDX-License-Identifier: Apache-2.0 */
/* A program that requests the algorithm of each direction, as docs/levels.md shows it for level 1
 * and for level 2. OLD_CALLS selects the calls of level 1 for every level. */
#include <anydnn/anydnn.h>

#include <stdio.h>

static anydnnHandle_t handle;
static anydnnTensorDescriptor_t x, y;
static anydnnFilterDescriptor_t w;
static anydnnConvolutionDescriptor_t conv;

static anydnnStatus_t make(void)
{
    anydnnStatus_t status = anydnnCreateOnDevice(&handle, "cpu");

    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnCreateTensorDescriptor(&x);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnCreateTensorDescriptor(&y);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnCreateFilterDescriptor(&w);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnCreateConvolutionDescriptor(&conv);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnSetTensor4dDescriptor(x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 7, 5);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnSetFilter4dDescriptor(w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 4, 3, 3, 2);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnSetTensor4dDescriptor(y, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 4, 5, 4);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, ANYDNN_CROSS_CORRELATION,
                                                  ANYDNN_DATA_FLOAT);
    return status;
}

#if ANYDNN_API_LEVEL == 1 || defined(OLD_CALLS)
static anydnnStatus_t ask(int algorithms[3])
{
    anydnnConvolutionFwdAlgo_t forward = ANYDNN_CONVOLUTION_FWD_ALGO_COUNT;
    anydnnConvolutionBwdDataAlgo_t data = ANYDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
    anydnnConvolutionBwdFilterAlgo_t filter = ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
    anydnnStatus_t status = anydnnGetConvolutionForwardAlgorithm(
        handle, x, w, conv, y, ANYDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT, 1 << 20, &forward);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnGetConvolutionBackwardDataAlgorithm(
            handle, w, y, conv, x, ANYDNN_CONVOLUTION_BWD_DATA_SPECIFY_WORKSPACE_LIMIT, 1 << 20,
            &data);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnGetConvolutionBackwardFilterAlgorithm(
            handle, x, y, conv, w, ANYDNN_CONVOLUTION_BWD_FILTER_SPECIFY_WORKSPACE_LIMIT, 1 << 20,
            &filter);
    algorithms[0] = forward;
    algorithms[1] = data;
    algorithms[2] = filter;
    return status;
}
#else
static anydnnStatus_t ask(int algorithms[3])
{
    anydnnConvolutionFwdAlgoPerf_t forward;
    anydnnConvolutionBwdDataAlgoPerf_t data;
    anydnnConvolutionBwdFilterAlgoPerf_t filter;
    int count;
    anydnnStatus_t status = anydnnGetConvolutionForwardAlgorithm_v2(handle, x, w, conv, y, 1 << 20,
                                                                    1, &count, &forward);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnGetConvolutionBackwardDataAlgorithm_v2(handle, w, y, conv, x, 1 << 20, 1,
                                                              &count, &data);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = anydnnGetConvolutionBackwardFilterAlgorithm_v2(handle, x, y, conv, w, 1 << 20, 1,
                                                                &count, &filter);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    algorithms[0] = forward.algo;
    algorithms[1] = data.algo;
    algorithms[2] = filter.algo;
    return status;
}
#endif

int main(void)
{
    int algorithms[3];
    anydnnStatus_t status = make();

    if (status == ANYDNN_STATUS_SUCCESS)
        status = ask(algorithms);
    if (status != ANYDNN_STATUS_SUCCESS) {
        char text[1024];

        anydnnGetLastErrorString(text, sizeof(text));
        printf("%s: %s\n", anydnnGetErrorString(status), text);
        return 1;
    }
    printf("forward %d, backward data %d, backward filter %d\n", algorithms[0], algorithms[1],
           algorithms[2]);
    anydnnDestroyConvolutionDescriptor(conv);
    anydnnDestroyFilterDescriptor(w);
    anydnnDestroyTensorDescriptor(y);
    anydnnDestroyTensorDescriptor(x);
    anydnnDestroy(handle);
    return 0;
}
