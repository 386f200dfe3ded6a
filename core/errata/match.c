/* SPDX-License-Identifier: Apache-2.0 */
/* Compares an entry with a problem, an engine, a version and a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "errata/errata.h"
#include "errata/pattern.h"
#include "problem/operation.h"
#include "problem/params.h"

/* ---- operands */

static int is_channels_last(const struct anydnn_plugin_tensor *tensor)
{
    return tensor->ndims < 3 || tensor->strides[1] == 1;
}

static int is_packed_rows(const struct anydnn_plugin_tensor *tensor)
{
    int64_t stride = 1;

    for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
        if (tensor->dims[d] > 1 && tensor->strides[d] != stride)
            return 0;
        stride *= tensor->dims[d];
    }
    return 1;
}

/* Compares the layout that all images and filters have in common. A layout with one channel or one
 * position may have two names. */
static int layout_holds(const char *pattern, const struct anydnn_plugin_problem *problem)
{
    int nhwc = 1, nchw = 1;
    int negated = *pattern == '!';
    const char *list = pattern + negated;

    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        if ((problem->present >> slot & 1) && problem->tensor[slot]->ndims >= 3) {
            nhwc &= is_channels_last(problem->tensor[slot]);
            nchw &= is_packed_rows(problem->tensor[slot]);
        }
    return ((nhwc && adn_pattern_word(list, "nhwc")) || (nchw && adn_pattern_word(list, "nchw")) ||
            (!nhwc && !nchw && adn_pattern_word(list, "strided"))) != negated;
}

/* Compares the sizes of the filter's spatial dims. A problem without a filter does not match. */
static int filter_holds(const char *pattern, const struct anydnn_plugin_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (int slot = 0; slot < info->slot_count; slot++) {
        const char *role = info->slot[slot].role;

        if ((problem->present >> slot & 1) && (strcmp(role, "w") == 0 || strcmp(role, "dw") == 0))
            return adn_pattern_numbers(pattern, problem->tensor[slot]->dims + 2,
                                       problem->tensor[slot]->ndims - 2);
    }
    return 0;
}

/* ---- parameters */

/* Compares the dims whose bits are set. */
static int axes_hold(const char *pattern, int32_t axes)
{
    int64_t dims[ANYDNN_PLUGIN_DIM_MAX];
    int32_t count = 0;

    for (int32_t d = 0; d < ANYDNN_PLUGIN_DIM_MAX; d++)
        if (axes >> d & 1)
            dims[count++] = d;
    return adn_pattern_numbers(pattern, dims, count);
}

static int param_holds(const struct adn_param *param, const char *pattern,
                       const struct anydnn_plugin_problem *problem)
{
    const char *at = (const char *)problem->params + param->offset, *name;
    int32_t count = problem->tensor[0]->ndims, number;
    int64_t wide;

    switch (param->kind) {
    case ADN_PARAM_SPATIAL:
        return adn_pattern_numbers(pattern, (const int64_t *)(const void *)at, count - 2);
    case ADN_PARAM_DIMS:
        return adn_pattern_numbers(pattern, (const int64_t *)(const void *)at, count);
    case ADN_PARAM_INT64:
        memcpy(&wide, at, sizeof(wide));
        return adn_pattern_numbers(pattern, &wide, 1);
    case ADN_PARAM_INT32:
        memcpy(&number, at, sizeof(number));
        wide = number;
        return adn_pattern_numbers(pattern, &wide, 1);
    case ADN_PARAM_TYPE:
        memcpy(&number, at, sizeof(number));
        return adn_pattern_word(pattern, adn_type_name(number));
    case ADN_PARAM_NAMES:
        memcpy(&number, at, sizeof(number));
        name = adn_param_name(param, number);
        return name && adn_pattern_word(pattern, name);
    case ADN_PARAM_AXES:
        memcpy(&number, at, sizeof(number));
        return axes_hold(pattern, number);
    default:
        return 0;
    }
}

/* Compares all parameters. An operation that lacks one of them does not match. */
static int params_hold(const struct adn_erratum *erratum,
                       const struct anydnn_plugin_problem *problem)
{
    const struct adn_param *params =
        adn_problem_params(adn_problem_operation(problem->operation)->family);

    for (int i = 0; i < erratum->conditions; i++) {
        const struct adn_param *param = params;

        while (param->key && strcmp(param->key, erratum->condition[i].key) != 0)
            param++;
        if (!param->key || !problem->params ||
            !param_holds(param, erratum->condition[i].value, problem))
            return 0;
    }
    return 1;
}

