/* SPDX-License-Identifier: Apache-2.0 */
/* Turns an outcome into an answer, and an answer into text. */
#include "tools/problem/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VALUES 8

const unsigned char *report_after(const struct operands *operands, const struct outcome *outcome,
                                  int index)
{
    int alias = operands->item[index].alias;

    return outcome->after[alias >= 0 ? alias : index];
}

static int is_output(const struct operand *operand)
{
    return (operand->direction & ANYDNN_DIRECTION_OUTPUT) != 0;
}

/* ---- the answer */

static json_t *dims_of(const struct operand *operand)
{
    json_t *dims = json_array();

    for (int i = 0; i < operand->ndims; i++)
        json_array_append_new(dims, json_integer(operand->dims[i]));
    return dims;
}

static json_t *output(const struct operand *operand, const unsigned char *after)
{
    json_t *object = json_object();
    json_t *first = json_array();
    double low = INFINITY;
    double high = -INFINITY;
    double sum = 0;
    int64_t finite = 0;
    struct walk walk;

    for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk)) {
        double value = operand->element->load(after + walk.at);

        if (json_array_size(first) < FIRST_VALUES)
            json_array_append_new(first, tool_json_real(value));
        if (!isfinite(value))
            continue;
        finite++;
        sum += value;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    json_object_set_new(object, "role", json_string(operand->role));
    json_object_set_new(object, "type", json_string(operand->element->name));
    json_object_set_new(object, "dims", dims_of(operand));
    json_object_set_new(object, "count", json_integer(operand->count));
    json_object_set_new(object, "not_finite", json_integer(operand->count - finite));
    json_object_set_new(object, "min", finite > 0 ? json_real(low) : json_null());
    json_object_set_new(object, "max", finite > 0 ? json_real(high) : json_null());
    json_object_set_new(object, "mean", finite > 0 ? json_real(sum / (double)finite) : json_null());
    json_object_set_new(object, "first", first);
    return object;
}

json_t *report_outputs(const struct operands *operands, const struct outcome *outcome)
{
    json_t *outputs = json_array();

    for (int i = 0; i < operands->count; i++)
        if (is_output(&operands->item[i]))
            json_array_append_new(outputs,
                                  output(&operands->item[i], report_after(operands, outcome, i)));
    return outputs;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

json_t *report_time(double *microseconds, int count)
{
    json_t *object = json_object();

    json_object_set_new(object, "runs", json_integer(count));
    json_object_set_new(object, "first_us", json_real(microseconds[0]));
    if (count == 1)
        return object;
    qsort(microseconds + 1, (size_t)count - 1, sizeof(*microseconds), by_size);
    json_object_set_new(object, "min_us", json_real(microseconds[1]));
    json_object_set_new(object, "median_us", json_real(microseconds[count / 2]));
    json_object_set_new(object, "max_us", json_real(microseconds[count - 1]));
    return object;
}

/* Compares two results. NaN equals NaN, and infinity equals infinity of the same sign. */
static json_t *compare(const struct operand *operand, double tolerance, const unsigned char *first,
                       const unsigned char *second)
{
    json_t *object = json_object();
    double largest = 0;
    double squares = 0;
    double size = 0;
    double relative;
    struct walk walk;

    for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk)) {
        double a = operand->element->load(first + walk.at);
        double b = operand->element->load(second + walk.at);
        double apart = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);

        apart = isnan(apart) ? (double)INFINITY : apart;
        largest = apart > largest ? apart : largest;
        squares += apart * apart;
        size += isfinite(b) ? b * b : 0;
    }
    relative = squares > 0 ? sqrt(squares / size) : 0;
    if (tolerance < 0)
        tolerance = operand->element->tolerance;
    json_object_set_new(object, "role", json_string(operand->role));
    json_object_set_new(object, "max_abs", tool_json_real(largest));
    json_object_set_new(object, "relative_l2", tool_json_real(relative));
    json_object_set_new(object, "tolerance", json_real(tolerance));
    json_object_set_new(object, "passed", json_boolean(relative <= tolerance));
    return object;
}

json_t *report_check(const char *backend, double tolerance, const struct operands *operands,
                     const struct outcome *first, const struct outcome *second)
{
    json_t *object = json_object();
    json_t *outputs = json_array();
    int passed = 1;

    for (int i = 0; i < operands->count; i++) {
        json_t *row;

        if (!is_output(&operands->item[i]))
            continue;
        row = compare(&operands->item[i], tolerance, report_after(operands, first, i),
                      report_after(operands, second, i));
        passed &= json_is_true(json_object_get(row, "passed"));
        json_array_append_new(outputs, row);
    }
    json_object_set_new(object, "backend", json_string(backend));
    json_object_set_new(object, "device", json_string(second->device));
    json_object_set(object, "record", second->record);
    json_object_set_new(object, "outputs", outputs);
    json_object_set_new(object, "passed", json_boolean(passed));
    return object;
}

/* ---- as text */

static void print_number(const json_t *object, const char *key, const char *lead)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_string(value))
        printf("%s%s", lead, json_string_value(value));
    else if (json_is_number(value))
        printf("%s%.9g", lead, json_number_value(value));
    else
        printf("%snone", lead);
}

