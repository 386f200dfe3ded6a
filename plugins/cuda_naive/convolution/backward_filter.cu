/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the convolution's gradient of the filter. A block per element of dw sums its
 * products over all output positions. */
#include "conv.h"

template <class T> __global__ void conv_backward_filter(naive_conv job)
{
    int64_t at[NAIVE_DIMS], output[NAIVE_DIMS], extents[NAIVE_DIMS], positions, from, place;
    typename cuda_arith<T>::type sum = 0;

    /* `at` is the index (k, c, t) of this block's element of dw. The sum covers only the outputs
     * of filter k. */
    naive_unravel(job.w.dims, job.w.ndims, blockIdx.x, at);
    for (int d = 0; d < job.y.ndims; d++)
        extents[d] = d == 1 ? 1 : job.y.dims[d];
    positions = job.y.count / job.y.dims[1];
    from = at[0] / job.filters * job.channels + at[1];
    for (int64_t i = threadIdx.x; i < positions; i += blockDim.x) {
        naive_unravel(extents, job.y.ndims, i, output);
        output[1] = at[0];
        if (conv_input(job, output + 2, at + 2, &place))
            sum = conv_fma(naive_load<T>(job.x, output[0] * job.x.strides[0] +
                                                    from * job.x.strides[1] + place),
                           naive_load<T>(job.y, naive_offset(job.y, output)), sum);
    }
    sum = naive_block_sum(sum);
    if (threadIdx.x == 0)
        naive_store(job.w,
                    at[0] * job.w.strides[0] + at[1] * job.w.strides[1] +
                        conv_tap_offset(job, at + 2),
                    (double)sum, job.blend);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    naive_conv job =
        naive_conv_of(plan, call, slot_convolution_backward_filter_x,
                      slot_convolution_backward_filter_dw, slot_convolution_backward_filter_dy);

    return naive_launch_blocks(call, NAIVE_FLOATS(conv_backward_filter, job.w.type), job.w.count,
                               job.y.count / job.y.dims[1], job);
}

/* The engine is offered under cuDNN's algorithms without transforms, the deterministic one
 * first. */
CUDA_OPERATION(convolution_backward_filter, CONVOLUTION_BACKWARD_FILTER, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .algorithms = 0xb, .first = 1, .run = run);
