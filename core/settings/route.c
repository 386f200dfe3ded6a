/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the rules of [route] sections, and decides which of them wins. */
#include "settings/route.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <anydnn/plugin.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "settings/keys.h"

const int32_t adn_route_maths[ADN_ROUTE_MODE_COUNT] = {
    ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP, ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION,
    ANYDNN_PLUGIN_MATH_SPLIT};
const char *const adn_route_modes[ADN_ROUTE_MODE_COUNT] = {"default", "tensor_op",
                                                           "allow_conversion", "split"};

/* ---- reading */

static enum adn_apply parse_mode(struct adn_route_rule *rule, const char *mode, char *error,
                                 size_t error_size)
{
    rule->math = -1;
    if (mode == NULL || mode[0] == '\0')
        return ADN_APPLY_DONE;
    rule->math = adn_math_parse(mode);
    if (rule->math >= 0)
        return ADN_APPLY_DONE;
    snprintf(error, error_size, "unknown math mode `%s`", mode);
    adn_settings_suggest(error, error_size, mode, adn_route_modes, ADN_ROUTE_MODE_COUNT,
                         "the modes are default, tensor_op, allow_conversion and split");
    return ADN_APPLY_UNKNOWN;
}

/* Counts the operations that begin with a pattern's prefix. */
static int prefix_matches(const char *prefix, size_t length)
{
    int count, matches = 0;
    const char *const *names = adn_operation_names(&count);

    for (int i = 0; i < count; i++)
        matches += strncmp(names[i], prefix, length) == 0;
    return matches;
}

static enum adn_apply parse_pattern(struct adn_route_rule *rule, const char *pattern, char *error,
                                    size_t error_size)
{
    const char *star = strchr(pattern, '*');
    int count;
    const char *const *names = adn_operation_names(&count);

    if (strlen(pattern) >= sizeof(rule->pattern)) {
        snprintf(error, error_size, "`%.40s...` is longer than any operation's name", pattern);
        return ADN_APPLY_UNKNOWN;
    }
    if (star != NULL && star[1] != '\0') {
        snprintf(error, error_size, "`%s`: a `*` must be the end of a prefix, or alone", pattern);
        return ADN_APPLY_BAD;
    }
    memcpy(rule->pattern, pattern, strlen(pattern) + 1);
    if (star != NULL ? prefix_matches(pattern, (size_t)(star - pattern)) > 0
                     : adn_operation_parse(pattern) >= 0)
        return ADN_APPLY_DONE;
    if (star != NULL)
        snprintf(error, error_size, "`%s` matches no operation", pattern);
    else
        snprintf(error, error_size, "unknown operation `%s`", pattern);
    if (star == NULL && prefix_matches(pattern, strlen(pattern)) > 0)
        snprintf(error + strlen(error), error_size - strlen(error), "; `%s*` would match %d",
                 pattern, prefix_matches(pattern, strlen(pattern)));
    else
        adn_settings_suggest(error, error_size, pattern, names, count,
                             "`anydnn info --operations` lists the operations");
    return ADN_APPLY_UNKNOWN;
}

static int parse_fallback(struct adn_route_rule *rule, const char *word, char *error,
                          size_t error_size)
{
    rule->fallback = adn_word_index(adn_words_fallback, word);
    if (rule->fallback >= 0)
        return 0;
    snprintf(error, error_size,
             "`fallback:%s`: it must be fallback:on, fallback:warn or fallback:off", word);
    return -1;
}

/* Parses the word `fastest`. Returns 1 if it stands first, 0 for another word, -1 if it follows
 * others. */
static int parse_fastest(struct adn_route_rule *rule, const char *word, char *error,
                         size_t error_size)
{
    if (strcmp(word, "fastest") != 0)
        return 0;
    if (!rule->fastest && rule->count == 0)
        return rule->fastest = 1;
    snprintf(error, error_size, "`fastest` must be the first word");
    return -1;
}

static int parse_backend(struct adn_route_rule *rule, const char *name, char *error,
                         size_t error_size)
{
    int fastest = parse_fastest(rule, name, error, error_size);

    if (fastest != 0)
        return fastest < 0 ? -1 : 0;
    if (!adn_backend_name_valid(name)) {
        snprintf(error, error_size,
                 "`%s` is not a valid backend name (1 to %d characters of a-z, 0-9 and _, "
                 "separated by commas)",
                 name, ADN_NAME_MAX);
        return -1;
    }
    for (int i = 0; i < rule->count; i++)
        if (strcmp(rule->backend[i], name) == 0) {
            snprintf(error, error_size, "backend `%s` is listed twice", name);
            return -1;
        }
    if (rule->count == ADN_ROUTE_MAX) {
        snprintf(error, error_size, "the list has more than %d backends", ADN_ROUTE_MAX);
        return -1;
    }
    memcpy(rule->backend[rule->count++], name, strlen(name) + 1);
    return 0;
}

