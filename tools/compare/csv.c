/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the answers as a CSV file: one row for each side of each output, and one row for a side
 * that did not run. */
#include "tools/compare/compare.h"

#include <errno.h>
#include <string.h>

#include "tools/csv.h"
#include "tools/files.h"

static const char header[] =
    "suite,layer,times,side,pair,outcome,math,notes,time_us,output,type,count,max_abs,mean_abs,"
    "relative_l2,bias,outward,ulp_max,ulp_mean,ulp_p99,not_finite,mismatches,bound,holds,ratio,"
    "wrong,terms,expected,judged,other_max_abs,other_relative_l2,other_differing,worst_at,reason,"
    "problem\n";

/* The number of columns, `output` to `worst_at`, that only a side that ran has. */
#define OF_OUTPUT 24

static void put(FILE *csv, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    fputc(',', csv);
    if (json_is_string(value))
        tool_csv_text(csv, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(csv, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(csv, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", csv);
}

static void put_lead(FILE *csv, const json_t *answer, size_t number)
{
    const json_t *side = compare_side(answer, number);
    const json_t *record = json_object_get(side, "record");

    tool_csv_text(csv, tool_text_of(answer, "suite"));
    put(csv, answer, "layer");
    put(csv, answer, "times");
    fprintf(csv, ",%c", "AB"[number]);
    put(csv, side, "pair");
    put(csv, side, "outcome");
    put(csv, record, "math");
    put(csv, record, "notes");
    fputc(',', csv);
    if (record != NULL)
        fprintf(csv, "%.9g", compare_time(answer, number));
}

static void add_errors(void *cookie, const json_t *answer, const json_t *output,
                       const json_t *errors)
{
    static const char *const of_output[] = {"role", "type", "count"};
    static const char *const of_errors[] = {"max_abs",    "mean_abs",  "relative_l2", "bias",
                                            "outward",    "ulp_max",   "ulp_mean",    "ulp_p99",
                                            "not_finite", "mismatches"};
    static const char *const of_bound[] = {"kind", "holds", "ratio", "wrong"};
    static const char *const of_difference[] = {"max_abs", "relative_l2", "differing"};
    const json_t *bound = json_object_get(errors, "bound");
    const json_t *difference = json_object_get(output, "difference");
    FILE *csv = cookie;

    put_lead(csv, answer, (size_t)compare_count(errors, "side"));
    for (size_t i = 0; i < sizeof(of_output) / sizeof(of_output[0]); i++)
        put(csv, output, of_output[i]);
    for (size_t i = 0; i < sizeof(of_errors) / sizeof(of_errors[0]); i++)
        put(csv, errors, of_errors[i]);
    for (size_t i = 0; i < sizeof(of_bound) / sizeof(of_bound[0]); i++)
        put(csv, bound, of_bound[i]);
    put(csv, errors, "terms");
    put(csv, errors, "expected");
    put(csv, output, json_object_get(output, "sampled") != NULL ? "sampled" : "count");
    for (size_t i = 0; i < sizeof(of_difference) / sizeof(of_difference[0]); i++)
        put(csv, difference, of_difference[i]);
    put(csv, bound, "at");
    fputc(',', csv);
    put(csv, answer, "problem");
    fputc('\n', csv);
}

/* Adds the row of a side without outputs, with the reason. */
static void add_absent(FILE *csv, const json_t *answer, size_t number)
{
    const json_t *side = compare_side(answer, number);

    put_lead(csv, answer, number);
    for (int i = 0; i < OF_OUTPUT; i++)
        fputc(',', csv);
    put(csv, json_object_get(side, "reason") != NULL ? side : answer,
        json_object_get(side, "reason") != NULL ? "reason" : "error");
    put(csv, answer, "problem");
    fputc('\n', csv);
}

void compare_csv_add(FILE *csv, const json_t *answer)
{
    int judged = json_object_get(answer, "outputs") != NULL;

    if (csv == NULL)
        return;
    compare_each(answer, add_errors, csv);
    for (size_t side = 0; side < COMPARE_SIDES; side++)
        if (!judged || json_object_get(compare_side(answer, side), "record") == NULL)
            add_absent(csv, answer, side);
    fflush(csv);
}

int compare_csv_open(struct compare *compare, FILE **csv)
{
    const char *path = compare->options->csv;
    char why[TOOL_WHY_MAX];

    *csv = NULL;
    if (path == NULL)
        return TOOL_FINE;
    *csv = tool_open_write(path, "w", why);
    if (*csv == NULL)
        return tool_fail(compare->tool, TOOL_USAGE, "--csv=%s: %s", path, why);
    fputs(header, *csv);
    return TOOL_FINE;
}

int compare_csv_close(struct compare *compare, FILE *csv)
{
    int failed;

    if (csv == NULL)
        return TOOL_FINE;
    failed = ferror(csv);
    failed |= fclose(csv);
    if (!failed)
        return TOOL_FINE;
    return tool_fail(compare->tool, TOOL_FAILED, "--csv=%s: cannot be written: %s",
                     compare->options->csv, strerror(errno));
}
