/* SPDX-License-Identifier: Apache-2.0 */
/* Computes means, totals and worst layers, and the whole answer as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"

/* The number of worst layers that are listed. */
#define WORST 3

/* ---- means */

typedef double (*value_fn)(const struct row *row);

static double median_of(const struct row *row)
{
    return row->median;
}

static double tflops_of(const struct row *row)
{
    return row->tflops;
}

static double gbps_of(const struct row *row)
{
    return row->gbps;
}

static double roofline_of(const struct row *row)
{
    return row->roofline;
}

static double ratio_of(const struct row *row)
{
    return row->ratio;
}

static const struct {
    const char *key;
    value_fn value;
} means[] = {{"time_us", median_of},
             {"tflops", tflops_of},
             {"gbps", gbps_of},
             {"roofline", roofline_of},
             {"ratio", ratio_of}};

/* Returns 1 if the layer has this operation. NULL stands for every operation. */
static int is_operation(const struct layer *layer, const char *operation)
{
    return operation == NULL || strcmp(layer->operation, operation) == 0;
}

static int is_of(const struct layer *layer, const char *operation)
{
    return layer->counted && is_operation(layer, operation);
}

/* Returns the geometric mean of a value, or 0 if a layer has none. */
static double geometric_mean(const struct bench *bench, const char *operation, int pair,
                             value_fn value)
{
    double sum = 0;
    int count = 0;

    for (int i = 0; i < bench->suite.count; i++)
        if (is_of(&bench->layer[i], operation)) {
            double one = value(&bench->layer[i].row[pair]);

            if (!(one > 0))
                return 0;
            sum += log(one);
            count++;
        }
    return count > 0 ? exp(sum / count) : 0;
}

/* Returns the geometric mean of the roofline fractions of the distinct layers that this pair runs,
 * including those that others do not run. */
static double alone(const struct bench *bench, const char *operation, int pair, int *layers)
{
    double sum = 0;

    *layers = 0;
    for (int i = 0; i < bench->suite.count; i++) {
        const struct layer *layer = &bench->layer[i];
        const struct row *row = &layer->row[pair];

        if (is_operation(layer, operation) && !layer->again && row->declined == NULL &&
            row->roofline > 0) {
            sum += log(row->roofline);
            ++*layers;
        }
    }
    return *layers > 0 ? exp(sum / *layers) : 0;
}

/* Returns the total time. Each layer counts as often as the network has it, also one that is listed
 * twice. */
static double total_of(const struct bench *bench, const char *operation, int pair)
{
    double total = 0;

    for (int i = 0; i < bench->suite.count; i++) {
        const struct layer *layer = &bench->layer[i];
        int ran = 1;

        for (int p = 0; p < bench->pairs; p++)
            ran &= layer->row[p].declined == NULL;
        if (ran && is_operation(layer, operation))
            total += layer->row[pair].median * layer->item->times;
    }
    return total;
}

/* ---- worst layers */

struct rank {
    const struct layer *layer;
    double value;
};

static int by_value(const void *left, const void *right)
{
    const struct rank *a = left;
    const struct rank *b = right;

    return (a->value > b->value) - (a->value < b->value);
}

/* Ranks the layers by the ratio to the first pair, or, for the first pair, by the roofline
 * fraction. */
static json_t *worst_of(const struct bench *bench, const char *operation, int pair)
{
    value_fn value = pair == 0 ? roofline_of : ratio_of;
    struct rank *ranks = tool_alloc((size_t)bench->suite.count * sizeof(*ranks));
    json_t *worst = json_array();
    int count = 0;

    for (int i = 0; i < bench->suite.count; i++)
        if (is_of(&bench->layer[i], operation)) {
            ranks[count].layer = &bench->layer[i];
            ranks[count++].value = value(&bench->layer[i].row[pair]);
        }
    qsort(ranks, (size_t)count, sizeof(*ranks), by_value);
    for (int i = 0; i < count && i < WORST; i++) {
        json_t *one = json_object();

        json_object_set_new(one, "layer", tool_json_text(ranks[i].layer->item->layer));
        json_object_set_new(one, pair == 0 ? "roofline" : "ratio", json_real(ranks[i].value));
        json_array_append_new(worst, one);
    }
    free(ranks);
    return worst;
}

/* ---- the summary */

static json_t *pair_summary(const struct bench *bench, const char *operation, int pair)
{
    json_t *object = json_object();
    int declined = 0;
    int ran;
    double roofline = alone(bench, operation, pair, &ran);

    for (int i = 0; i < bench->suite.count; i++)
        declined +=
            is_operation(&bench->layer[i], operation) && bench->layer[i].row[pair].declined != NULL;
    json_object_set_new(object, "pair", json_string(bench->pair[pair].name));
    json_object_set_new(object, "declined", json_integer(declined));
    for (size_t m = 0; m < sizeof(means) / sizeof(means[0]); m++) {
        double mean = geometric_mean(bench, operation, pair, means[m].value);

        json_object_set_new(object, means[m].key, mean > 0 ? json_real(mean) : json_null());
    }
    json_object_set_new(object, "ran", json_integer(ran));
    json_object_set_new(object, "roofline_of_ran",
                        roofline > 0 ? json_real(roofline) : json_null());
    json_object_set_new(object, "total_us", json_real(total_of(bench, operation, pair)));
    json_object_set_new(object, "worst", worst_of(bench, operation, pair));
    return object;
}

