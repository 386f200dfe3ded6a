// SPDX-License-Identifier: Apache-2.0
// cuDNN's header declares plain functions, and programs rely on it. They repeat a declaration, take
// an address, overload a name, hide it in a namespace, or define an inline function of the same
// name.
#include <cudnn.h>

#include <cstdio>
#include <cstring>

extern "C" cudnnStatus_t CUDNNWINAPI cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *made);

// Caffe defines this function itself.
inline const char *cudnnGetErrorString(cudnnStatus_t status)
{
    return status == CUDNN_STATUS_BAD_PARAM ? "the program's own" : "another";
}

static bool cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t *held)
{
    cudnnStatus_t status = cudnnDestroyTensorDescriptor(*held);

    *held = nullptr;
    return status == CUDNN_STATUS_SUCCESS;
}

namespace wrapped
{
cudnnStatus_t cudnnGetTensorSizeInBytes(cudnnTensorDescriptor_t x, size_t *size)
{
    return ::cudnnGetTensorSizeInBytes(x, size);
}
} // namespace wrapped

template <cudnnStatus_t (*create)(cudnnTensorDescriptor_t *)> static cudnnTensorDescriptor_t made()
{
    cudnnTensorDescriptor_t x = nullptr;

    return create(&x) == CUDNN_STATUS_SUCCESS ? x : nullptr;
}

int main()
{
    decltype(&cudnnSetTensor4dDescriptor) set = cudnnSetTensor4dDescriptor;
    cudnnTensorDescriptor_t x = made<cudnnCreateTensorDescriptor>();
    size_t size = 0;

    if (x == nullptr ||
        set(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 5, 7) != CUDNN_STATUS_SUCCESS ||
        wrapped::cudnnGetTensorSizeInBytes(x, &size) != CUDNN_STATUS_SUCCESS || size != 840) {
        std::fprintf(stderr, "the descriptor has %zu bytes, not 840\n", size);
        return 1;
    }
    if (std::strcmp(cudnnGetErrorString(CUDNN_STATUS_BAD_PARAM), "the program's own") != 0) {
        std::fprintf(stderr, "cudnnGetErrorString is not the program's own\n");
        return 1;
    }
    return !cudnnDestroyTensorDescriptor(&x) || x != nullptr;
}
