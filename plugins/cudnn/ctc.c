/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CTC loss. Labels and lengths are the host's for cuDNN, too, and so what it does not do as
 * anydnn.h says is known before it runs: a sequence whose labels no path gives, where its cost is
 * 0, runs as another one and is mended behind; other labels than it takes are refused, before
 * anything was enqueued, so that another backend runs the call.
 */
#include "table.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Slots. */
enum { X, LABELS, LABEL_LENGTHS, INPUT_LENGTHS, COSTS, GRADIENTS };

/* Dims of x. */
enum { TIME, SEQUENCE, LETTER };

/* cuDNN documents fewer than 256 labels a sequence. */
#define LABELS_MAX 255

/* What cuDNN gets in place of the caller's labels and lengths. */
struct batch {
    int32_t *labels, *label_lengths, *input_lengths;
    int64_t count; /* of labels */
};

/* Of the short types cuDNN has none; it takes t,n,a packed. */
static void arrange_ctc(struct anydnn_plugin_plan *plan)
{
    const uint32_t slots = 1u << X | 1u << GRADIENTS;

    cdn_widen(plan, slots, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16));
    cdn_pack_rows(plan, slots);
}

static int32_t check_ctc(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const int64_t *dims = problem->tensor[X]->dims;
    int64_t labels = problem->tensor[LABELS]->dims[0];

    for (int d = 0; d < 3; d++) {
        if (problem->tensor[X]->strides[d] > INT_MAX || dims[d] > INT_MAX)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "x has dim %lld with stride %lld; cuDNN counts in 31 bits",
                              (long long)dims[d], (long long)problem->tensor[X]->strides[d]);
    }
    if (dims[LETTER] < 2 || labels < dims[SEQUENCE])
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "there are %lld labels of %lld letters for %lld sequences; cuDNN is "
                          "given sequences with labels only",
                          (long long)labels, (long long)dims[LETTER] - 1,
                          (long long)dims[SEQUENCE]);
    return 0;
}

static int32_t prepare_ctc(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[X];
    const struct anydnn_plugin_ctc *params = plan->problem.params;
    int dims[3], strides[3];
    cudnnStatus_t status;

    for (int d = 0; d < 3; d++) {
        dims[d] = (int)x->dims[d];
        strides[d] = (int)x->strides[d];
    }
    /* Of three dims exactly; one for both, which are packed alike. */
    status = cudnn.cudnnCreateTensorDescriptor(&plan->made.tensor[X]);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetTensorNdDescriptor(plan->made.tensor[X], CUDNN_DATA_FLOAT, 3, dims,
                                                  strides);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnCreateCTCLossDescriptor(&plan->made.ctc);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetCTCLossDescriptorEx(
            plan->made.ctc, CUDNN_DATA_FLOAT, (cudnnLossNormalizationMode_t)params->normalization,
            CUDNN_NOT_PROPAGATE_NAN);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the CTC loss");
}

/* ------------------------------------------------------------------ labels and lengths */

/* Whether some path of the sequence's steps gives its labels: a step each, and one for a blank
 * between equal neighbours. */
static int has_path(const int32_t *label, int64_t labels, int64_t steps)
{
    int64_t least = labels;

    for (int64_t i = 1; i < labels; i++)
        least += label[i] == label[i - 1];
    return steps > 0 && least <= steps;
}

static const int32_t *numbers_of(const struct cdn_call *call, int32_t slot)
{
    return call->operands->data[slot];
}

/* Copies what cuDNN may have. A sequence without a path becomes one label in one step. */
static int32_t take(struct batch *batch, const struct cdn_call *call, int64_t sequences)
{
    const int32_t *label = numbers_of(call, LABELS);

    for (int64_t n = 0; n < sequences; n++) {
        int32_t labels = numbers_of(call, LABEL_LENGTHS)[n];
        int32_t steps = numbers_of(call, INPUT_LENGTHS)[n];
        int there = has_path(label, labels, steps);

        if (there && (labels == 0 || labels > LABELS_MAX))
            return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                            "sequence %lld has %d labels; cuDNN is given 1 to %d", (long long)n,
                            labels, LABELS_MAX);
        if (there)
            memcpy(batch->labels + batch->count, label, (size_t)labels * sizeof *label);
        else
            batch->labels[batch->count] = 1;
        batch->label_lengths[n] = there ? labels : 1;
        batch->input_lengths[n] = there ? steps : 1;
        batch->count += batch->label_lengths[n];
        label += labels;
    }
    return 0;
}

/* 0, or a status with a sentence; then there is nothing to free. */
static int32_t make_batch(struct batch *batch, const struct cdn_call *call, int64_t sequences)
{
    int64_t labels = sequences;
    int32_t status;

    for (int64_t n = 0; n < sequences; n++)
        labels += numbers_of(call, LABEL_LENGTHS)[n];
    *batch = (struct batch){.labels = kit_alloc((size_t)(labels + 2 * sequences) * sizeof(int32_t),
                                                "labels and lengths")};
    if (!batch->labels)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    batch->label_lengths = batch->labels + labels;
    batch->input_lengths = batch->label_lengths + sequences;
    status = take(batch, call, sequences);
    if (status)
        kit_host->free(batch->labels);
    return status;
}