static json_t *operation_summary(const struct bench *bench, const char *operation)
{
    json_t *object = json_object();
    json_t *pairs = json_array();
    int distinct = 0;
    int counted = 0;

    for (int i = 0; i < bench->suite.count; i++)
        if (is_operation(&bench->layer[i], operation)) {
            distinct += !bench->layer[i].again;
            counted += bench->layer[i].counted;
        }
    for (int p = 0; p < bench->pairs; p++)
        json_array_append_new(pairs, pair_summary(bench, operation, p));
    json_object_set_new(object, "operation",
                        json_string(operation != NULL ? operation : BENCH_ALL));
    json_object_set_new(object, "distinct", json_integer(distinct));
    json_object_set_new(object, "counted", json_integer(counted));
    json_object_set_new(object, "pairs", pairs);
    return object;
}

json_t *bench_summary(const struct bench *bench)
{
    json_t *summary = json_array();

    for (int i = 0; i < bench->suite.count; i++) {
        int seen = 0;

        for (int j = 0; j < i; j++)
            seen |= strcmp(bench->layer[j].operation, bench->layer[i].operation) == 0;
        if (!seen)
            json_array_append_new(summary, operation_summary(bench, bench->layer[i].operation));
    }
    if (json_array_size(summary) > 1)
        json_array_append_new(summary, operation_summary(bench, NULL));
    return summary;
}

/* ---- the answer */

static json_t *row_object(const struct bench *bench, const struct layer *layer, int pair)
{
    const struct row *row = &layer->row[pair];
    json_t *object = json_object();

    json_object_set_new(object, "pair", json_string(bench->pair[pair].name));
    json_object_set_new(object, "device", json_string(bench->pair[pair].device));
    if (row->declined != NULL) {
        json_object_set_new(object, row->failed ? "failed" : "declined",
                            tool_json_text(row->declined));
        return object;
    }
    json_object_set_new(object, "time_us", json_real(row->median));
    json_object_set_new(object, "min_us", json_real(row->least));
    json_object_set_new(object, "spread", json_real(row->spread));
    json_object_set_new(object, "rounds", json_integer(row->rounds));
    json_object_set_new(object, "calls", json_integer(row->calls));
    json_object_set_new(object, "tflops", json_real(row->tflops));
    json_object_set_new(object, "gbps", json_real(row->gbps));
    json_object_set_new(object, "roofline", row->roofline > 0 ? json_real(row->roofline) : NULL);
    json_object_set_new(object, "ratio", row->ratio > 0 ? json_real(row->ratio) : NULL);
    json_object_set_new(object, "workspace", json_integer((json_int_t)row->workspace));
    json_object_set_new(object, "engine", json_integer(row->engine));
    json_object_set_new(object, "algorithm", tool_json_text(row->algorithm));
    if (row->chosen != NULL)
        json_object_set_new(object, "chosen", tool_json_text(row->chosen));
    return object;
}

static json_t *layer_object(const struct bench *bench, const struct layer *layer)
{
    json_t *object = json_object();
    json_t *rows = json_array();

    json_object_set_new(object, "layer", tool_json_text(layer->item->layer));
    json_object_set_new(object, "times", json_integer(layer->item->times));
    json_object_set_new(object, "operation", json_string(layer->operation));
    json_object_set_new(object, "problem", tool_json_text(layer->item->problem));
    json_object_set_new(object, "flops", json_real(layer->traffic.flops));
    json_object_set_new(object, "bytes", json_real(layer->traffic.bytes));
    json_object_set_new(object, "sets", json_integer(layer->sets));
    json_object_set_new(object, "counted", json_boolean(layer->counted));
    for (int p = 0; p < bench->pairs; p++)
        json_array_append_new(rows, row_object(bench, layer, p));
    json_object_set_new(object, "pairs", rows);
    return object;
}

json_t *bench_answer(const struct bench *bench)
{
    json_t *answer = json_object();
    json_t *layers = json_array();

    for (int i = 0; i < bench->suite.count; i++)
        json_array_append_new(layers, layer_object(bench, &bench->layer[i]));
    json_object_set_new(answer, "suite", tool_json_text(bench->suite.name));
    json_object_set_new(answer, "pairs", bench_pairs(bench));
    json_object_set_new(answer, "ceilings", bench_ceilings(bench));
    json_object_set_new(answer, "layers", layers);
    json_object_set_new(answer, "summary", bench_summary(bench));
    return answer;
}
