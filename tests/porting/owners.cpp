// SPDX-License-Identifier: Apache-2.0
//
// A program in the style of cuDNN 7, in C++: objects own a handle, a stream and dropout's states.
// They are destroyed in reverse order of declaration, so the stream is destroyed before the handle.
// The program uses nothing of anydnn; it is compiled against cuDNN and against anydnn's cudnn.h.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cudnn.h>
#include <vector>

static void check(cudnnStatus_t status)
{
    if (status != CUDNN_STATUS_SUCCESS) {
        std::fprintf(stderr, "%s\n", cudnnGetErrorString(status));
        std::exit(1);
    }
}

static void cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA fails: %d\n", (int)error);
        std::exit(1);
    }
}

namespace
{
struct Handle {
    cudnnHandle_t value = nullptr;
    Handle()
    {
        check(cudnnCreate(&value));
    }
    ~Handle()
    {
        check(cudnnDestroy(value));
    }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
};

struct Stream {
    cudaStream_t value = nullptr;
    Stream()
    {
        cuda(cudaStreamCreate(&value));
    }
    ~Stream()
    {
        cuda(cudaStreamDestroy(value));
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
};

template <class T> struct Memory {
    T *value = nullptr;
    std::size_t count;
    explicit Memory(std::size_t length) : count(length)
    {
        cuda(cudaMalloc(&value, length * sizeof(T)));
    }
    ~Memory()
    {
        cuda(cudaFree(value));
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    void fill(int step)
    {
        std::vector<T> host(count);
        for (std::size_t i = 0; i < count; i++)
            host[i] = (T)((int)((i * (std::size_t)step + i / 3) % 9) - 4);
        cuda(cudaMemcpy(value, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }

    void print(const char *name) const
    {
        std::vector<T> host(count);
        double sum = 0, squares = 0;
        cuda(cudaMemcpy(host.data(), value, count * sizeof(T), cudaMemcpyDeviceToHost));
        for (T element : host) {
            sum += (double)element;
            squares += (double)element * (double)element;
        }
        std::printf("%s %.6g %.6g\n", name, sum, std::sqrt(squares));
    }
};

struct Dropout {
    cudnnDropoutDescriptor_t value = nullptr;
    Memory<char> states;
    static std::size_t size(cudnnHandle_t handle)
    {
        std::size_t bytes = 0;
        check(cudnnDropoutGetStatesSize(handle, &bytes));
        return bytes;
    }
    explicit Dropout(cudnnHandle_t handle) : states(size(handle))
    {
        check(cudnnCreateDropoutDescriptor(&value));
        // Nothing is dropped, so that the numbers do not depend on the generator.
        check(cudnnSetDropoutDescriptor(value, handle, 0.0f, states.value, states.count, 7));
    }
    ~Dropout()
    {
        check(cudnnDestroyDropoutDescriptor(value));
    }
    Dropout(const Dropout &) = delete;
    Dropout &operator=(const Dropout &) = delete;
};

struct Tensor {
    cudnnTensorDescriptor_t value = nullptr;
    Tensor(int n, int c, int h, int w)
    {
        check(cudnnCreateTensorDescriptor(&value));
        check(cudnnSetTensor4dDescriptor(value, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w));
    }
    ~Tensor()
    {
        check(cudnnDestroyTensorDescriptor(value));
    }
    Tensor(const Tensor &) = delete;
    Tensor &operator=(const Tensor &) = delete;
};

// The order of the members matters: the handle is first, so it is destroyed last.
struct Layer {
    Handle handle;
    Tensor shape{3, 4, 5, 6};
    Memory<float> x{360}, y{360}, z{360};
    Stream stream;
    Dropout dropout;
    Memory<char> reserve;

    static std::size_t reserved(const Tensor &shape)
    {
        std::size_t bytes = 0;
        check(cudnnDropoutGetReserveSpaceSize(shape.value, &bytes));
        return bytes;
    }

    explicit Layer(int step) : dropout(handle.value), reserve(reserved(shape))
    {
        x.fill(step);
        y.fill(1);
        z.fill(1);
        check(cudnnSetStream(handle.value, stream.value));
    }

    void run()
    {
        const float one = 1, zero = 0;
        check(cudnnSoftmaxForward(handle.value, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL,
                                  &one, shape.value, x.value, &zero, shape.value, y.value));
        check(cudnnAddTensor(handle.value, &one, shape.value, x.value, &one, shape.value, y.value));
        check(cudnnDropoutForward(handle.value, dropout.value, shape.value, y.value, shape.value,
                                  z.value, reserve.value, reserve.count));
    }
};
} // namespace

int main()
{
    for (int step = 2; step < 8; step++) {
        Layer layer(step);
        layer.run();
        cuda(cudaDeviceSynchronize());
        layer.y.print("y");
        layer.z.print("z");
        for (int i = 0; i < 20; i++) // still queued when the stream is destroyed
            layer.run();
    }
    return 0;
}
