/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/check_operands.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "sys/error.h"
#include "sys/text.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

anydnnStatus_t adn_check_fail(const struct adn_check *check, anydnnStatus_t status, int32_t slot,
                              const char *rule)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];
    struct adn_text text;
    char dims[200];

    adn_text_begin(&text, dims, sizeof(dims));
    adn_text_list(&text, tensor->dims, tensor->ndims);
    return adn_fail(status, "%s: %s is %s:%s; %s", check->entry, check->info->slot[slot].role,
                    adn_type_name(tensor->type), dims, rule);
}

int32_t adn_check_slot(const struct adn_check *check, const char *role)
{
    for (int32_t i = 0; i < check->info->slot_count; i++)
        if (strcmp(check->info->slot[i].role, role) == 0)
            return check->problem->present >> i & 1 ? i : -1;
    return -1;
}

anydnnStatus_t adn_check_dims(const struct adn_check *check, int32_t slot, const int64_t *dims,
                              const char *rule)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];
    int32_t ndims = check->problem->tensor[0].ndims;
    struct adn_text text;
    char sentence[400];

    if (tensor->ndims == ndims && memcmp(tensor->dims, dims, (size_t)ndims * sizeof(dims[0])) == 0)
        return SUCCESS;
    adn_text_begin(&text, sentence, sizeof(sentence));
    adn_text_add(&text, "its dims must be ");
    adn_text_list(&text, dims, ndims);
    adn_text_add(&text, ", %s", rule);
    return adn_check_fail(check, BAD_PARAM, slot, sentence);
}

anydnnStatus_t adn_check_like(const struct adn_check *check, int32_t slot, int32_t like, int type)
{
    const struct anydnn_plugin_tensor *other = &check->problem->tensor[like];
    char rule[120];

    if (slot < 0)
        return SUCCESS;
    snprintf(rule, sizeof(rule), "its type must be %s, that of %s", adn_type_name(other->type),
             check->info->slot[like].role);
    if (type && check->problem->tensor[slot].type != other->type)
        return adn_check_fail(check, BAD_PARAM, slot, rule);
    if (other->ndims != check->problem->tensor[slot].ndims)
        return adn_check_fail(check, BAD_PARAM, slot,
                              "it must have as many dims as the other operands");
    snprintf(rule, sizeof(rule), "those of %s", check->info->slot[like].role);
    return adn_check_dims(check, slot, other->dims, rule);
}

anydnnStatus_t adn_check_bytes(const struct adn_check *check, int32_t slot, int64_t need,
                               const char *what)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot < 0 ? 0 : slot];
    char rule[160];

    if (slot < 0 || (tensor->type == ANYDNN_PLUGIN_UINT8 && tensor->ndims == 1 &&
                     tensor->strides[0] == 1 && tensor->dims[0] >= need))
        return SUCCESS;
    snprintf(rule, sizeof(rule), "it must be at least u8:%lld, %s", (long long)need, what);
    return adn_check_fail(check, BAD_PARAM, slot, rule);
}
