/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates depthwise fprop with filters of 7 x 7 taps. */
#include "depthwise_large_fprop.h"

int32_t depthwise_large_fprop7(const depthwise_state *state, const cuda_call *call,
                               const depthwise_job &job)
{
    static large_run *const by_shape[] = {LARGE_FPROP_7(large_fprop_of)};
    static large_run *const by_shape_stride2[] = {LARGE_FPROP_7_STRIDE2(large_fprop_of)};

    return (state->stride == 2 ? by_shape_stride2 : by_shape)[state->shape](state, call, job);
}
