// SPDX-License-Identifier: Apache-2.0
// A program in the style of cuDNN 7, in C++: one pass of training through a 3-D convolution, batch
// normalization, LRN and average pooling, tensor operations, and the ranked lists of the _v7
// getters. It uses nothing of anydnn; it is compiled against cuDNN and against anydnn's cudnn.h, and
// must print the same numbers.
#include <cuda_runtime.h>
#include <cudnn.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudnnStatus_t status, const char *what)
{
    if (status != CUDNN_STATUS_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + cudnnGetErrorString(status));
}
#define CHECK(call) check((call), #call)

// A fixed random sequence, so that every library gets the same data.
class Random {
public:
    float next()
    {
        state = state * 1664525u + 1013904223u;
        return float(state >> 8) / 16777216.0f - 0.5f;
    }

private:
    unsigned state = 2017;
};

class Tensor {
public:
    Tensor(std::vector<int> sizes) : dims(std::move(sizes))
    {
        std::vector<int> strides(dims.size(), 1);
        for (std::size_t i = dims.size() - 1; i > 0; i--)
            strides[i - 1] = strides[i] * dims[i];
        count = std::size_t(strides[0]) * std::size_t(dims[0]);
        CHECK(cudnnCreateTensorDescriptor(&desc));
        CHECK(cudnnSetTensorNdDescriptor(desc, CUDNN_DATA_FLOAT, int(dims.size()), dims.data(),
                                         strides.data()));
        allocate();
    }
    explicit Tensor(const Tensor &other, cudnnBatchNormMode_t mode) : dims(other.dims)
    {
        CHECK(cudnnCreateTensorDescriptor(&desc));
        CHECK(cudnnDeriveBNTensorDescriptor(desc, other.desc, mode));
        count = std::size_t(dims[1]);
        allocate();
    }
    Tensor(const Tensor &) = delete;
    Tensor &operator=(const Tensor &) = delete;
    ~Tensor()
    {
        cudnnDestroyTensorDescriptor(desc);
        cudaFree(data);
    }
    void fill(Random &random, float scale, float offset = 0.0f)
    {
        std::vector<float> host(count);
        for (float &v : host)
            v = scale * random.next() + offset;
        cudaMemcpy(data, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    }
    void print(const char *name) const
    {
        std::vector<float> host(count);
        double sum = 0, square = 0;
        cudaMemcpy(host.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost);
        for (float v : host) {
            sum += v;
            square += double(v) * v;
        }
        std::printf("%s %.6g %.6g\n", name, sum, std::sqrt(square));
    }

    std::vector<int> dims;
    std::size_t count = 0;
    cudnnTensorDescriptor_t desc = nullptr;
    float *data = nullptr;

private:
    void allocate()
    {
        if (cudaMalloc(&data, count * sizeof(float)) != cudaSuccess)
            throw std::runtime_error("no memory");
        cudaMemset(data, 0, count * sizeof(float));
    }
};

const float one = 1.0f, zero = 0.0f;

// Returns the best entry of a ranked list that ran, and sets its math type in the descriptor.
template <class Perf> const Perf &best(const std::vector<Perf> &list, int returned,
                                       cudnnConvolutionDescriptor_t conv)
{
    for (int i = 0; i < returned; i++)
        if (list[std::size_t(i)].status == CUDNN_STATUS_SUCCESS) {
            CHECK(cudnnSetConvolutionMathType(conv, list[std::size_t(i)].mathType));
            return list[std::size_t(i)];
        }
    throw std::runtime_error("no algorithm");
}

class Workspace {
public:
    explicit Workspace(std::size_t bytes)
    {
        if (bytes && cudaMalloc(&data, bytes) != cudaSuccess)
            throw std::runtime_error("no memory");
    }
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;
    ~Workspace()
    {
        cudaDeviceSynchronize();
        if (data)
            cudaFree(data);
    }
    char *data = nullptr;
};

void convolution(cudnnHandle_t handle, Random &random)
{
    Tensor x({2, 4, 5, 6, 7}), dx({2, 4, 5, 6, 7});
    int filter_dims[5] = {6, 4, 3, 2, 3}, pad[3] = {1, 0, 1}, stride[3] = {1, 2, 1},
        dilation[3] = {1, 1, 1}, out[5], limit = 0, returned = 0;
    Tensor w({6, 4, 3, 2, 3}), dw({6, 4, 3, 2, 3});
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;

    CHECK(cudnnCreateFilterDescriptor(&filter));
    CHECK(cudnnSetFilterNdDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 5, filter_dims));
    CHECK(cudnnCreateConvolutionDescriptor(&conv));
    CHECK(cudnnSetConvolutionNdDescriptor(conv, 3, pad, stride, dilation, CUDNN_CONVOLUTION,
                                          CUDNN_DATA_FLOAT));
    CHECK(cudnnGetConvolutionNdForwardOutputDim(conv, x.desc, filter, 5, out));
    Tensor y(std::vector<int>(out, out + 5)), dy(std::vector<int>(out, out + 5));
    x.fill(random, 2.0f);
    w.fill(random, 1.0f);
    dy.fill(random, 1.0f);

