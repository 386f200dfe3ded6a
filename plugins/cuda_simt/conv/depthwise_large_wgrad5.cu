/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates depthwise wgrad with filters of 5 x 5 taps. */
#include "depthwise_large_wgrad.h"

int32_t depthwise_large_wgrad5(const depthwise_state *state, const cuda_call *call,
                               const depthwise_job &job)
{
    static large_run *const by_shape[] = {LARGE_WGRAD_5(large_wgrad_of)};
    static large_run *const by_shape_stride2[] = {LARGE_WGRAD_5_STRIDE2(large_wgrad_of)};

    return (state->stride == 2 ? by_shape_stride2 : by_shape)[state->shape](state, call, job);
}
