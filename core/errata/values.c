/* SPDX-License-Identifier: Apache-2.0 */
#include "errata/values.h"

#include <stdio.h>
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

/* Returns 1 for a pattern of words, each of which is one that problems have. */
static int is_words(const char *value, int (*each)(void *cookie, const char *word), void *cookie)
{
    return adn_pattern_is_words(value) && adn_pattern_each(value, each, cookie);
}

static int is_algorithm(const char *word)
{
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++)
        if (adn_problem_operation(operation)->algorithms &&
            adn_problem_algorithm_parse(operation, word) >= 0)
            return 1;
    return 0;
}

/* Returns 1 for a list of `NAME=PATTERN`, separated by blanks. A pattern with `..` holds numbers.
 */
static int is_knobs(const char *value)
{
    while (*value) {
        size_t length = strcspn(value, " ");
        const char *equals = memchr(value, '=', length);
        char pattern[ADN_ERRATUM_KNOB_MAX + 1];

        if (!equals || equals == value || value + length - equals > (ptrdiff_t)sizeof(pattern))
            return 0;
        snprintf(pattern, sizeof(pattern), "%.*s", (int)(value + length - equals - 1), equals + 1);
        if (!adn_pattern_is_words(pattern) ||
            (strstr(pattern, "..") && !adn_pattern_is_numbers(pattern)))
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
    case ADN_ERRATUM_BACKEND:
    case ADN_ERRATUM_DEVICES:
        return adn_pattern_is_words(value) ? NULL : "words, separated by commas";
    case ADN_ERRATUM_VERSIONS:
        return adn_versions_valid(value) ? NULL
                                         : "FROM .. TO, FROM before TO; one of both may be missing";
    case ADN_ERRATUM_OPERATIONS:
        return is_words(value, is_operation, NULL) ? NULL : "operations, or patterns of them";
    case ADN_ERRATUM_TYPES:
        return is_words(value, is_type, NULL) ? NULL : "types, such as f16, bf16";
    case ADN_ERRATUM_LAYOUT:
        return is_words(value, is_layout, NULL) ? NULL : "nchw, nhwc or strided";
    case ADN_ERRATUM_MATH:
        return is_words(value, is_math, NULL) ? NULL : "math modes";
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

static int is_name(void *cookie, const char *word)
{
    const struct adn_param *param = cookie;
    int32_t number;

    for (int32_t i = 0; (number = adn_param_number(param, i)) >= 0; i++)
        if (adn_pattern_word(word, adn_param_name(param, number)))
            return 1;
    return 0;
}

/* Returns NULL, or the rule that the value of a parameter breaks. */
static const char *param_rule_broken(const struct adn_param *param, const char *value)
{
    if (param->kind == ADN_PARAM_TYPE)
        return is_words(value, is_type, NULL) ? NULL : "types, such as f32";
    if (param->kind == ADN_PARAM_NAMES)
        return is_words(value, is_name, (void *)(uintptr_t)param) ? NULL
                                                                  : "values of the parameter";
    return adn_pattern_is_numbers(value) ? NULL : "numbers or ranges";
}

int adn_erratum_is_param(const char *key, const char *value, const char **rule)
{
    int found = 0;

    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        const struct adn_param *param = param_of(operation, key);

        if (!param || param->kind == ADN_PARAM_DOUBLE)
            continue;
        found = 1;
        *rule = param_rule_broken(param, value);
        if (!*rule)
            break;
    }
    return found;
}
