/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the convolution's gradient of the bias. A block per channel sums the channel's
 * elements of dy. */
#include "../naive.h"

struct bias_job {
    naive_tensor dy, db;
    cuda_blend blend;
};

template <class T> __global__ void conv_backward_bias(bias_job job)
{
    int64_t at[NAIVE_DIMS], extents[NAIVE_DIMS], count = job.dy.count / job.dy.dims[1];
    typename cuda_arith<T>::type sum = 0;

    for (int d = 0; d < job.dy.ndims; d++)
        extents[d] = d == 1 ? 1 : job.dy.dims[d];
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        naive_unravel(extents, job.dy.ndims, i, at);
        at[1] = blockIdx.x;
        sum += naive_load<T>(job.dy, naive_offset(job.dy, at));
    }
    sum = naive_block_sum(sum);
    if (threadIdx.x == 0)
        naive_store(job.db, blockIdx.x * job.db.strides[1], (double)sum, job.blend);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    bias_job job = {naive_tensor_of(plan, call, slot_convolution_backward_bias_dy),
                    naive_tensor_of(plan, call, slot_convolution_backward_bias_db),
                    naive_blend(call, 0)};

    return naive_launch_blocks(call, NAIVE_FLOATS(conv_backward_bias, job.dy.type), job.dy.dims[1],
                               job.dy.count / job.dy.dims[1], job);
}

CUDA_OPERATION(convolution_backward_bias, CONVOLUTION_BACKWARD_BIAS, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .run = run);
