/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the data for the figures of a page from the answers. */
#include "tools/compare/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- series */

static int series_of(struct html_figures *figures, const json_t *output, const json_t *errors)
{
    const char *pair = tool_text_of(errors, "pair");
    const char *type = tool_text_of(output, "type");
    long long side = compare_count(errors, "side");

    for (int i = 0; i < figures->count; i++)
        if (figures->series[i].side == side && strcmp(figures->series[i].pair, pair) == 0 &&
            strcmp(figures->series[i].type, type) == 0)
            return i;
    if (figures->count == HTML_SERIES) {
        figures->left_out++;
        return -1;
    }
    figures->series[figures->count] =
        (struct html_series){.side = side, .pair = pair, .type = type};
    return figures->count++;
}

/* Names the series. The names include the type if there are several. */
static void name_series(struct html_figures *figures)
{
    int types = 0;

    for (int i = 1; i < figures->count; i++)
        types |= strcmp(figures->series[i].type, figures->series[0].type) != 0;
    for (int i = 0; i < figures->count; i++) {
        struct html_series *series = &figures->series[i];
        const char *name = figures->names != NULL ? figures->names[series->side] : series->pair;

        snprintf(series->name, sizeof(series->name), "%.120s%s%.20s", name, types ? ", " : "",
                 types ? series->type : "");
    }
}

static void add_units(struct html_series *series, const json_t *units)
{
    const json_t *powers = json_object_get(units, "powers");

    series->zeros += (double)compare_count(units, "zeros");
    series->values += (double)compare_count(units, "zeros");
    for (size_t i = 0; i < json_array_size(powers); i++) {
        const json_t *pair = json_array_get(powers, i);
        json_int_t power = json_integer_value(json_array_get(pair, 0)) - ADN_SPREAD_LEAST;
        double count = json_number_value(json_array_get(pair, 1));

        if (power < 0 || power >= ADN_SPREAD_POWERS)
            continue;
        series->shares[power] += count;
        series->values += count;
    }
}

/* ---- rows and points */

/* Returns the length of the operation, the first word of a problem. */
static size_t operation_length(const json_t *answer)
{
    return strcspn(tool_text_of(answer, "problem"), " ");
}

static int row_of(struct html_figures *figures, const json_t *answer, const json_t *output)
{
    const char *problem = tool_text_of(answer, "problem");

    for (int i = 0; i < figures->rows; i++) {
        const struct html_row *row = &figures->row[i];

        if (strcmp(tool_text_of(row->answer, "layer"), tool_text_of(answer, "layer")) == 0 &&
            strcmp(tool_text_of(row->answer, "suite"), tool_text_of(answer, "suite")) == 0 &&
            strcmp(tool_text_of(row->output, "role"), tool_text_of(output, "role")) == 0 &&
            operation_length(row->answer) == operation_length(answer) &&
            strncmp(tool_text_of(row->answer, "problem"), problem, operation_length(answer)) == 0)
            return i;
    }
    figures->row[figures->rows] = (struct html_row){answer, output};
    return figures->rows++;
}

static void count_one(void *cookie, const json_t *answer, const json_t *output,
                      const json_t *errors)
{
    (void)answer;
    (void)output;
    (void)errors;
    ++*(size_t *)cookie;
}

static void take(void *cookie, const json_t *answer, const json_t *output, const json_t *errors)
{
    struct html_figures *figures = cookie;
    int series = series_of(figures, output, errors);
    double time = compare_time(answer, (size_t)compare_count(errors, "side"));
    struct html_point *point = &figures->point[figures->points];

    if (series < 0)
        return;
    add_units(&figures->series[series], json_object_get(errors, "ulps"));
    if (json_object_get(output, "sampled") != NULL)
        figures->sampled = fmax(figures->sampled, compare_unseen(output));
    if (!compare_has_length(errors))
        return;
    *point = (struct html_point){.series = series,
                                 .row = row_of(figures, answer, output),
                                 .terms = compare_real(errors, "terms"),
                                 .error = compare_real(errors, "relative_l2")};
    if (json_object_get(errors, "expected") != NULL)
        point->expected = compare_real(errors, "expected");
    if (time > 0) {
        point->rate = point->terms * (double)compare_count(output, "count") / time * 1e-3;
        if (json_object_get(answer, "flops") != NULL && compare_real(answer, "bytes") > 0) {
            point->flops = compare_real(answer, "flops") / time * 1e6;
            point->intensity = compare_real(answer, "flops") / compare_real(answer, "bytes");
        }
    }
    figures->points++;
}

void html_gather(struct html_figures *figures)
{
    size_t capacity = 0;

    compare_each_of(figures->answers, count_one, &capacity);
    figures->point = tool_alloc(capacity * sizeof(*figures->point));
    figures->row = tool_alloc(capacity * sizeof(*figures->row));
    compare_each_of(figures->answers, take, figures);
    name_series(figures);
}

void html_free(struct html_figures *figures)
{
    free(figures->point);
    free(figures->row);
}