    CHECK(cudnnGetConvolutionForwardAlgorithmMaxCount(handle, &limit));
    std::vector<cudnnConvolutionFwdAlgoPerf_t> forward{std::size_t(limit)};
    CHECK(cudnnGetConvolutionForwardAlgorithm_v7(handle, x.desc, filter, conv, y.desc, limit,
                                                 &returned, forward.data()));
    const auto &f = best(forward, returned, conv);
    std::size_t bytes = 0;
    CHECK(cudnnGetConvolutionForwardWorkspaceSize(handle, x.desc, filter, conv, y.desc, f.algo, &bytes));
    {
        Workspace space(bytes);
        CHECK(cudnnConvolutionForward(handle, &one, x.desc, x.data, filter, w.data, conv, f.algo,
                                      space.data, bytes, &zero, y.desc, y.data));
    }
    CHECK(cudnnGetConvolutionBackwardDataAlgorithmMaxCount(handle, &limit));
    std::vector<cudnnConvolutionBwdDataAlgoPerf_t> data{std::size_t(limit)};
    CHECK(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, filter, dy.desc, conv, dx.desc, limit,
                                                      &returned, data.data()));
    const auto &d = best(data, returned, conv);
    CHECK(cudnnGetConvolutionBackwardDataWorkspaceSize(handle, filter, dy.desc, conv, dx.desc, d.algo,
                                                       &bytes));
    {
        Workspace space(bytes);
        CHECK(cudnnConvolutionBackwardData(handle, &one, filter, w.data, dy.desc, dy.data, conv, d.algo,
                                           space.data, bytes, &zero, dx.desc, dx.data));
    }
    CHECK(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(handle, &limit));
    std::vector<cudnnConvolutionBwdFilterAlgoPerf_t> weights{std::size_t(limit)};
    CHECK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x.desc, dy.desc, conv, filter, limit,
                                                        &returned, weights.data()));
    const auto &g = best(weights, returned, conv);
    CHECK(cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, x.desc, dy.desc, conv, filter, g.algo,
                                                         &bytes));
    {
        Workspace space(bytes);
        CHECK(cudnnConvolutionBackwardFilter(handle, &one, x.desc, x.data, dy.desc, dy.data, conv,
                                             g.algo, space.data, bytes, &zero, filter, dw.data));
    }
    y.print("convolution_y");
    dx.print("convolution_dx");
    dw.print("convolution_dw");
    CHECK(cudnnDestroyConvolutionDescriptor(conv));
    CHECK(cudnnDestroyFilterDescriptor(filter));
}

void normalization(cudnnHandle_t handle, Random &random)
{
    const cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL;
    Tensor x({4, 6, 5, 7}), y({4, 6, 5, 7}), dy({4, 6, 5, 7}), dx({4, 6, 5, 7});
    Tensor scale(x, mode), bias(x, mode), dscale(x, mode), dbias(x, mode), mean(x, mode),
        variance(x, mode), saved_mean(x, mode), saved_inverse(x, mode);

    x.fill(random, 3.0f, 0.5f);
    dy.fill(random, 1.0f);
    scale.fill(random, 1.0f, 1.0f);
    bias.fill(random, 1.0f);
    CHECK(cudnnBatchNormalizationForwardTraining(
        handle, mode, &one, &zero, x.desc, x.data, y.desc, y.data, scale.desc, scale.data, bias.data,
        1.0, mean.data, variance.data, 1e-4, saved_mean.data, saved_inverse.data));
    CHECK(cudnnBatchNormalizationBackward(handle, mode, &one, &zero, &one, &zero, x.desc, x.data,
                                          dy.desc, dy.data, dx.desc, dx.data, scale.desc, scale.data,
                                          dscale.data, dbias.data, 1e-4, saved_mean.data,
                                          saved_inverse.data));
    y.print("batch_norm_y");
    dx.print("batch_norm_dx");
    dscale.print("batch_norm_dscale");
    dbias.print("batch_norm_dbias");
    mean.print("batch_norm_mean");
    variance.print("batch_norm_variance");
    CHECK(cudnnBatchNormalizationForwardInference(handle, mode, &one, &zero, x.desc, x.data, y.desc,
                                                  y.data, scale.desc, scale.data, bias.data, mean.data,
                                                  variance.data, 1e-4));
    y.print("batch_norm_inference");

    cudnnLRNDescriptor_t lrn;
    CHECK(cudnnCreateLRNDescriptor(&lrn));
    CHECK(cudnnSetLRNDescriptor(lrn, 5, 1e-2, 0.75, 2.0));
    CHECK(cudnnLRNCrossChannelForward(handle, lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, x.desc, x.data,
                                      &zero, y.desc, y.data));
    CHECK(cudnnLRNCrossChannelBackward(handle, lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, y.desc, y.data,
                                       dy.desc, dy.data, x.desc, x.data, &zero, dx.desc, dx.data));
    y.print("lrn_y");
    dx.print("lrn_dx");
    CHECK(cudnnDestroyLRNDescriptor(lrn));
}

