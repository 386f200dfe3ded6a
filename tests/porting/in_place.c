/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in place, as cuDNN runs them. Each call runs once with separate buffers, and again with its
 * result on an input, or without an input that it does not read. The results must be equal except
 * for rounding, because another kernel may run. Calls that cuDNN computes wrongly must be
 * refused. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <math.h>
#include <stdio.h>

enum { CHANNELS = 5, ELEMENTS = 2 * CHANNELS * 8 * 8 };
enum { A, B, C, OUT, BUFFERS };

typedef cudnnStatus_t (*call_fn)(void *const data[BUFFERS]);

static cudnnHandle_t handle;
static cudnnTensorDescriptor_t desc, cells;
static cudnnActivationDescriptor_t act;
static cudnnLRNDescriptor_t lrn;
static cudnnOpTensorDescriptor_t mul;
static cudnnPoolingDescriptor_t maximum;
static const float one = 1, half = 0.5f, zero = 0;
static float start[3][ELEMENTS];
static void *buffer[BUFFERS], *cell[4];

static cudnnStatus_t softmax_forward(void *const d[BUFFERS])
{
    return cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_MODE_CHANNEL, &one, desc,
                               d[A], &zero, desc, d[OUT]);
}

static cudnnStatus_t softmax_backward(void *const d[BUFFERS])
{
    return cudnnSoftmaxBackward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one,
                                desc, d[A], desc, d[B], &zero, desc, d[OUT]);
}

static cudnnStatus_t activation_backward(void *const d[BUFFERS])
{
    return cudnnActivationBackward(handle, act, &one, desc, d[A], desc, d[B], desc, d[C], &zero,
                                   desc, d[OUT]);
}

static cudnnStatus_t lrn_forward(void *const d[BUFFERS])
{
    return cudnnLRNCrossChannelForward(handle, lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, desc, d[A],
                                       &zero, desc, d[OUT]);
}

static cudnnStatus_t lrn_backward(void *const d[BUFFERS])
{
    return cudnnLRNCrossChannelBackward(handle, lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
                                        d[A] ? desc : NULL, d[A], desc, d[B], desc, d[C], &zero,
                                        desc, d[OUT]);
}

static cudnnStatus_t norm_forward(void *const d[BUFFERS])
{
    return cudnnBatchNormalizationForwardTraining(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero,
                                                  desc, d[A], desc, d[OUT], cells, cell[0], cell[1],
                                                  1, NULL, NULL, 1e-5, NULL, NULL);
}

static cudnnStatus_t norm_backward(void *const d[BUFFERS])
{
    return cudnnBatchNormalizationBackward(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, &one,
                                           &zero, desc, d[A], desc, d[B], desc, d[OUT], cells,
                                           cell[0], cell[2], cell[3], 1e-5, NULL, NULL);
}

static cudnnStatus_t add(void *const d[BUFFERS])
{
    return cudnnAddTensor(handle, &half, desc, d[A], &zero, desc, d[OUT]);
}

static cudnnStatus_t multiply(void *const d[BUFFERS])
{
    return cudnnOpTensor(handle, mul, &one, desc, d[A], &half, desc, d[B], &zero, desc, d[OUT]);
}

static cudnnStatus_t maximum_backward(void *const d[BUFFERS])
{
    return cudnnPoolingBackward(handle, maximum, &one, desc, d[A], desc, d[B], desc, d[C], &zero,
                                desc, d[OUT]);
}

/* Runs a call with the output in `place`. The inputs in `also` are there too, and those in
 * `without` are absent. Input i has the content like[i]. */
static cudnnStatus_t run(call_fn call, int place, unsigned also, unsigned without,
                         const int like[3], float *result)
{
    void *data[BUFFERS];
    cudnnStatus_t status;
    int i;

    for (i = 0; i < 3; i++) {
        data[i] = without >> i & 1 ? NULL : buffer[also >> i & 1 ? place : i];
        if (cudaMemcpy(buffer[i], start[like[i]], sizeof(start[i]), cudaMemcpyHostToDevice) !=
            cudaSuccess)
            return CUDNN_STATUS_EXECUTION_FAILED;
    }
    data[OUT] = buffer[place];
    status = call(data);
    if (status == CUDNN_STATUS_SUCCESS &&
        cudaMemcpy(result, buffer[place], sizeof(start[0]), cudaMemcpyDeviceToHost) != cudaSuccess)
        return CUDNN_STATUS_EXECUTION_FAILED;
    return status;
}

static const struct {
    const char *what;
    call_fn call;
    int place;
    unsigned also; /* other inputs in that place */
    unsigned without;
    int wrong; /* 1 if cuDNN accepts it and computes a wrong result */
} trials[] = {
    {"softmax forward, y on x", softmax_forward, A, 0, 0, 0},
    {"softmax backward, dx on dy", softmax_backward, B, 0, 0, 0},
    {"softmax backward, dx on y", softmax_backward, A, 0, 0, 0},
    {"softmax backward, dx on y and dy", softmax_backward, A, 1u << B, 0, 0},
    {"activation backward, dx on y", activation_backward, A, 0, 0, 0},
    {"activation backward, dx on dy", activation_backward, B, 0, 0, 0},
    {"activation backward, dx on x", activation_backward, C, 0, 0, 0},
    {"activation backward, dx on all", activation_backward, A, 1u << B | 1u << C, 0, 0},
    {"LRN forward, y on x", lrn_forward, A, 0, 0, 0},
    {"LRN backward, dx on dy", lrn_backward, B, 0, 0, 0},
    {"LRN backward, dx on y", lrn_backward, A, 0, 0, 0},
    {"LRN backward, y NULL", lrn_backward, OUT, 0, 1u << A, 0},
    {"LRN backward, dx on dy, y NULL", lrn_backward, B, 0, 1u << A, 0},
    {"LRN backward, dx on x", lrn_backward, C, 0, 0, 1},
    {"LRN backward, dx on dy and x", lrn_backward, B, 1u << C, 0, 1},
    {"batch normalization, y on x", norm_forward, A, 0, 0, 0},
    {"batch normalization backward, dx on x", norm_backward, A, 0, 0, 0},
    {"batch normalization backward, dx on dy", norm_backward, B, 0, 0, 0},
    {"batch normalization backward, dx on x and dy", norm_backward, A, 1u << B, 0, 0},
    {"add, y on x", add, A, 0, 0, 0},
    {"op, c on a", multiply, A, 0, 0, 0},
    {"op, c on a and b", multiply, A, 1u << B, 0, 0},
    {"maximum backward, dx on x", maximum_backward, C, 0, 0, 1},
    {"maximum backward, dx on dy", maximum_backward, B, 0, 0, 1},
};

