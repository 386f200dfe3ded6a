/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the plans of batch-invariant engines. oneDNN chooses kernels and blocks for the size of
 * the batch. A batch-invariant plan is therefore one for a single sample, which runs once for each
 * sample. */
#ifndef ONEDNN_BY_SAMPLE_H
#define ONEDNN_BY_SAMPLE_H

#include "onednn.h"

/* The bit of an engine number that stands for such a plan. The other bits are oneDNN's way. */
#define ONEDNN_BY_SAMPLE (UINT64_C(1) << 32)

/* The samples of a call. */
struct onednn_samples {
    int64_t count;                            /* 0: the plan runs once, for the whole batch */
    int64_t bytes[ANYDNN_PLUGIN_OPERAND_MAX]; /* from a sample to the next; 0: shared */
};

/* Makes a problem into that of one sample. `copies` holds its tensors. Returns 0, with `problem`
 * unchanged, if the batch-invariant mode does not cover it. */
int onednn_take_sample(struct anydnn_plugin_problem *problem, struct kit_copies *copies,
                       struct onednn_samples *samples);

/* Sets `to` to the operands of a sample. */
void onednn_move_to_sample(const struct onednn_samples *samples, int64_t sample,
                           const struct anydnn_plugin_operands *operands,
                           struct anydnn_plugin_operands *to);

#endif