/* ---- engines */

/* Finds the value of a word `NAME=VALUE` of a candidate. Returns 0 if it has no such word. */
static int word_of(const char *words, const char *name, size_t length, char *value, size_t size)
{
    while (words && *words) {
        size_t word = strcspn(words, " ");

        if (word > length && strncmp(words, name, length) == 0 && words[length] == '=') {
            snprintf(value, size, "%.*s", (int)(word - length - 1), words + length + 1);
            return 1;
        }
        words += word;
        words += strspn(words, " ");
    }
    return 0;
}

/* Compares the library's own number of the engine, or the backend's if the candidate has no
 * other. */
static int engine_holds(const char *pattern, const struct anydnn_plugin_candidate *candidate)
{
    int64_t number = (int64_t)candidate->engine;
    char text[64];

    if (word_of(candidate->words, "engine", 6, text, sizeof(text)))
        return adn_pattern_text(pattern, text);
    return adn_pattern_numbers(pattern, &number, 1);
}

/* Compares all knobs. A candidate that lacks one of them does not match. */
static int knobs_hold(const char *knobs, const struct anydnn_plugin_candidate *candidate)
{
    while (*knobs) {
        size_t length = strcspn(knobs, " "), name = strcspn(knobs, "=");
        char text[64], pattern[ADN_ERRATUM_KNOB_MAX + 1];

        snprintf(pattern, sizeof(pattern), "%.*s", (int)(length - name - 1), knobs + name + 1);
        if (!word_of(candidate->words, knobs, name, text, sizeof(text)) ||
            !adn_pattern_text(pattern, text))
            return 0;
        knobs += length;
        knobs += strspn(knobs, " ");
    }
    return 1;
}

/* ---- the whole */

/* Compares a key with the problem. An absent key holds. */
static int holds(const char *pattern, const char *word)
{
    return !pattern || adn_pattern_word(pattern, word);
}

static int problem_holds(const struct adn_erratum *erratum,
                         const struct anydnn_plugin_problem *problem)
{
    char *const *text = erratum->text;

    return holds(text[ADN_ERRATUM_OPERATIONS], adn_operation_name(problem->operation)) &&
           holds(text[ADN_ERRATUM_TYPES], adn_type_name(problem->tensor[0]->type)) &&
           holds(text[ADN_ERRATUM_MATH], adn_math_name(problem->math)) &&
           (!text[ADN_ERRATUM_FILTER] || filter_holds(text[ADN_ERRATUM_FILTER], problem)) &&
           (!text[ADN_ERRATUM_LAYOUT] || layout_holds(text[ADN_ERRATUM_LAYOUT], problem)) &&
           params_hold(erratum, problem);
}

/* Compares the backend's name. Most entries name one backend, and most candidates are of others. */
static int backend_holds(const char *pattern, const char *backend)
{
    if (!pattern || strcmp(pattern, backend) == 0)
        return pattern != NULL;
    return strpbrk(pattern, "*,!") != NULL && adn_pattern_word(pattern, backend);
}

int adn_erratum_matches(const struct adn_erratum *erratum, const struct adn_errata_query *query)
{
    const struct anydnn_plugin_candidate *candidate = query->candidate;
    char *const *text = erratum->text;
    char device[256] = "";

    if (!backend_holds(text[ADN_ERRATUM_BACKEND], query->backend))
        return 0;
    if (candidate &&
        ((text[ADN_ERRATUM_ENGINE] && !engine_holds(text[ADN_ERRATUM_ENGINE], candidate)) ||
         (text[ADN_ERRATUM_KNOBS] && !knobs_hold(text[ADN_ERRATUM_KNOBS], candidate))))
        return 0;
    if (!problem_holds(erratum, query->problem))
        return 0;
    if (text[ADN_ERRATUM_VERSIONS] &&
        (!query->version || !adn_versions_hold(text[ADN_ERRATUM_VERSIONS], query->version)))
        return 0;
    if (!text[ADN_ERRATUM_DEVICES])
        return 1;
    if (query->device)
        query->device(query->cookie, device, sizeof(device));
    return adn_pattern_word(text[ADN_ERRATUM_DEVICES], device);
}