static void print_output(const json_t *row)
{
    const json_t *dims = json_object_get(row, "dims");
    const json_t *first = json_object_get(row, "first");

    printf("output:    %s %s:", tool_text_of(row, "role"), tool_text_of(row, "type"));
    for (size_t i = 0; i < json_array_size(dims); i++)
        printf("%s%lld", i > 0 ? "," : "", (long long)json_integer_value(json_array_get(dims, i)));
    print_number(row, "count", ", count ");
    print_number(row, "min", ", min ");
    print_number(row, "max", ", max ");
    print_number(row, "mean", ", mean ");
    if (json_integer_value(json_object_get(row, "not_finite")) > 0)
        print_number(row, "not_finite", ", NaN or infinite ");
    printf("\n          ");
    for (size_t i = 0; i < json_array_size(first); i++) {
        const json_t *value = json_array_get(first, i);

        if (json_is_string(value))
            printf(" %s", json_string_value(value));
        else
            printf(" %.6g", json_real_value(value));
    }
    printf("%s\n", json_integer_value(json_object_get(row, "count")) > FIRST_VALUES ? " ..." : "");
}

static void print_record(const json_t *answer)
{
    static const char *const marks[] = {"unaligned", "workspace_short", "fallback",
                                        "config_dropped"};
    const json_t *record = json_object_get(answer, "record");
    const json_t *passed_over = json_object_get(record, "passed_over");
    const char *notes = tool_text_of(record, "notes");

    printf("backend:   %s, engine %lld, on %s\n", tool_text_of(record, "backend"),
           (long long)json_integer_value(json_object_get(record, "engine")),
           tool_text_of(answer, "device"));
    printf("math:      %s (%s permitted)\n", tool_text_of(record, "math"),
           tool_text_of(record, "math_requested"));
    printf("algorithm: %s (%s requested)\n", tool_text_of(record, "algorithm"),
           tool_text_of(record, "algorithm_requested"));
    printf("plan:      %s, workspace %lld, %s\n", tool_text_of(record, "plan"),
           (long long)json_integer_value(json_object_get(record, "workspace")),
           json_integer_value(json_object_get(record, "deterministic")) ? "deterministic"
                                                                        : "not deterministic");
    printf("rule:      %s, from %s\n", tool_text_of(record, "rule"),
           tool_text_of(record, "rule_origin"));
    if (json_integer_value(json_object_get(record, "staged")) != 0)
        printf("staged:    on %s, %lld bytes copied there and back\n",
               tool_text_of(record, "staged_on"),
               (long long)json_integer_value(json_object_get(record, "staged_bytes")));
    if (notes[0] != '\0')
        printf("notes:     %s\n", notes);
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (json_integer_value(json_object_get(record, marks[i])) != 0)
            printf("notes:     %s\n", marks[i]);
    for (size_t i = 0; i < json_array_size(passed_over); i++)
        printf("skipped:   %s\n", json_string_value(json_array_get(passed_over, i)));
}

static void print_check(const json_t *check)
{
    const json_t *outputs = json_object_get(check, "outputs");

    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *row = json_array_get(outputs, i);

        printf("check:     %s against %s on %s:", tool_text_of(row, "role"),
               tool_text_of(check, "backend"), tool_text_of(check, "device"));
        print_number(row, "max_abs", " largest difference ");
        print_number(row, "relative_l2", ", relative L2 ");
        print_number(row, "tolerance", " of ");
        printf(" allowed: %s\n",
               json_is_true(json_object_get(row, "passed")) ? "passed" : "FAILED");
    }
}

void report_print(const json_t *answer)
{
    const json_t *outputs = json_object_get(answer, "outputs");
    const json_t *time = json_object_get(answer, "time");
    const json_t *check = json_object_get(answer, "check");

    printf("problem:   %s\n", tool_text_of(answer, "problem"));
    print_record(answer);
    for (size_t i = 0; i < json_array_size(outputs); i++)
        print_output(json_array_get(outputs, i));
    if (time != NULL) {
        print_number(time, "first_us", "time:      first run ");
        if (json_object_get(time, "min_us") != NULL) {
            print_number(time, "min_us", " us; later ones at least ");
            print_number(time, "median_us", ", median ");
            print_number(time, "max_us", ", at most ");
        }
        printf(" us\n");
    }
    print_check(check);
    if (check && strcmp(tool_text_of(answer, "inputs"), "eighths") == 0)
        printf("inputs:    multiples of 1/8: sums are exact and show no rounding; use --inputs "
               "normal to see it\n");
}

int report_verdict(struct tool *tool, const json_t *answer)
{
    const json_t *check = json_object_get(answer, "check");

    if (check == NULL || json_is_true(json_object_get(check, "passed")))
        return TOOL_FINE;
    return tool_fail(
        tool, TOOL_FAILED, "the outputs of %s and %s differ by more than the tolerance",
        tool_text_of(json_object_get(answer, "record"), "backend"), tool_text_of(check, "backend"));
}
