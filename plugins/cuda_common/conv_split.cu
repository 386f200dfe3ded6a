/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares jobs on the host, and implements the second stage of split-K: each thread adds the
 * partial sums of one result in order. */
#include "conv_job.h"
#include "conv_view.h"
#include "index.h"

#define FUSED(name) slot_convolution_bias_activation_forward_##name

static __global__ void __launch_bounds__(CUDA_THREADS) conv_split_kernel(const conv_job job)
{
    const conv &conv = job.conv;
    int64_t index = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t units = conv.groups * conv.classes, n, m, unit, number, at, z = 0;
    double sum = 0;
    conv_view view;
    conv_coords coords;

    n = index % conv.n;
    m = index / conv.n % job.m;
    unit = index / conv.n / job.m;
    if (unit >= units)
        return;
    conv_view_make(&view, conv, (int32_t)(unit % conv.classes));
    number = unit / conv.classes * conv.n + n;
    if (conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER) {
        conv_coords_of_tap(&coords, conv, view, (int32_t)m, job.channels_inside);
        at = coords.bc + unit / conv.classes * conv.tap_group + n * conv.tap_n;
    } else {
        if (m >= view.positions)
            return;
        at = conv_view_position(conv, view, (int32_t)m, false) + number * conv.position.step;
        z = conv_view_position(conv, view, (int32_t)m, true) + number * conv.z.step;
    }
    for (int32_t split = 0; split < job.splits; split++) {
        int64_t from = conv_partial_at(job, split, unit, m, n);

        sum += (double)((const float *)job.partial)[from];
    }
    conv_store_any(job.output, at, z, number, sum);
}

int32_t conv_reduce_splits(const cuda_call *call, const conv_job &job)
{
    int64_t count = job.conv.groups * job.conv.classes * job.m * job.conv.n;

    return cuda_launch(call, conv_split_kernel, cuda_blocks(count, CUDA_THREADS), 1, job);
}

conv_slots conv_slots_of(int32_t operation)
{
    switch (operation) {
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA:
        return {.a = slot_convolution_backward_data_dy,
                .b = slot_convolution_backward_data_w,
                .output = slot_convolution_backward_data_dx,
                .z = -1,
                .bias = -1};
    case ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER:
        return {.a = slot_convolution_backward_filter_x,
                .b = slot_convolution_backward_filter_dy,
                .output = slot_convolution_backward_filter_dw,
                .z = -1,
                .bias = -1};
    case ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD:
        return {
            .a = FUSED(x), .b = FUSED(w), .output = FUSED(y), .z = FUSED(z), .bias = FUSED(bias)};
    default:
        return {.a = slot_convolution_forward_x,
                .b = slot_convolution_forward_w,
                .output = slot_convolution_forward_y,
                .z = -1,
                .bias = -1};
    }
}

void conv_set_operands(conv_job *job, const conv_slots &slots,
                       const struct anydnn_plugin_operands *operands)
{
    job->a = operands->data[slots.a];
    job->b = operands->data[slots.b];
    job->output.data = operands->data[slots.output];
    job->output.blend = {operands->scale[0], operands->scale[1]};
    if (slots.bias >= 0) {
        job->output.bias = operands->data[slots.bias];
        job->output.z = operands->scale[1] != 0 ? operands->data[slots.z] : nullptr;
    }
}
