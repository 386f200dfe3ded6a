/* SPDX-License-Identifier: Apache-2.0 */
/* What the family taps takes, and what its kernels are given (taps_job.h). */
#include "taps_job.h"

/* Places and steps have 31 bits; half of that leaves room for sums of them. In direction filter
 * those in the tensor by position are counted in chunks of 4 elements or more. */
#define TC_TAPS_REACH  (INT64_C(1) << 30)
#define TC_TAPS_CHUNKS 4

static int64_t size_of(int64_t n)
{
    return n < 0 ? -n : n;
}

extern "C" int32_t tc_taps_takes(const struct conv *conv, const struct tc_wish *wish)
{
    int64_t gathered = conv->images * conv->x_image;
    int64_t filters = conv->columns * size_of(conv->tap_column) + conv->depth * conv->tap_depth;
    int64_t positions = conv->images * size_of(conv->position_image);

    (void)wish;
    if (!conv->narrow || conv->classes > TC_TAPS_CLASSES)
        return 0;
    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++) {
        const struct conv_dim *dim = &conv->dim[d];

        if (dim->taps > TC_TAPS_BITS)
            return 0;
        gathered += (dim->gathered + dim->pad + dim->taps * dim->dilation) * size_of(dim->x);
        filters += dim->taps * size_of(dim->tap);
        positions += dim->positions * size_of(dim->position);
    }
    if (conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER &&
        positions / TC_TAPS_CHUNKS >= TC_TAPS_REACH)
        return 0;
    return gathered < TC_TAPS_REACH && filters < TC_TAPS_REACH;
}

int32_t tc_taps_is_plain(const tc_job &job, int32_t each)
{
    const conv &conv = job.conv;
    int plain = !job.output.bias && job.output.blend.alpha == 1 && job.output.blend.beta == 0 &&
                conv.position.step == 1 && conv.columns % each == 0 &&
                conv.position_image % each == 0 && (uintptr_t)job.output.data % 16 == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        plain &= conv.dim[d].position % each == 0;
    return plain;
}

void tc_taps_prepare(tc_taps_job *taps, const tc_job &job, int32_t element)
{
    const conv &conv = job.conv;

    *taps = {};
    *(tc_job *)taps = job;
    taps->stores_by_16 = !job.partial && tc_taps_is_plain(job, 16 / element);
    for (int32_t number = 0; number < conv.classes; number++) {
        tc_taps_view *to = &taps->class_of[number];

        conv_view_make(&to->view, conv, number);
        to->taps = 1;
        to->first_other = (int32_t)conv.tap_first;
        for (int d = 0; d < CONV_DIMS; d++) {
            const conv_view_dim &dim = to->view.dim[d];
            const conv_dim &of = conv.dim[CONV_FIRST + d];

            to->by[d] = cuda_divisor_of(dim.positions > 0 ? dim.positions : 1);
            to->by_tap[d] = cuda_divisor_of(dim.at_tap > 0 ? dim.at_tap : 1);
            to->tap_x[d] = dim.at_tap * (int32_t)of.x;
            to->tap_other[d] = dim.tap_step * (int32_t)of.tap;
            to->back_x[d] = (dim.taps - 1) * to->tap_x[d];
            to->back_other[d] = (dim.taps - 1) * to->tap_other[d];
            to->last[d] = 1u << (TC_TAPS_BITS * d + (dim.taps > 0 ? dim.taps - 1 : 0));
            to->first_other += dim.tap_first * (int32_t)of.tap;
            to->taps *= dim.taps;
        }
    }
}
