/* SPDX-License-Identifier: Apache-2.0 */
/* Get and Find: the call that they ask about, and their answers as perf structs. */
#include "api/search.h"

#include "sys/error.h"

/* The perf structs of the three directions, which differ in the type of `algo` alone. */
struct perf {
    int algo;
    anydnnStatus_t status;
    float time;
    size_t memory;
    anydnnDeterminism_t determinism;
    anydnnMathType_t mathType;
    int backend;
    int reason;
    int reserved[10];
};

#define SAME_PLACE(type, member)                                                                   \
    _Static_assert(offsetof(struct perf, member) == offsetof(type, member),                        \
                   "perf structs have one layout")
#define SAME_LAYOUT(type)                                                                          \
    _Static_assert(sizeof(struct perf) == sizeof(type), "perf structs have one layout");           \
    SAME_PLACE(type, status);                                                                      \
    SAME_PLACE(type, time);                                                                        \
    SAME_PLACE(type, memory);                                                                      \
    SAME_PLACE(type, determinism);                                                                 \
    SAME_PLACE(type, mathType);                                                                    \
    SAME_PLACE(type, backend);                                                                     \
    SAME_PLACE(type, reason);                                                                      \
    SAME_PLACE(type, reserved)

SAME_LAYOUT(anydnnConvolutionFwdAlgoPerf_t);
SAME_LAYOUT(anydnnConvolutionBwdDataAlgoPerf_t);
SAME_LAYOUT(anydnnConvolutionBwdFilterAlgoPerf_t);

anydnnStatus_t adn_question_begin(anydnnHandle_t handle, const struct adn_question *question,
                                  struct adn_call *call)
{
    struct adn_entry started, *entry = &started;
    anydnnStatus_t status = adn_handle_is_ready(handle)
                                ? ANYDNN_STATUS_SUCCESS
                                : adn_handle_complain_call(handle, question->name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(entry, call, question->name, question->operation);
    for (int slot = 0; slot < 3; slot++) {
        if (slot != question->filter_slot)
            adn_call_shape(entry, slot, question->tensor[slot]);
        else
            adn_call_filter_shape(entry, slot, question->filter);
        if (question->given)
            adn_call_data(entry, slot, entry->call->tensor[slot], question->data[slot]);
    }
    adn_call_convolution(entry, question->convDesc);
    adn_call_workspace(entry, question->workspace, question->bytes);
    adn_call_operands_end(entry);
    return adn_call_accepted(entry) ? ANYDNN_STATUS_SUCCESS : adn_call_report(entry);
}

anydnnStatus_t adn_question_check_results(const struct adn_question *question, int requested,
                                          const int *returned, const void *results)
{
    if (!returned)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: returnedAlgoCount is NULL", question->name);
    if (!results)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: perfResults is NULL", question->name);
    if (requested < 1)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: requestedAlgoCount is %d; it must be at least 1", question->name,
                        requested);
    return ANYDNN_STATUS_SUCCESS;
}

void adn_question_answer(const struct adn_found *found, int count, void *results)
{
    for (int i = 0; i < count; i++) {
        struct perf perf = {
            .algo = found[i].algorithm,
            .status = found[i].status,
            .time = found[i].microseconds < 0 ? -1 : (float)(found[i].microseconds / 1e3),
            .memory = (size_t)found[i].workspace,
            .determinism = found[i].deterministic ? ANYDNN_DETERMINISTIC : ANYDNN_NON_DETERMINISTIC,
            .mathType = (anydnnMathType_t)found[i].math,
            .backend = found[i].backend,
            .reason = found[i].reason,
        };

        memcpy((char *)results + (size_t)i * sizeof(perf), &perf, sizeof(perf));
    }
}
