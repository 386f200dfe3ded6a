/* SPDX-License-Identifier: Apache-2.0 */
/* Copies problems, and reports refusals and offers. */
#include "problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ copies */

/* Copies the members of a size-prefixed structure that the host knows, and zeroes the rest. */
static void copy_struct(void *to, size_t size, const void *from)
{
    uint32_t from_size;

    memcpy(&from_size, from, sizeof from_size);
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
}

void kit_copy_problem(struct anydnn_plugin_problem *copy, struct kit_copies *copies,
                      const struct anydnn_plugin_problem *from)
{
    size_t params_size;

    copy_struct(copy, sizeof *copy, from);
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = copy->tensor[slot];

        if (!(copy->present >> slot & 1) || !tensor) {
            copy->present &= ~(UINT32_C(1) << slot);
            copy->tensor[slot] = NULL;
            continue;
        }
        copy_struct(&copies->tensor[slot], sizeof *tensor, tensor);
        copy->tensor[slot] = &copies->tensor[slot];
    }
    memset(&copies->params, 0, sizeof copies->params);
    params_size = kit_params_size(copy->operation);
    if (params_size && copy->params) {
        copy_struct(&copies->params, params_size, copy->params);
        copy->params = &copies->params;
    } else {
        copy->params = NULL;
    }
}

const struct anydnn_plugin_operands *
kit_whole_operands(const struct anydnn_plugin_operands *operands,
                   struct anydnn_plugin_operands *whole)
{
    if (operands->struct_size >= sizeof *whole)
        return operands;
    copy_struct(whole, sizeof *whole, operands);
    return whole;
}

/* ------------------------------------------------------------------ answers */

int32_t kit_refuse(struct kit_refusal *why, int32_t reason, const char *format, ...)
{
    va_list list;

    why->reason = reason;
    va_start(list, format);
    kit_print(why->sentence, sizeof why->sentence, format, list);
    va_end(list);
    return reason;
}

int32_t kit_check_extensions(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    for (const struct anydnn_plugin_extension *node = problem->extension; node; node = node->next) {
        if (node->must_understand)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_EXTENSION,
                              "%s does not support the required extension of kind %d", kit_name,
                              node->kind);
    }
    return 0;
}

void kit_offer_refusal(const struct kit_refusal *why, anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate,
        .reason = why->reason,
        .algorithm = ANYDNN_PLUGIN_ALGORITHM_NONE,
        .sentence = why->sentence,
    };
    (void)offer(cookie, &candidate);
}

/* Offers candidates under one algorithm number. Returns a nonzero value when the host wants no
 * more. */
static int32_t offer_under(struct anydnn_plugin_candidate *candidates, int32_t count,
                           int32_t algorithm, int all, anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t enough = 0, has_free = 0;

    for (int32_t i = 0; i < count && !enough; i++) {
        struct anydnn_plugin_candidate *candidate = &candidates[i];
        int wanted = all || i == 0 || (!has_free && candidate->workspace == 0);

        candidate->struct_size = sizeof *candidate;
        candidate->algorithm = algorithm;
        has_free |= candidate->workspace == 0;
        enough = wanted ? offer(cookie, candidate) : 0;
    }
    return enough;
}

void kit_offer(struct anydnn_plugin_candidate *candidates, int32_t count, int32_t algorithms,
               int32_t first, anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t enough = offer_under(
        candidates, count, algorithms ? first : ANYDNN_PLUGIN_ALGORITHM_NONE, 1, offer, cookie);

    for (int32_t number = 0; algorithms >> number && !enough; number++) {
        if (number != first && (algorithms >> number & 1))
            enough = offer_under(candidates, count, number, 0, offer, cookie);
    }
}
