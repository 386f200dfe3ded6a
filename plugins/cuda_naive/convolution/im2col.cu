/* SPDX-License-Identifier: Apache-2.0 */
/* Implements im2col. col[(c, t), (n, o)] is the element of x that output position o of image n
 * reads through filter element (c, t); padding is 0. */
#include "conv.h"

struct im2col_job {
    naive_conv conv; /* only x is set; conv_input needs no other tensor */
    naive_tensor col;
    int64_t window[NAIVE_SPATIAL], outputs[NAIVE_SPATIAL];
};

static __global__ void im2col_elements(im2col_job job)
{
    int64_t i = naive_thread(), at[2], tap[NAIVE_SPATIAL], o[NAIVE_SPATIAL], place;
    double value = 0;

    if (i >= job.col.count)
        return;
    naive_unravel(job.col.dims, 2, i, at);
    i = naive_offset(job.col, at);
    for (int s = job.conv.spatial - 1; s >= 0; s--) {
        tap[s] = at[0] % job.window[s];
        tap[s] = job.conv.flipped ? job.window[s] - 1 - tap[s] : tap[s];
        at[0] /= job.window[s];
        o[s] = at[1] % job.outputs[s];
        at[1] /= job.outputs[s];
    }
    if (conv_input(job.conv, o, tap, &place))
        value = naive_load_any(job.conv.x, at[1] * job.conv.x.strides[0] +
                                               at[0] * job.conv.x.strides[1] + place);
    naive_store(job.col, i, value, {1, 0});
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_convolution *params =
        (const struct anydnn_plugin_convolution *)plan->problem.params;
    const int x = slot_im2col_x, col = slot_im2col_col;
    im2col_job job = {naive_conv_of(plan, call, x, x, x), naive_tensor_of(plan, call, col), {}, {}};

    for (int s = 0; s < params->spatial_dims; s++) {
        int64_t covered = (params->window[s] - 1) * params->dilation[s] + 1;

        job.window[s] = params->window[s];
        job.outputs[s] =
            (job.conv.x.dims[2 + s] + 2 * params->pad[s] - covered) / params->stride[s] + 1;
    }
    return naive_launch(call, im2col_elements, job.col.count, job);
}

CUDA_OPERATION(im2col, IM2COL, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS, .run = run);
