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

const struct adn_direction adn_directions[ADN_DIRECTIONS] = {
    [ADN_FORWARD] = {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 1, ANYDNN_CONVOLUTION_FWD_ALGO_COUNT},
    [ADN_BACKWARD_DATA] = {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, 0,
                           ANYDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT},
    [ADN_BACKWARD_FILTER] = {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, 2,
                             ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT},
};

static void put_operand(struct adn_entry *entry, const struct adn_question *question, int slot)
{
    if (slot == adn_directions[question->direction].filter_slot)
        adn_call_filter_shape(entry, slot, question->desc[slot]);
    else
        adn_call_shape(entry, slot, question->desc[slot]);
    if (question->given)
        adn_call_data(entry, slot, entry->call->tensor[slot], question->data[slot]);
}

/* The first bad argument is reported: they come in the order of the entries' parameters. */
void adn_question_call(struct adn_entry *entry, struct adn_call *call,
                       const struct adn_question *question, const int *algorithm)
{
    adn_call_begin(entry, call, question->name, adn_directions[question->direction].operation);
    put_operand(entry, question, 0);
    put_operand(entry, question, 1);
    adn_call_convolution(entry, question->convDesc);
    if (algorithm)
        adn_call_algorithm(entry, *algorithm);
    put_operand(entry, question, 2);
}

anydnnStatus_t adn_question_begin(anydnnHandle_t handle, const struct adn_question *question,
                                  struct adn_call *call)
{
    struct adn_entry entry;
    anydnnStatus_t status = adn_handle_is_ready(handle)
                                ? ANYDNN_STATUS_SUCCESS
                                : adn_handle_complain_call(handle, question->name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_question_call(&entry, call, question, NULL);
    adn_call_workspace(&entry, question->workspace, question->bytes);
    adn_call_operands_end(&entry);
    return adn_call_accepted(&entry) ? ANYDNN_STATUS_SUCCESS : adn_call_report(&entry);
}

/* Tests where a list of answers goes. */
static anydnnStatus_t check_results(const struct adn_question *question, int requested,
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

static void write_answers(const struct adn_found *found, int count, void *results)
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

anydnnStatus_t adn_question_list(anydnnHandle_t handle, const struct adn_question *question,
                                 adn_search_fn *search_fn, uint64_t limit, int requested,
                                 int *returned, void *results)
{
    struct adn_found found[ADN_SEARCH_MAX];
    struct adn_call call;
    struct adn_search search = {
        .handle = handle, .call = &call, .workspace_limit = limit, .given = question->given};
    anydnnStatus_t status = adn_question_begin(handle, question, &call);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = check_results(question, requested, returned, results);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = search_fn(&search, requested, found, returned);
    if (status == ANYDNN_STATUS_SUCCESS)
        write_answers(found, *returned, results);
    return status;
}
