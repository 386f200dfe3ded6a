/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of anydnn bench as text: the pairs, a line for each layer and pair, means,
 * totals, worst layers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/bench/buffers.h"

/* ---- the pairs */

/* Returns the joined texts of a pair's backends, or NULL if none has one. */
static char *about_backends(const struct contender *pair, const char *key, const char *between)
{
    char name[64];
    char *all = NULL;

    for (const char *list = pair->backend; list != NULL;) {
        int index;
        char *one;

        list = contender_backend(list, name, sizeof(name));
        index = tool_backend_index(name);
        one = index >= 0 ? tool_ask(anydnnGetBackendInfo, index, key) : NULL;
        if (all != NULL && one != NULL) {
            char *both = tool_alloc(strlen(all) + strlen(between) + strlen(one) + 1);

            sprintf(both, "%s%s%s", all, between, one);
            free(all);
            free(one);
            one = both;
        }
        all = one != NULL ? one : all;
    }
    return all;
}

json_t *bench_pairs(const struct bench *bench)
{
    json_t *pairs = json_array();

    for (int p = 0; p < bench->pairs; p++) {
        const struct contender *pair = &bench->pair[p];
        char *settings = about_backends(pair, "settings", "");
        json_t *object = json_object();

        json_object_set_new(object, "pair", json_string(pair->name));
        json_object_set_new(object, "device", json_string(pair->device));
        json_object_set_new(object, "version",
                            tool_json_take(about_backends(pair, "version", " and ")));
        json_object_set_new(object, "settings", tool_json_lines(settings != NULL ? settings : ""));
        json_object_set_new(object, "cache",
                            json_integer(bench_cache(&bench->options, pair->device)));
        json_array_append_new(pairs, object);
        free(settings);
    }
    return pairs;
}

static void print_pair(const json_t *pair)
{
    const json_t *settings = json_object_get(pair, "settings");
    double cache = (double)json_integer_value(json_object_get(pair, "cache"));

    printf("%-28s %s on %s", tool_text_of(pair, "pair"), tool_text_of(pair, "version"),
           tool_text_of(pair, "device"));
    for (size_t i = 0; i < json_array_size(settings); i++)
        printf(", %s", json_string_value(json_array_get(settings, i)));
    if (cache > 0)
        printf("; rotating operands exceed %.1f MB of cache\n", cache / 1e6);
    else
        printf("; operands stay in the cache if they fit\n");
}

void bench_print_head(const struct bench *bench)
{
    json_t *pairs = bench_pairs(bench);

    printf("%s%s%d problem%s\n", bench->suite.name, bench->suite.name[0] != '\0' ? ": " : "",
           bench->suite.count, bench->suite.count == 1 ? "" : "s");
    if (bench->suite.left_out > 0)
        printf("%d layers have none of the requested directions\n", bench->suite.left_out);
    printf("such as %s\n", bench->suite.item[0].problem);
    for (size_t i = 0; i < json_array_size(pairs); i++)
        print_pair(json_array_get(pairs, i));
    json_decref(pairs);
}

/* ---- layers */

static void print_real(double value, const char *format, int width)
{
    if (value > 0)
        printf(format, width, value);
    else
        printf("%*s", width, "-");
}

static void print_row(const struct bench *bench, const struct layer *layer, int pair)
{
    const struct row *row = &layer->row[pair];

    printf("%-22.22s %-28.28s ", pair == 0 ? layer->item->layer : "", bench->pair[pair].name);
    if (row->declined != NULL) {
        printf("%s: %s\n", row->failed ? "failed" : "declined", row->declined);
        return;
    }
    printf("%12.2f", row->median);
    if (row->rounds > 1)
        printf(" %7.1f%%", 100 * row->spread);
    else
        printf("%9s", "-");
    print_real(row->tflops, "%*.4g", 11);
    print_real(row->gbps, "%*.4g", 11);
    print_real(row->roofline, "%*.3f", 9);
    print_real(row->ratio, "%*.3f", 8);
    printf("\n");
}