/* Copies the word up to the next comma, without the blanks around it. Returns the text after the
 * comma, or NULL. */
static const char *next_word(const char *list, char *word, size_t size)
{
    size_t length = strcspn(list, ",");
    const char *rest = list[length] == ',' ? list + length + 1 : NULL;

    while (length > 0 && isblank((unsigned char)list[0]))
        list++, length--;
    while (length > 0 && isblank((unsigned char)list[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(word, list, length);
    word[length] = '\0';
    return rest;
}

static int parse_list(struct adn_route_rule *rule, const char *list, char *error, size_t error_size)
{
    char word[128];
    const char *rest = next_word(list, word, sizeof(word));

    rule->fallback = ADN_FALLBACK_UNSET;
    if (word[0] == '\0' && rest == NULL)
        return 0;
    for (;; rest = next_word(rest, word, sizeof(word))) {
        if (rule->fallback != ADN_FALLBACK_UNSET) {
            snprintf(error, error_size, "`%s` follows fallback:%s, which must be the last word",
                     word, adn_words_fallback[rule->fallback]);
            return -1;
        }
        if (word[0] == '\0') {
            snprintf(error, error_size, "an empty item between commas in `%s`", list);
            return -1;
        }
        if (strncmp(word, "fallback:", 9) == 0
                ? parse_fallback(rule, word + 9, error, error_size) != 0
                : parse_backend(rule, word, error, error_size) != 0)
            return -1;
        if (rest == NULL)
            break;
    }
    if (!rule->fastest || rule->count > 0)
        return 0;
    snprintf(error, error_size, "`fastest` must be followed by the backends to time");
    return -1;
}

enum adn_apply adn_rule_parse(struct adn_route_rule *rule, const char *pattern, const char *mode,
                              const char *list, char *error, size_t error_size)
{
    struct adn_route_rule fresh;
    enum adn_apply result;

    memset(&fresh, 0, sizeof(fresh));
    fresh.layer = ADN_LAYER_API;
    snprintf(fresh.origin, sizeof(fresh.origin), "anydnnSetRoute");
    result = parse_mode(&fresh, mode, error, error_size);
    if (result == ADN_APPLY_DONE)
        result = parse_pattern(&fresh, pattern, error, error_size);
    if (result == ADN_APPLY_DONE && parse_list(&fresh, list, error, error_size) != 0)
        result = ADN_APPLY_BAD;
    if (result == ADN_APPLY_DONE)
        *rule = fresh;
    return result;
}

int adn_settings_rule_parse(struct adn_route_rule *rule, const char *pattern, const char *mode,
                            const char *list, char *error, size_t error_size)
{
    return adn_rule_parse(rule, pattern, mode, list, error, error_size) == ADN_APPLY_DONE ? 0 : -1;
}

/* ---- choosing */

/* Returns the length of a prefix. An exact name counts more than any prefix. */
static int precision(const struct adn_route_rule *rule)
{
    int length = (int)strlen(rule->pattern);

    return rule->pattern[length - 1] == '*' ? length - 1 : (int)sizeof(rule->pattern);
}

int adn_rule_matches(const struct adn_route_rule *rule, const char *operation, int32_t math)
{
    size_t length = strlen(rule->pattern);

    if (rule->math >= 0 && rule->math != math)
        return 0;
    if (rule->pattern[length - 1] == '*')
        return strncmp(rule->pattern, operation, length - 1) == 0;
    return strcmp(rule->pattern, operation) == 0;
}

/* Returns 1 if `b`, which was read later, wins against `a`. */
static int beats(const struct adn_route_rule *b, const struct adn_route_rule *a)
{
    if (b->layer != a->layer)
        return b->layer > a->layer;
    if (precision(b) != precision(a))
        return precision(b) > precision(a);
    return b->math >= 0 || a->math < 0;
}

/* Returns the mode whose name routes use. ANYDNN_FMA_MATH has none, and is routed as default. */
static int32_t named_math(int32_t math)
{
    for (int i = 0; i < ADN_ROUTE_MODE_COUNT; i++)
        if (adn_route_maths[i] == math)
            return math;
    return ANYDNN_PLUGIN_MATH_DEFAULT;
}

const struct adn_route_rule *adn_settings_route(const struct adn_settings *settings,
                                                const struct adn_route_rule *extra,
                                                int32_t extra_count, const char *operation,
                                                int32_t math)
{
    const struct adn_route_rule *best = NULL;

    math = named_math(math);
    for (int32_t i = 0; i < settings->rule_count + extra_count; i++) {
        const struct adn_route_rule *rule =
            i < settings->rule_count ? &settings->rules[i] : &extra[i - settings->rule_count];

        if (adn_rule_matches(rule, operation, math) && (best == NULL || beats(rule, best)))
            best = rule;
    }
    return best;
}
