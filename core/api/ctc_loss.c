/* SPDX-License-Identifier: Apache-2.0 */
/* The entries that compute the CTC loss. A problem contains a total number of labels, which differs
 * between the steps of a training. It is therefore rounded up to a power of two, so that few plans
 * serve all steps. The backend gets a copy of the labels, padded to that size. */
#include "api/call.h"

#include <stdlib.h>

#include "desc/names.h"
#include "problem/host.h"
#include "sys/error.h"

/* capacity of `near` in labels */
#define NEAR 1024

/* The operands that are lists. Their tensors live as long as the call. */
struct lists {
    struct anydnn_plugin_tensor labels;
    struct anydnn_plugin_tensor lengths;
    struct anydnn_plugin_tensor costs;
    int near[NEAR];
    int *own; /* memory for more than NEAR labels, or NULL */
};

static void ctc_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnCTCLossStruct *desc = call->descriptor[0];

    params->ctc = desc->l;
}

static struct anydnn_plugin_tensor list_of(int32_t type, int64_t count)
{
    return (struct anydnn_plugin_tensor){.struct_size = sizeof(struct anydnn_plugin_tensor),
                                         .type = type,
                                         .ndims = 1,
                                         .dims = {count},
                                         .strides = {1}};
}

/* Makes the lists and returns the total number of labels. Negative lengths are refused later, with
 * their index. */
static int64_t make_lists(struct lists *lists, const struct anydnn_plugin_tensor *probs,
                          const int *lengths)
{
    int64_t labels = 0, capacity = 1;

    for (int64_t n = 0; n < probs->dims[1]; n++)
        labels += lengths[n] > 0 ? lengths[n] : 0;
    while (capacity < labels)
        capacity *= 2;
    lists->own = NULL;
    lists->labels = list_of(ANYDNN_PLUGIN_INT32, capacity);
    lists->lengths = list_of(ANYDNN_PLUGIN_INT32, probs->dims[1]);
    lists->costs =
        list_of(probs->type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE : ANYDNN_PLUGIN_FLOAT,
                probs->dims[1]);
    return labels;
}

/* Returns the labels, padded with blanks to the problem's number, or NULL when memory runs out. */
static const int *pad(struct lists *lists, const int *labels, int64_t count)
{
    size_t capacity = (size_t)lists->labels.dims[0];
    int *to = lists->near;

    if (capacity == (size_t)count)
        return labels;
    if (capacity > NEAR)
        to = lists->own = malloc(capacity * sizeof(*to));
    if (!to)
        return NULL;
    memset(to, 0, capacity * sizeof(*to));
    if (count > 0)
        memcpy(to, labels, (size_t)count * sizeof(*to));
    return to;
}

/* Checks the conditions under which the lists of labels can be read. */
static anydnnStatus_t check_form(struct adn_entry *entry, anydnnCTCLossAlgo_t algo,
                                 const int *label_lengths)
{
    const struct anydnnCTCLossStruct *desc = entry->call->descriptor[0];
    const struct anydnn_plugin_tensor *probs = entry->call->tensor[slot_ctc_loss_x];
    int is_double = probs->type == ANYDNN_PLUGIN_DOUBLE;

    if (!adn_call_accepted(entry))
        return adn_call_report(entry);
    if (probs->ndims != 3)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: probsDesc has %d dims; it must have three: time, sequence, letter of "
                        "the alphabet",
                        entry->call->entry, (int)probs->ndims);
    if (algo != ANYDNN_CTC_LOSS_ALGO_DETERMINISTIC &&
        algo != ANYDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: algo is %d; it must be an ANYDNN_CTC_LOSS_ALGO_xxx",
                        entry->call->entry, (int)algo);
    if (is_double != (desc->compute_type == ANYDNN_PLUGIN_DOUBLE))
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "%s: compType is %s; for probs of type %s it must be %s",
                        entry->call->entry, is_double ? "float" : "double",
                        adn_type_name(probs->type), is_double ? "double" : "float");
    if (!label_lengths)
        adn_call_refuse(entry, (struct adn_refused){.rule = ADN_REFUSED_DATA,
                                                    .number = slot_ctc_loss_label_lengths});
    return adn_call_accepted(entry) ? ANYDNN_STATUS_SUCCESS : adn_call_report(entry);
}