/* Returns 1 if a trial holds. Inputs in one place have the content of the first one there; the
 * plain call uses the same contents. */
static int holds(unsigned trial)
{
    static float want[ELEMENTS], got[ELEMENTS];
    int like[3] = {A, B, C}, i;
    cudnnStatus_t status;

    for (i = 0; i < 3; i++)
        if (trials[trial].also >> i & 1)
            like[i] = trials[trial].place;
    if (run(trials[trial].call, OUT, 0, 0, like, want) != CUDNN_STATUS_SUCCESS)
        return 0;
    status = run(trials[trial].call, trials[trial].place, trials[trial].also, trials[trial].without,
                 like, got);
    if (trials[trial].wrong)
        return status == CUDNN_STATUS_BAD_PARAM;
    for (i = 0; i < ELEMENTS && status == CUDNN_STATUS_SUCCESS; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5f + 1e-5f * fabsf(want[i])))
            return 0;
    return status == CUDNN_STATUS_SUCCESS;
}

static int prepare(void)
{
    int i, good = 1;

    for (i = 0; i < ELEMENTS; i++) {
        start[A][i] = (float)(i * 7 % 31 + 1) / 32;
        start[B][i] = (float)(i * 11 % 17) / 8 - 1;
        start[C][i] = (float)(i * 5 % 29) / 16 - 1;
    }
    for (i = 0; i < BUFFERS; i++)
        good &= cudaMalloc(&buffer[i], sizeof(start[0])) == cudaSuccess;
    for (i = 0; i < 4; i++)
        good &= cudaMalloc(&cell[i], CHANNELS * sizeof(float)) == cudaSuccess &&
                cudaMemcpy(cell[i], start[A], CHANNELS * sizeof(float), cudaMemcpyHostToDevice) ==
                    cudaSuccess;
    good &= cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS;
    good &= cudnnCreateTensorDescriptor(&desc) == CUDNN_STATUS_SUCCESS;
    good &= cudnnCreateTensorDescriptor(&cells) == CUDNN_STATUS_SUCCESS;
    good &= cudnnSetTensor4dDescriptor(desc, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, CHANNELS, 8,
                                       8) == CUDNN_STATUS_SUCCESS;
    good &=
        cudnnDeriveBNTensorDescriptor(cells, desc, CUDNN_BATCHNORM_SPATIAL) == CUDNN_STATUS_SUCCESS;
    good &= cudnnCreateActivationDescriptor(&act) == CUDNN_STATUS_SUCCESS;
    good &= cudnnSetActivationDescriptor(act, CUDNN_ACTIVATION_TANH, CUDNN_NOT_PROPAGATE_NAN, 0) ==
            CUDNN_STATUS_SUCCESS;
    good &= cudnnCreateLRNDescriptor(&lrn) == CUDNN_STATUS_SUCCESS;
    good &= cudnnSetLRNDescriptor(lrn, 4, 0.5, 0.75, 1) == CUDNN_STATUS_SUCCESS;
    good &= cudnnCreateOpTensorDescriptor(&mul) == CUDNN_STATUS_SUCCESS;
    good &= cudnnSetOpTensorDescriptor(mul, CUDNN_OP_TENSOR_MUL, CUDNN_DATA_FLOAT,
                                       CUDNN_NOT_PROPAGATE_NAN) == CUDNN_STATUS_SUCCESS;
    good &= cudnnCreatePoolingDescriptor(&maximum) == CUDNN_STATUS_SUCCESS;
    good &= cudnnSetPooling2dDescriptor(maximum, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 3, 3,
                                        1, 1, 1, 1) == CUDNN_STATUS_SUCCESS;
    return good;
}

static void give_back(void)
{
    int i;

    for (i = 0; i < BUFFERS; i++)
        cudaFree(buffer[i]);
    for (i = 0; i < 4; i++)
        cudaFree(cell[i]);
    cudnnDestroyPoolingDescriptor(maximum);
    cudnnDestroyOpTensorDescriptor(mul);
    cudnnDestroyLRNDescriptor(lrn);
    cudnnDestroyActivationDescriptor(act);
    cudnnDestroyTensorDescriptor(cells);
    cudnnDestroyTensorDescriptor(desc);
    cudnnDestroy(handle);
}

int main(void)
{
    unsigned trial;
    int good = prepare();

    if (!good)
        fprintf(stderr, "no descriptors or no memory\n");
    for (trial = 0; good >= 1 && trial < sizeof(trials) / sizeof(trials[0]); trial++)
        if (!holds(trial)) {
            fprintf(stderr, "%s: another answer\n", trials[trial].what);
            good = 2;
        }
    give_back();
    return good != 1;
}
