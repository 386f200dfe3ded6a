/* SPDX-License-Identifier: Apache-2.0 */
/* Summarizes all problems: means, the worst layers, and the verdict. */
#include "tools/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORST 8 /* rows in the list */

struct row {
    const json_t *answer;
    const json_t *output;
    const json_t *errors;
};

/* The totals of a side. Errors and time cover problems that both sides ran, so that the sides are
 * comparable. */
struct totals {
    long long statuses[3]; /* number that ran, declined, failed */
    long long outputs;     /* outputs with an error, which the mean covers */
    long long exact;       /* outputs without an error */
    double logs;           /* sum of logarithms of relative L2 errors */
    double ratio;
    double time;
};

struct gathering {
    struct totals side[COMPARE_SIDES];
    long long compared;
    long long equal; /* bitwise equal outputs */
    long long unequal;
    long long broken; /* outputs of a side with a broken bound */
    struct row first; /* the first of these */
    struct row *rows;
    size_t count;
};

static const char *const statuses[] = {"ran", "declined", "failed"};

/* ---- gathering */

static int ran_on_both(const json_t *answer)
{
    int ran = 0;

    for (size_t side = 0; side < COMPARE_SIDES; side++)
        ran += json_object_get(compare_side(answer, side), "record") != NULL;
    return ran == COMPARE_SIDES && json_object_get(answer, "outputs") != NULL;
}

static void count_errors(void *cookie, const json_t *answer, const json_t *output,
                         const json_t *errors)
{
    (void)answer;
    (void)output;
    (void)errors;
    ++*(size_t *)cookie;
}

static void take_errors(void *cookie, const json_t *answer, const json_t *output,
                        const json_t *errors)
{
    struct gathering *all = cookie;
    struct totals *side = &all->side[compare_count(errors, "side")];
    double error = compare_real(errors, "relative_l2");
    struct row row = {answer, output, errors};

    if (!compare_holds(errors) && all->broken++ == 0)
        all->first = row;
    if (ran_on_both(answer)) {
        side->ratio = fmax(side->ratio, compare_real(json_object_get(errors, "bound"), "ratio"));
        side->outputs += error > 0 && isfinite(error);
        side->logs += error > 0 && isfinite(error) ? log(error) : 0;
        side->exact += error == 0;
    }
    all->rows[all->count++] = row;
}

static void take_answer(struct gathering *all, const json_t *answer)
{
    const json_t *outputs = json_object_get(answer, "outputs");

    for (size_t side = 0; side < COMPARE_SIDES; side++)
        for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
            all->side[side].statuses[i] +=
                strcmp(tool_text_of(compare_side(answer, side), "outcome"), statuses[i]) == 0;
    compare_each(answer, take_errors, all);
    if (!ran_on_both(answer))
        return;
    all->compared++;
    for (size_t side = 0; side < COMPARE_SIDES; side++)
        all->side[side].time += compare_time(answer, side);
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *difference = json_object_get(json_array_get(outputs, i), "difference");
        int equal = json_is_true(json_object_get(difference, "equal"));

        all->equal += equal;
        all->unequal += !equal;
    }
}

/* Compares rows for sorting: broken bounds first, then by descending relative L2 error. */
static int by_error(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    int holds = compare_holds(a->errors) - compare_holds(b->errors);
    double one = compare_real(a->errors, "relative_l2");
    double other = compare_real(b->errors, "relative_l2");

    return holds != 0 ? holds : (other > one) - (other < one);
}

/* ---- the answer */

static json_t *describe_row(const struct row *row)
{
    json_t *object = json_object();
    const json_t *bound = json_object_get(row->errors, "bound");

    json_object_set(object, "pair", json_object_get(row->errors, "pair"));
    json_object_set(object, "layer", json_object_get(row->answer, "layer"));
    json_object_set(object, "problem", json_object_get(row->answer, "problem"));
    json_object_set(object, "output", json_object_get(row->output, "role"));
    json_object_set(object, "relative_l2", json_object_get(row->errors, "relative_l2"));
    json_object_set(object, "ratio", json_object_get(bound, "ratio"));
    json_object_set(object, "holds", json_object_get(bound, "holds"));
    return object;
}

static json_t *describe_worst(struct gathering *all)
{
    json_t *worst = json_array();

    if (all->count > 0)
        qsort(all->rows, all->count, sizeof(*all->rows), by_error);
    for (size_t i = 0; i < all->count && i < WORST; i++)
        if (compare_real(all->rows[i].errors, "relative_l2") > 0 ||
            !compare_holds(all->rows[i].errors))
            json_array_append_new(worst, describe_row(&all->rows[i]));
    return worst;
}

static json_t *describe_totals(const struct contender *contender, const struct totals *totals)
{
    json_t *object = json_object();

    json_object_set_new(object, "pair", json_string(contender->name));
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        json_object_set_new(object, statuses[i], json_integer(totals->statuses[i]));
    json_object_set_new(object, "relative_l2",
                        totals->outputs > 0 ? json_real(exp(totals->logs / (double)totals->outputs))
                                            : json_null());
    json_object_set_new(object, "outputs", json_integer(totals->outputs));
    json_object_set_new(object, "without_error", json_integer(totals->exact));
    json_object_set_new(object, "largest_ratio", tool_json_real(totals->ratio));
    json_object_set_new(object, "time_us", json_real(totals->time));
    return object;
}

static json_t *describe_broken(const struct row *row)
{
    json_t *object = describe_row(row);
    char sentence[512];

    compare_broken(row->output, row->errors, sentence, sizeof(sentence));
    json_object_set_new(object, "sentence", json_string(sentence));
    json_object_set(object, "again", json_object_get(row->answer, "again"));
    return object;
}

json_t *compare_summary(const struct compare *compare, const json_t *answers)
{
    struct gathering all = {.count = 0};
    json_t *summary = json_object();
    json_t *sides = json_array();
    size_t capacity = 0;

    for (size_t i = 0; i < json_array_size(answers); i++)
        compare_each(json_array_get(answers, i), count_errors, &capacity);
    all.rows = tool_alloc(capacity * sizeof(*all.rows));
    for (size_t i = 0; i < json_array_size(answers); i++)
        take_answer(&all, json_array_get(answers, i));
    for (int side = 0; side < COMPARE_SIDES; side++)
        json_array_append_new(sides, describe_totals(&compare->side[side], &all.side[side]));
    json_object_set_new(summary, "problems", json_integer((json_int_t)json_array_size(answers)));
    json_object_set_new(summary, "compared", json_integer(all.compared));
    json_object_set_new(summary, "equal", json_integer(all.equal));
    json_object_set_new(summary, "unequal", json_integer(all.unequal));
    json_object_set_new(summary, "broken", json_integer(all.broken));
    if (all.broken > 0)
        json_object_set_new(summary, "first_broken", describe_broken(&all.first));
    json_object_set_new(summary, "pairs", sides);
    json_object_set_new(summary, "growth", compare_growth(answers));
    json_object_set_new(summary, "worst", describe_worst(&all));
    free(all.rows);
    return summary;
}
