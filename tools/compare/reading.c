/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values of answers for the table, the CSV file and the summary. */
#include "tools/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double compare_real(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = tool_text_of(object, key);

    if (json_is_number(value))
        return json_number_value(value);
    return strcmp(text, "inf") == 0    ? (double)INFINITY
           : strcmp(text, "-inf") == 0 ? -(double)INFINITY
                                       : (double)NAN;
}

long long compare_count(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

const json_t *compare_side(const json_t *answer, size_t side)
{
    return json_array_get(json_object_get(answer, "pairs"), side);
}

double compare_time(const json_t *answer, size_t side)
{
    const json_t *time = json_object_get(compare_side(answer, side), "time");

    return compare_real(time,
                        json_object_get(time, "median_us") != NULL ? "median_us" : "first_us");
}

int compare_holds(const json_t *errors)
{
    return json_is_true(json_object_get(json_object_get(errors, "bound"), "holds"));
}

void compare_broken(const json_t *output, const json_t *errors, char *sentence, size_t size)
{
    const json_t *bound = json_object_get(errors, "bound");
    const char *kind = tool_text_of(bound, "kind");
    const char *name = tool_text_of(errors, "pair");
    long long judged =
        compare_count(output, json_object_get(output, "sampled") != NULL ? "sampled" : "count");

    if (strcmp(kind, "transform") == 0)
        snprintf(
            sentence, size,
            "%s: %s has a relative L2 error of %.3g; the bound for a transform algorithm is %.3g",
            name, tool_text_of(output, "role"), compare_real(errors, "relative_l2"),
            compare_real(bound, "limit"));
    else if (strcmp(kind, "exact") == 0)
        snprintf(sentence, size,
                 "%s: %lld of %lld values of %s are wrong; [%s] is %.9g; it must be %.9g in any "
                 "order of summation",
                 name, compare_count(bound, "wrong"), judged, tool_text_of(output, "role"),
                 tool_text_of(bound, "at"), compare_real(bound, "got"),
                 compare_real(bound, "want"));
    else
        snprintf(sentence, size,
                 "%s: %lld of %lld values of %s are wrong; [%s] is %.9g instead of %.9g; the "
                 "rounding bound is %.2g",
                 name, compare_count(bound, "wrong"), judged, tool_text_of(output, "role"),
                 tool_text_of(bound, "at"), compare_real(bound, "got"), compare_real(bound, "want"),
                 compare_real(bound, "limit"));
}

void compare_each(const json_t *answer, compare_each_fn each, void *cookie)
{
    const json_t *outputs = json_object_get(answer, "outputs");

    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *output = json_array_get(outputs, i);
        const json_t *errors = json_object_get(output, "errors");

        for (size_t k = 0; k < json_array_size(errors); k++)
            each(cookie, answer, output, json_array_get(errors, k));
    }
}

void compare_each_of(const json_t *answers, compare_each_fn each, void *cookie)
{
    for (size_t i = 0; i < json_array_size(answers); i++)
        compare_each(json_array_get(answers, i), each, cookie);
}