/* ------------------------------------------------------------------ what cuDNN leaves */

/* The steps of sequence n from `begin` up to `end`, with that byte in each of theirs. */
static int32_t fill_steps(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                          int64_t n, int64_t begin, int64_t end, int byte)
{
    const int64_t *dims = plan->problem.tensor[X]->dims;
    size_t width = (size_t)dims[LETTER] * sizeof(float);
    char *to = call->operands->data[GRADIENTS];

    if (!to || begin >= end)
        return 0;
    to += (size_t)(begin * dims[SEQUENCE] + n) * width;
    return cuda_check(plan->context->device,
                      cudaMemset2DAsync(to, width * (size_t)dims[SEQUENCE], byte, width,
                                        (size_t)(end - begin), call->stream),
                      "filling gradients");
}

/* The cost of a sequence without a path, and gradients that are 0 or, all bits set, NaN. */
static int32_t mend(const struct anydnn_plugin_plan *plan, const struct cdn_call *call, int64_t n,
                    int64_t labels, int64_t steps)
{
    static const float costs[] = {0, INFINITY};
    const struct anydnn_plugin_ctc *params = plan->problem.params;
    int32_t status = cuda_check(plan->context->device,
                                cudaMemcpyAsync((float *)call->operands->data[COSTS] + n,
                                                &costs[labels > 0 || steps > 0], sizeof costs[0],
                                                cudaMemcpyDefault, call->stream),
                                "writing a cost");

    return status ? status : fill_steps(plan, call, n, 0, steps, params->nan_propagate ? 0xff : 0);
}

/* The steps behind each sequence's end, which cuDNN leaves as they are; and what it cannot do. */
static int32_t finish(const struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const int64_t *dims = plan->problem.tensor[X]->dims;
    const int32_t *label = numbers_of(call, LABELS);
    int32_t status = 0;

    for (int64_t n = 0; n < dims[SEQUENCE] && !status; n++) {
        int32_t labels = numbers_of(call, LABEL_LENGTHS)[n];
        int32_t steps = numbers_of(call, INPUT_LENGTHS)[n];

        status = fill_steps(plan, call, n, steps, dims[TIME], 0);
        if (!status && !has_path(label, labels, steps))
            status = mend(plan, call, n, labels, steps);
        label += labels;
    }
    return status;
}

/* ------------------------------------------------------------------ running */

static int32_t compute(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                       const struct batch *batch)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t x = plan->made.tensor[X];
    cudnnHandle_t handle = plan->context->handle;
    const cudnnCTCLossAlgo_t algo = CUDNN_CTC_LOSS_ALGO_DETERMINISTIC;
    int32_t dropped, status, device = plan->context->device;
    void *scratch = NULL;
    size_t bytes = 0;

    status = cdn_check(
        cudnn.cudnnGetCTCLossWorkspaceSize(handle, x, x, batch->labels, batch->label_lengths,
                                           batch->input_lengths, algo, plan->made.ctc, &bytes),
        "cudnnGetCTCLossWorkspaceSize");
    if (!status)
        status = cuda_scratch_take(device, call->stream, bytes, &scratch);
    if (status)
        return status;
    status = cdn_ran(call,
                     cudnn.cudnnCTCLoss(handle, x, data[X], batch->labels, batch->label_lengths,
                                        batch->input_lengths, data[COSTS], x, data[GRADIENTS], algo,
                                        plan->made.ctc, scratch, bytes),
                     plan->operation->function);
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

/* cuDNN reads its lists on the host while it enqueues, so that a capture would not hold them. */
static int32_t run_ctc(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    struct batch batch;
    int32_t status;

    if (cuda_is_captured(call->stream))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "cuDNN's CTC loss with labels of the host cannot be part of a recording");
    status = make_batch(&batch, call, plan->problem.tensor[X]->dims[SEQUENCE]);
    if (status)
        return status;
    status = compute(plan, call, &batch);
    if (!status)
        status = finish(plan, call);
    kit_host->free(batch.labels);
    return status;
}

const struct cdn_operation cdn_ctc_loss = {
    .operation = ANYDNN_PLUGIN_CTC_LOSS,
    .types = CDN_TYPE(FLOAT) | CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16),
    .layouts = KIT_LAYOUTS,
    .host = 1u << LABELS | 1u << LABEL_LENGTHS | 1u << INPUT_LENGTHS,
    .function = "cudnnCTCLoss",
    .arrange = arrange_ctc,
    .check = check_ctc,
    .prepare = prepare_ctc,
    .run = run_ctc,
};