void tensor_operations(cudnnHandle_t handle, Random &random)
{
    Tensor a({3, 4, 6, 5}), b({1, 4, 1, 1}), c({3, 4, 6, 5}), sum({1, 4, 1, 1});
    const float half = 0.5f;
    cudnnOpTensorDescriptor_t op;
    cudnnReduceTensorDescriptor_t reduce;
    cudnnPoolingDescriptor_t pool;
    std::size_t bytes = 0;
    int window[2] = {3, 2}, pad[2] = {1, 0}, stride[2] = {2, 1}, out[4];

    a.fill(random, 2.0f);
    b.fill(random, 1.0f);
    CHECK(cudnnCreateOpTensorDescriptor(&op));
    CHECK(cudnnSetOpTensorDescriptor(op, CUDNN_OP_TENSOR_MUL, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN));
    CHECK(cudnnOpTensor(handle, op, &half, a.desc, a.data, &one, b.desc, b.data, &zero, c.desc, c.data));
    c.print("op_tensor");
    CHECK(cudnnCreateReduceTensorDescriptor(&reduce));
    CHECK(cudnnSetReduceTensorDescriptor(reduce, CUDNN_REDUCE_TENSOR_NORM2, CUDNN_DATA_FLOAT,
                                         CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES,
                                         CUDNN_32BIT_INDICES));
    CHECK(cudnnGetReductionWorkspaceSize(handle, reduce, a.desc, sum.desc, &bytes));
    {
        Workspace space(bytes);
        CHECK(cudnnReduceTensor(handle, reduce, nullptr, 0, space.data, bytes, &one, a.desc, a.data,
                                &zero, sum.desc, sum.data));
    }
    sum.print("reduce_norm2");
    CHECK(cudnnScaleTensor(handle, c.desc, c.data, &half));
    CHECK(cudnnTransformTensor(handle, &half, a.desc, a.data, &one, c.desc, c.data));
    c.print("transform");
    CHECK(cudnnCreatePoolingDescriptor(&pool));
    CHECK(cudnnSetPoolingNdDescriptor(pool, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                                      CUDNN_NOT_PROPAGATE_NAN, 2, window, pad, stride));
    CHECK(cudnnGetPoolingNdForwardOutputDim(pool, a.desc, 4, out));
    Tensor p(std::vector<int>(out, out + 4));
    CHECK(cudnnPoolingForward(handle, pool, &one, a.desc, a.data, &zero, p.desc, p.data));
    CHECK(cudnnPoolingBackward(handle, pool, &one, p.desc, p.data, p.desc, p.data, a.desc, a.data,
                               &zero, c.desc, c.data));
    p.print("pooling_y");
    c.print("pooling_dx");
    CHECK(cudnnDestroyPoolingDescriptor(pool));
    CHECK(cudnnDestroyReduceTensorDescriptor(reduce));
    CHECK(cudnnDestroyOpTensorDescriptor(op));
}

} // namespace

int main()
{
    try {
        cudnnHandle_t handle;
        Random random;
        int major = 0;

        CHECK(cudnnGetProperty(MAJOR_VERSION, &major));
        if (major < 7 || cudnnGetVersion() < std::size_t(CUDNN_VERSION) / 1000 * 1000)
            throw std::runtime_error("an older cuDNN than at compile time");
        CHECK(cudnnCreate(&handle));
        CHECK(cudnnSetStream(handle, nullptr));
        convolution(handle, random);
        normalization(handle, random);
        tensor_operations(handle, random);
        CHECK(cudnnDestroy(handle));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
