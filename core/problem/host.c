/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and fills host operands. The core knows only the shapes of other operands, but a call
 * reads these before it returns, so their values have rules, too. */
#include "problem/host.h"

#include "problem/operation.h"
#include "sys/error.h"

#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

int adn_problem_on_host(const struct adn_problem *problem, int32_t slot)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    return slot < info->slot_count && (info->slot[slot].flags & ADN_SLOT_HOST) != 0;
}

static anydnnStatus_t check_lengths(const int64_t *dims, int64_t capacity, const int32_t *labels,
                                    const int32_t *inputs, const char *entry, int64_t *count)
{
    *count = 0;
    for (int64_t n = 0; n < dims[1]; n++) {
        if (labels[n] < 0)
            return adn_fail(BAD_PARAM, "%s: labelLengths[%lld] is %d; it must be at least 0", entry,
                            (long long)n, (int)labels[n]);
        if (inputs[n] < 0 || inputs[n] > dims[0])
            return adn_fail(
                BAD_PARAM,
                "%s: inputLengths[%lld] is %d; it must be 0 to %lld, the number of steps", entry,
                (long long)n, (int)inputs[n], (long long)dims[0]);
        *count += labels[n];
    }
    return *count <= capacity
               ? ANYDNN_STATUS_SUCCESS
               : adn_fail(BAD_PARAM, "%s: labelLengths add up to %lld labels, but there are %lld",
                          entry, (long long)*count, (long long)capacity);
}

anydnnStatus_t adn_problem_check_labels(const int64_t *dims, int64_t capacity,
                                        const int32_t *labels, const int32_t *label_lengths,
                                        const int32_t *input_lengths, const char *entry)
{
    int64_t count;
    anydnnStatus_t status =
        check_lengths(dims, capacity, label_lengths, input_lengths, entry, &count);

    for (int64_t i = 0; status == ANYDNN_STATUS_SUCCESS && i < count; i++)
        if (labels[i] < 1 || labels[i] >= dims[2])
            status =
                adn_fail(BAD_PARAM, "%s: labels[%lld] is %d; it must be 1 to %lld (0 is the blank)",
                         entry, (long long)i, (int)labels[i], (long long)dims[2] - 1);
    return status;
}

anydnnStatus_t adn_problem_check_host(const struct adn_problem *problem, void *const *data,
                                      const char *entry)
{
    if (problem->operation != ANYDNN_PLUGIN_CTC_LOSS)
        return ANYDNN_STATUS_SUCCESS;
    return adn_problem_check_labels(problem->tensor[slot_ctc_loss_x].dims,
                                    problem->tensor[slot_ctc_loss_labels].dims[0],
                                    data[slot_ctc_loss_labels], data[slot_ctc_loss_label_lengths],
                                    data[slot_ctc_loss_input_lengths], entry);
}

/* Distributes the labels over the sequences. Some labels repeat the one before; every second
 * sequence has one step fewer than the maximum. */
void adn_problem_fill_host(const struct adn_problem *problem, int32_t slot, void *to)
{
    const int64_t *dims = problem->tensor[slot_ctc_loss_x].dims;
    int64_t letters = dims[2] - 1;
    int64_t labels = letters > 0 ? problem->tensor[slot_ctc_loss_labels].dims[0] : 0;
    int32_t *values = to;

    for (int64_t i = 0; i < problem->tensor[slot].dims[0]; i++)
        values[i] = slot == slot_ctc_loss_input_lengths
                        ? (int32_t)(dims[0] - (dims[0] > 1 && i % 2 == 1))
                    : slot == slot_ctc_loss_label_lengths
                        ? (int32_t)(labels / dims[1] + (i < labels % dims[1]))
                    : letters > 0 ? (int32_t)(1 + (i - i / 4) * 3 % letters)
                                  : 0;
}