void bench_print_layer(const struct bench *bench, const struct layer *layer, int first)
{
    if (first)
        printf("\n%s\n%-22s %-28s %12s %8s%11s%11s%9s%8s\n", layer->operation, "layer", "pair",
               "time us", "spread", "TFLOP/s", "GB/s", "roofline", "ratio");
    for (int p = 0; p < bench->pairs; p++)
        print_row(bench, layer, p);
    fflush(stdout);
}

/* ---- the summary */

static void print_mean(const json_t *pair)
{
    printf("%-22s %-28.28s ", "geometric mean", tool_text_of(pair, "pair"));
    print_real(tool_number_of(pair, "time_us"), "%*.2f", 12);
    printf("%9s", "");
    print_real(tool_number_of(pair, "tflops"), "%*.4g", 11);
    print_real(tool_number_of(pair, "gbps"), "%*.4g", 11);
    print_real(tool_number_of(pair, "roofline"), "%*.3f", 9);
    print_real(tool_number_of(pair, "ratio"), "%*.3f", 8);
    printf("\n");
}

static void print_worst(const json_t *pair, const char *by)
{
    const json_t *worst = json_object_get(pair, "worst");

    if (json_array_size(worst) == 0)
        return;
    printf("%-22s %-28.28s", by[1] == 'o' ? "furthest from roofline" : "least against first",
           tool_text_of(pair, "pair"));
    for (size_t i = 0; i < json_array_size(worst); i++) {
        const json_t *one = json_array_get(worst, i);

        printf("%s %s %.3f", i > 0 ? "," : "", tool_text_of(one, "layer"), tool_number_of(one, by));
    }
    printf("\n");
}

static void print_alone(const json_t *pair)
{
    if (tool_number_of(pair, "roofline_of_ran") > 0)
        printf("%-22s %-28.28s %.3f, the geometric mean over the %lld layers that it runs\n",
               "roofline", tool_text_of(pair, "pair"), tool_number_of(pair, "roofline_of_ran"),
               (long long)json_integer_value(json_object_get(pair, "ran")));
}

static void print_operation(const json_t *operation)
{
    const json_t *pairs = json_object_get(operation, "pairs");
    int all = strcmp(tool_text_of(operation, "operation"), BENCH_ALL) == 0;
    long long distinct = json_integer_value(json_object_get(operation, "distinct"));
    long long counted = json_integer_value(json_object_get(operation, "counted"));

    printf("\n%s: means over %lld of %lld distinct layers", tool_text_of(operation, "operation"),
           counted, distinct);
    if (counted < distinct)
        printf("; the others are excluded because a pair did not run them");
    printf("\n");
    for (size_t p = 0; p < json_array_size(pairs) && counted > 0; p++)
        print_mean(json_array_get(pairs, p));
    for (size_t p = 0; p < json_array_size(pairs) && counted > 0; p++)
        printf("%-22s %-28.28s %12.2f ms, each layer as often as the network contains it\n",
               "total", tool_text_of(json_array_get(pairs, p), "pair"),
               tool_number_of(json_array_get(pairs, p), "total_us") / 1000);
    for (size_t p = 0; p < json_array_size(pairs) && counted > 1; p++)
        print_worst(json_array_get(pairs, p), p == 0 ? "roofline" : "ratio");
    for (size_t p = 0; p < json_array_size(pairs) && all; p++)
        print_alone(json_array_get(pairs, p));
}

static void print_ceilings(const struct bench *bench)
{
    json_t *ceilings = bench_ceilings(bench);

    printf("\n");
    for (size_t i = 0; i < json_array_size(ceilings); i++) {
        const json_t *one = json_array_get(ceilings, i);
        double flops = tool_number_of(one, "flops");

        printf("%-22s %s: ", i == 0 ? "ceilings" : "", tool_text_of(one, "device"));
        if (flops > 0)
            printf("%.4g TFLOP/s in %s math of %s", flops / 1e12, tool_text_of(one, "math"),
                   tool_text_of(one, "type"));
        else
            printf("%.4g GB/s", tool_number_of(one, "bytes") / 1e9);
        printf(", %s\n", tool_text_of(one, "source"));
    }
    json_decref(ceilings);
}

void bench_print_summary(const struct bench *bench, const json_t *summary)
{
    for (size_t i = 0; i < json_array_size(summary); i++)
        print_operation(json_array_get(summary, i));
    print_ceilings(bench);
}
