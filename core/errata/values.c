/* SPDX-License-Identifier: Apache-2.0 */
#include "errata/values.h"

#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "errata/pattern.h"
#include "problem/operation.h"
#include "problem/params.h"

const char *const adn_erratum_keys[ADN_ERRATUM_KEYS] = {
    "backend", "versions", "devices", "operations", "types",   "layout", "filter",
    "math",    "engine",   "knobs",   "algorithm",  "verdict", "source", "problem"};

static const char *const verdicts[ADN_ERRATUM_VERDICTS] = {
    "wrong",     "nan",        "nondeterministic", "writes_outside", "slow",
    "transform", "short_sums", "batch_variant",    "finer",          "none"};

const char *adn_erratum_verdict_name(enum adn_erratum_verdict verdict)
{
    return verdicts[verdict];
}

static int is_operation(void *cookie, const char *word)
{
    int count, found = 0;
    const char *const *names = adn_operation_names(&count);

    (void)cookie;
    for (int i = 0; i < count; i++)
        found |= adn_pattern_word(word, names[i]);
    return found;
}

static int is_type(void *cookie, const char *word)
{
    (void)cookie;
    return adn_type_parse(word) >= 0;
}

static int is_layout(void *cookie, const char *word)
{
    (void)cookie;
    return strcmp(word, "nchw") == 0 || strcmp(word, "nhwc") == 0 || strcmp(word, "strided") == 0;
}

static int is_math(void *cookie, const char *word)
{
    (void)cookie;
    return adn_math_parse(word) >= 0;
}

static int is_algorithm(const char *word)
{
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++)
        if (adn_problem_operation(operation)->algorithms &&
            adn_problem_algorithm_parse(operation, word) >= 0)
            return 1;
    return 0;
}

/* Returns 1 for a list of `NAME=PATTERN`, separated by blanks. */
static int is_knobs(const char *value)
{
    while (*value) {
        size_t length = strcspn(value, " ");
        const char *equals = memchr(value, '=', length);

        if (!equals || equals == value || equals + 1 == value + length)
            return 0;
        value += length;
        value += strspn(value, " ");
    }
    return 1;
}

int adn_erratum_verdict_of(const char *word)
{
    for (int i = 0; i < ADN_ERRATUM_VERDICTS; i++)
        if (strcmp(verdicts[i], word) == 0)
            return i;
    return -1;
}

const char *adn_erratum_rule_broken(enum adn_erratum_key key, const char *value)
{
    switch (key) {
    case ADN_ERRATUM_VERSIONS:
        return adn_versions_valid(value) ? NULL : "FROM .. TO; one of both may be missing";
    case ADN_ERRATUM_OPERATIONS:
        return adn_pattern_each(value, is_operation, NULL) ? NULL
                                                           : "operations, or patterns of them";
    case ADN_ERRATUM_TYPES:
        return adn_pattern_each(value, is_type, NULL) ? NULL : "types, such as f16, bf16";
    case ADN_ERRATUM_LAYOUT:
        return adn_pattern_each(value, is_layout, NULL) ? NULL : "nchw, nhwc or strided";
    case ADN_ERRATUM_MATH:
        return adn_pattern_each(value, is_math, NULL) ? NULL : "math modes";
    case ADN_ERRATUM_FILTER:
    case ADN_ERRATUM_ENGINE:
        return adn_pattern_is_numbers(value) ? NULL : "numbers or ranges, such as 4.. or 70,72";
    case ADN_ERRATUM_KNOBS:
        return is_knobs(value) ? NULL : "NAME=PATTERN, separated by blanks";
    case ADN_ERRATUM_ALGORITHM:
        return is_algorithm(value) ? NULL : "an algorithm of a convolution";
    case ADN_ERRATUM_VERDICT:
        return adn_erratum_verdict_of(value) >= 0
                   ? NULL
                   : "wrong, nan, nondeterministic, writes_outside, slow, transform, short_sums, "
                     "batch_variant, finer or none";
    default:
        return NULL;
    }
}

static const struct adn_param *param_of(int32_t operation, const char *key)
{
    for (const struct adn_param *param =
             adn_problem_params(adn_problem_operation(operation)->family);
         param->key; param++)
        if (strcmp(param->key, key) == 0)
            return param;
    return NULL;
}

int adn_erratum_is_param(const char *key, int *numeric)
{
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        const struct adn_param *param = param_of(operation, key);

        if (!param || param->kind == ADN_PARAM_DOUBLE)
            continue;
        *numeric = param->kind != ADN_PARAM_NAMES && param->kind != ADN_PARAM_TYPE;
        return 1;
    }
    return 0;
}
