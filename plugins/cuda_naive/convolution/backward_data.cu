/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the convolution's gradient of the data. A thread per element of dx sums over the
 * taps and filters through which the element reaches an output. */
#include "conv.h"

/* Finds the output that position `i` of dx reaches through a tap. *offset becomes its offset in
 * dy, without image and channel. Returns false if there is no such output. */
__device__ static inline bool conv_output_of(const naive_conv &job, const int64_t i[],
                                             const int64_t tap[], int64_t *offset)
{
    *offset = 0;
    for (int s = 0; s < job.spatial; s++) {
        int64_t o = i[s] + job.pad[s] - tap[s] * job.dilation[s];

        if (o < 0 || o % job.stride[s] != 0 || o / job.stride[s] >= job.y.dims[2 + s])
            return false;
        *offset += o / job.stride[s] * job.y.strides[2 + s];
    }
    return true;
}

template <class T> __global__ void conv_backward_data(naive_conv job)
{
    int64_t i = naive_thread(), at[NAIVE_DIMS], tap[NAIVE_SPATIAL] = {0}, first, place, w, y;
    typename cuda_arith<T>::type sum = 0;

    if (i >= job.x.count)
        return;
    naive_unravel(job.x.dims, job.x.ndims, i, at);
    first = at[1] / job.channels * job.filters; /* of the group */
    do {
        if (!conv_output_of(job, at + 2, tap, &place))
            continue;
        y = at[0] * job.y.strides[0] + place;
        w = at[1] % job.channels * job.w.strides[1] + conv_tap_offset(job, tap);
        for (int64_t k = first; k < first + job.filters; k++)
            sum = conv_fma(naive_load<T>(job.y, y + k * job.y.strides[1]),
                           naive_load<T>(job.w, w + k * job.w.strides[0]), sum);
    } while (naive_next(job.w.dims + 2, job.spatial, tap));
    naive_store(job.x, naive_offset(job.x, at), (double)sum, job.blend);
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    naive_conv job =
        naive_conv_of(plan, call, slot_convolution_backward_data_dx,
                      slot_convolution_backward_data_w, slot_convolution_backward_data_dy);

    return naive_launch(call, NAIVE_FLOATS(conv_backward_data, job.x.type), job.x.count, job);
}

/* The engine is offered under cuDNN's algorithms without transforms, the deterministic one
 * first. */
CUDA_OPERATION(convolution_backward_data, CONVOLUTION_BACKWARD_DATA, .types = CUDA_FLOATS,
               .layouts = KIT_LAYOUTS, .algorithms = 0x3, .first = 1,
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .run = run);
