/* SPDX-License-Identifier: Apache-2.0 */
/* Implements convolution forward, plain and fused with bias and activation. A thread per element
 * of y sums over the taps and channels. */
#include "conv.h"

#define FUSED(name) slot_convolution_bias_activation_forward_##name

/* The conversions of elements of x and w to numbers, and the types of their sums. */
template <class T> struct conv_number {
    typedef typename cuda_arith<T>::type sum;

    static __device__ sum load(const naive_tensor &t, int64_t offset)
    {
        return naive_load<T>(t, offset);
    }
};

template <class T> struct conv_integer {
    typedef uint32_t sum;

    static __device__ int32_t load(const naive_tensor &t, int64_t offset)
    {
        return ((const T *)t.data)[offset];
    }
};

/* Returns the sum as a number. The 32 bits of an integer sum are signed. */
__device__ static inline double conv_number_of(double sum)
{
    return sum;
}

__device__ static inline double conv_number_of(uint32_t sum)
{
    return (double)(int32_t)sum;
}

/* Stores alpha * sum + beta * y. The fused operation stores activation(alpha1 * sum + alpha2 * z
 * + bias). */
__device__ static inline void conv_finish(const naive_conv &job, const int64_t at[], double sum)
{
    int64_t offset = naive_offset(job.y, at);
    double value = job.blend.alpha * sum;

    if (!job.bias.data) {
        naive_store(job.y, offset, sum, job.blend);
        return;
    }
    if (job.z.data && job.blend.beta != 0)
        value += job.blend.beta * naive_load_any(job.z, naive_offset(job.z, at));
    value += naive_load_any(job.bias, naive_channel(job.bias, at[1]));
    naive_store(job.y, offset, cuda_activate(job.f, value), {1, 0});
}

template <class X_OF, class W_OF> __global__ void conv_forward(naive_conv job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS], tap[NAIVE_SPATIAL] = {0}, first, place, x, w;
    typename X_OF::sum sum = 0;

    if (i >= job.y.count)
        return;
    naive_unravel(job.y.dims, job.y.ndims, i, at);
    first = at[1] / job.filters * job.channels; /* of the group */
    do {
        if (!conv_input(job, at + 2, tap, &place))
            continue;
        x = at[0] * job.x.strides[0] + place;
        w = at[1] * job.w.strides[0] + conv_tap_offset(job, tap);
        for (int64_t c = 0; c < job.channels; c++)
            sum = conv_fma(X_OF::load(job.x, x + naive_channel(job.x, first + c)),
                           W_OF::load(job.w, w + naive_channel(job.w, c)), sum);
    } while (naive_next(job.w.dims + 2, job.spatial, tap));
    conv_finish(job, at, conv_number_of(sum));
}

/* ------------------------------------------------------------------ on the host */

typedef void (*conv_kernel)(naive_conv job);

template <class T> static conv_kernel float_kernel()
{
    return conv_forward<conv_number<T>, conv_number<T>>;
}

static conv_kernel kernel_of(const naive_conv &job)
{
    int x = job.x.type, w = job.w.type;

    if (x == ANYDNN_PLUGIN_INT8)
        return conv_forward<conv_integer<int8_t>, conv_integer<int8_t>>;
    if (x == ANYDNN_PLUGIN_UINT8)
        return w == ANYDNN_PLUGIN_UINT8 ? conv_forward<conv_integer<uint8_t>, conv_integer<uint8_t>>
                                        : conv_forward<conv_integer<uint8_t>, conv_integer<int8_t>>;
    return NAIVE_FLOATS(float_kernel, x)();
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    naive_conv job = naive_conv_of(plan, call, slot_convolution_forward_x,
                                   slot_convolution_forward_w, slot_convolution_forward_y);

    return naive_launch(call, kernel_of(job), job.y.count, job);
}

static int32_t fused_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    naive_conv job = naive_conv_of(plan, call, FUSED(x), FUSED(w), FUSED(y));

    job.z = naive_tensor_of(plan, call, FUSED(z));
    job.bias = naive_tensor_of(plan, call, FUSED(bias));
    return naive_launch(call, kernel_of(job), job.y.count, job);
}

#define TYPES (CUDA_FLOATS | CUDA_TYPE(INT8) | CUDA_TYPE(UINT8) | CUDA_VECTORS)

/* The engine is offered under cuDNN's algorithms without transforms. */
CUDA_OPERATION(convolution_forward, CONVOLUTION_FORWARD, .types = TYPES,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .algorithms = 0xf, .first = 0,
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .run = forward_run);
CUDA_OPERATION(convolution_bias_activation_forward, CONVOLUTION_BIAS_ACTIVATION_FORWARD,
               .types = TYPES, .layouts = CUDA_LAYOUTS_AND_VECTORS, .algorithms = 0xf, .first = 0,
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .run = fused_run);