anydnnStatus_t anydnnGetCTCLossWorkspaceSize(anydnnHandle_t handle,
                                             anydnnTensorDescriptor_t probsDesc,
                                             anydnnTensorDescriptor_t gradientsDesc,
                                             const int *labels, const int *labelLengths,
                                             const int *inputLengths, anydnnCTCLossAlgo_t algo,
                                             anydnnCTCLossDescriptor_t ctcLossDesc,
                                             size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct lists lists;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = adn_handle_check(handle, "anydnnGetCTCLossWorkspaceSize");

    (void)labels;
    (void)inputLengths;
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_call_begin(&entry, &call, "anydnnGetCTCLossWorkspaceSize", ANYDNN_PLUGIN_CTC_LOSS);
    adn_call_descriptor(&entry, ADN_DESC_CTC_LOSS, "ctcLossDesc", ctcLossDesc, 0);
    adn_call_shape(&entry, slot_ctc_loss_x, probsDesc);
    if (gradientsDesc)
        adn_call_shape(&entry, slot_ctc_loss_gradients, gradientsDesc);
    status = check_form(&entry, algo, labelLengths);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!sizeInBytes)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnGetCTCLossWorkspaceSize: sizeInBytes is NULL");
    make_lists(&lists, &probsDesc->t, labelLengths);
    adn_call_put(&entry, slot_ctc_loss_labels, &lists.labels, NULL);
    adn_call_put(&entry, slot_ctc_loss_label_lengths, &lists.lengths, NULL);
    adn_call_put(&entry, slot_ctc_loss_input_lengths, &lists.lengths, NULL);
    adn_call_put(&entry, slot_ctc_loss_costs, &lists.costs, NULL);
    call.params = ctc_params;
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnCTCLoss(anydnnHandle_t handle, anydnnTensorDescriptor_t probsDesc,
                             const void *probs, const int *labels, const int *labelLengths,
                             const int *inputLengths, void *costs,
                             anydnnTensorDescriptor_t gradientsDesc, void *gradients,
                             anydnnCTCLossAlgo_t algo, anydnnCTCLossDescriptor_t ctcLossDesc,
                             void *workspace, size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct lists lists;
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status;
    const int *given;
    int64_t count;

    adn_call_begin(&entry, &call, "anydnnCTCLoss", ANYDNN_PLUGIN_CTC_LOSS);
    adn_call_descriptor(&entry, ADN_DESC_CTC_LOSS, "ctcLossDesc", ctcLossDesc, 0);
    adn_call_tensor(&entry, slot_ctc_loss_x, probsDesc, probs);
    if (gradients)
        adn_call_tensor(&entry, slot_ctc_loss_gradients, gradientsDesc, gradients);
    status = check_form(&entry, algo, labelLengths);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    count = make_lists(&lists, &probsDesc->t, labelLengths);
    if (!labels && count > 0)
        adn_call_refuse(
            &entry, (struct adn_refused){.rule = ADN_REFUSED_DATA, .number = slot_ctc_loss_labels});
    adn_call_data(&entry, slot_ctc_loss_label_lengths, &lists.lengths, labelLengths);
    adn_call_data(&entry, slot_ctc_loss_input_lengths, &lists.lengths, inputLengths);
    adn_call_data(&entry, slot_ctc_loss_costs, &lists.costs, costs);
    if (!adn_call_accepted(&entry))
        return adn_call_report(&entry);
    status = adn_problem_check_labels(probsDesc->t.dims, count, labels, labelLengths, inputLengths,
                                      call.entry);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    given = pad(&lists, labels, count);
    if (!given)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: could not allocate a copy of %lld labels",
                        call.entry, (long long)count);
    adn_call_put(&entry, slot_ctc_loss_labels, &lists.labels, given);
    adn_call_key(&entry, (uint64_t)lists.labels.dims[0]);
    call.params = ctc_params;
    adn_call_workspace(&entry, workspace, workSpaceSizeInBytes);
    status = adn_call_run(handle, &entry);
    free(lists.own);
    return status;
}
