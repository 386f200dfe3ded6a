/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the CTC loss: x and its gradients are t,n,a, and the rest are packed lists. */
#include "problem/check_ctc.h"

#include <stdio.h>

#include "desc/names.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

/* Checks a packed list of `count` numbers; with count 0, of any number of them. */
static anydnnStatus_t check_list(const struct adn_check *check, int32_t slot, int32_t type,
                                 int64_t count, const char *what)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];
    char rule[160];

    if (tensor->type == type && tensor->ndims == 1 && tensor->strides[0] == 1 &&
        (count == 0 || tensor->dims[0] == count))
        return SUCCESS;
    if (count == 0)
        snprintf(rule, sizeof(rule), "it must be %s:K, packed, %s", adn_type_name(type), what);
    else
        snprintf(rule, sizeof(rule), "it must be %s:%lld, packed, %s", adn_type_name(type),
                 (long long)count, what);
    return adn_check_fail(check, BAD_PARAM, slot, rule);
}

anydnnStatus_t adn_check_ctc(const struct adn_check *check)
{
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[slot_ctc_loss_x];
    int32_t real = x->type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE : ANYDNN_PLUGIN_FLOAT;
    anydnnStatus_t status;

    if (x->ndims != 3)
        return adn_check_fail(check, BAD_PARAM, slot_ctc_loss_x,
                              "it must have three dims: time, sequence, letter of the alphabet");
    status = check_list(check, slot_ctc_loss_labels, ANYDNN_PLUGIN_INT32, 0,
                        "the labels of all sequences");
    for (int32_t slot = slot_ctc_loss_label_lengths;
         slot <= slot_ctc_loss_costs && status == SUCCESS; slot++)
        status = check_list(check, slot, slot == slot_ctc_loss_costs ? real : ANYDNN_PLUGIN_INT32,
                            x->dims[1], "one for each sequence");
    return status == SUCCESS
               ? adn_check_like(check, adn_check_slot(check, "gradients"), slot_ctc_loss_x, 1)
               : status;
}
