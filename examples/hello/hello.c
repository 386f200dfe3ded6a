/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one convolution, which finds the edges of a square, and prints the backend that
 * computed it. */
#include <anydnn/anydnn.h>
#include <stdio.h>
#include <stdlib.h>

static void try(anydnnStatus_t status)
{
    char text[512];

    if (status == ANYDNN_STATUS_SUCCESS)
        return;
    anydnnGetLastErrorString(text, sizeof text);
    fprintf(stderr, "hello: %s\n", text);
    exit(EXIT_FAILURE);
}

int main(void)
{
    const float x[] = {0, 0, 0, 0, 0, 0, 9, 9, 9, 0, 0, 9, 9, 9, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0, 0};
    const float w[] = {0, -1, 0, -1, 4, -1, 0, -1, 0}, one = 1, zero = 0;
    float y[25];
    char backend[64];
    anydnnHandle_t handle;
    anydnnTensorDescriptor_t image;
    anydnnFilterDescriptor_t filter;
    anydnnConvolutionDescriptor_t conv;

    try(anydnnCreateOnDevice(&handle, "cpu")); /* "cpu" accepts these arrays directly */
    try(anydnnCreateTensorDescriptor(&image));
    try(anydnnSetTensor4dDescriptor(image, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 1, 5, 5));
    try(anydnnCreateFilterDescriptor(&filter));
    try(anydnnSetFilter4dDescriptor(filter, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 1, 1, 3, 3));
    try(anydnnCreateConvolutionDescriptor(&conv));
    try(anydnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, ANYDNN_CROSS_CORRELATION,
                                         ANYDNN_DATA_FLOAT));
    try(anydnnConvolutionForward(handle, &one, image, x, filter, w, conv,
                                 ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero, image,
                                 y));
    try(anydnnGetDispatchInfo(handle, "backend", backend, sizeof backend));
    for (int i = 0; i < 25; i++)
        printf("%4g%s", (double)y[i], i % 5 == 4 ? "\n" : "");
    printf("computed by %s\n", backend);
    try(anydnnDestroyConvolutionDescriptor(conv));
    try(anydnnDestroyFilterDescriptor(filter));
    try(anydnnDestroyTensorDescriptor(image));
    try(anydnnDestroy(handle));
    return EXIT_SUCCESS;
}
