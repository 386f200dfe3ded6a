/* SPDX-License-Identifier: Apache-2.0 */
/* The command anydnn bench: reads the suite and the pairs and runs the problems in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/progress.h"

#define PAIRS_MAX 16

/* ---- the suites */

static int list_suites(struct tool *tool, const struct bench_options *options)
{
    char **names = suite_names(&options->suite);
    json_t *answer = json_array();
    int code = TOOL_FINE;

    for (int i = 0; names[i] != NULL && code == TOOL_FINE; i++) {
        struct suite suite;

        code = suite_open(tool, &options->suite, 1, &names[i], &suite);
        if (code == TOOL_FINE && !tool->json)
            printf("%-32s %d problem%s\n", names[i], suite.count, suite.count == 1 ? "" : "s");
        if (code == TOOL_FINE)
            json_array_append_new(
                answer, json_pack("{s:s, s:i}", "suite", names[i], "problems", suite.count));
        suite_close(&suite);
    }
    if (names[0] == NULL)
        code = tool_fail(tool, TOOL_FAILED, "no suites found (--suites FOLDER)");
    suite_free_names(names);
    if (code == TOOL_FINE && tool->json)
        return tool_print_json(tool, answer);
    json_decref(answer);
    return code;
}

/* Prints the problems in the format of a suite file. */
static int list_problems(struct tool *tool, const struct suite *suite)
{
    json_t *answer = json_array();

    for (int i = 0; i < suite->count; i++) {
        const struct suite_item *item = &suite->item[i];

        if (!tool->json)
            printf("%s: %s\n", item->layer, item->problem);
        json_array_append_new(answer, json_pack("{s:o, s:i, s:o}", "layer",
                                                tool_json_text(item->layer), "times", item->times,
                                                "problem", tool_json_text(item->problem)));
    }
    if (tool->json)
        return tool_print_json(tool, answer);
    json_decref(answer);
    return TOOL_FINE;
}

/* ---- running */

static void describe_layers(struct bench *bench)
{
    size_t count = (size_t)bench->suite.count;

    bench->layer = tool_alloc(count * sizeof(*bench->layer));
    memset(bench->layer, 0, count * sizeof(*bench->layer));
    for (int i = 0; i < bench->suite.count; i++) {
        struct layer *layer = &bench->layer[i];

        layer->item = &bench->suite.item[i];
        snprintf(layer->operation, sizeof(layer->operation), "%.*s",
                 (int)strcspn(layer->item->problem, " "), layer->item->problem);
        for (int j = 0; j < i; j++)
            layer->again |= strcmp(bench->layer[j].item->problem, layer->item->problem) == 0;
        layer->row = tool_alloc((size_t)bench->pairs * sizeof(*layer->row));
        memset(layer->row, 0, (size_t)bench->pairs * sizeof(*layer->row));
    }
}

static int run_layers(struct bench *bench)
{
    int worst = TOOL_FINE;
    int done = 0;

    for (int i = 0; i < bench->suite.count; i++) {
        const char *operation = bench->layer[i].operation;
        int first = 1;

        for (int j = 0; j < i; j++)
            first &= strcmp(bench->layer[j].operation, operation) != 0;
        if (!first)
            continue;
        for (int j = i; j < bench->suite.count; j++) { /* group by operation */
            int code;

            if (strcmp(bench->layer[j].operation, operation) != 0)
                continue;
            tool_progress(done++, bench->suite.count, bench->layer[j].item->layer);
            code = bench_measure(bench, &bench->layer[j]);
            worst = code > worst ? code : worst;
            tool_progress_end();
            if (!bench->tool->json)
                bench_print_layer(bench, &bench->layer[j], j == i);
        }
    }
    return worst;
}

/* Fails if no pair ran any problem. The rows hold the reasons. */
static int nothing_ran(struct bench *bench)
{
    for (int i = 0; i < bench->suite.count; i++)
        for (int p = 0; p < bench->pairs; p++)
            if (bench->layer[i].row[p].declined == NULL)
                return TOOL_FINE;
    return tool_fail(bench->tool, TOOL_FAILED, "none of the pairs runs any of the problems");
}

static int report(struct bench *bench)
{
    int code = TOOL_FINE;
    int other;

    if (bench->tool->json) {
        code = tool_print_json(bench->tool, bench_answer(bench));
    } else {
        json_t *summary = bench_summary(bench);

        bench_print_summary(bench, summary);
        json_decref(summary);
    }
    if (bench->options.csv != NULL && (other = bench_write_csv(bench)) != TOOL_FINE)
        code = other;
    if (bench->options.plot != NULL && (other = bench_write_plot(bench)) != TOOL_FINE)
        code = other;
    if (bench->options.html != NULL && (other = bench_write_html(bench)) != TOOL_FINE)
        code = other;
    return code;
}

static int run_bench(struct bench *bench)
{
    int worst;
    int code;

    describe_layers(bench);
    if (!bench->tool->json)
        bench_print_head(bench);
    worst = run_layers(bench);
    code = report(bench);
    worst = code > worst ? code : worst;
    if (worst == TOOL_FINE)
        worst = nothing_ran(bench);
    for (int i = 0; i < bench->suite.count; i++) {
        for (int p = 0; p < bench->pairs; p++) {
            free(bench->layer[i].row[p].declined);
            free(bench->layer[i].row[p].algorithm);
            free(bench->layer[i].row[p].chosen);
        }
        free(bench->layer[i].row);
    }
    free(bench->layer);
    bench_forget_ceilings();
    return worst;
}

static int open_pairs(struct bench *bench, int count, char **names)
{
    int code = TOOL_FINE;

    if (count == 0)
        return tool_fail(
            bench->tool, TOOL_USAGE,
            "missing BACKEND:MATH, such as cpu_ref:default; several are timed side by side");
    if (count > PAIRS_MAX)
        return tool_fail(bench->tool, TOOL_USAGE, "%d BACKEND:MATH are given; the maximum is %d",
                         count, PAIRS_MAX);
    bench->pair = tool_alloc((size_t)count * sizeof(*bench->pair));
    memset(bench->pair, 0, (size_t)count * sizeof(*bench->pair));
    for (; bench->pairs < count && code == TOOL_FINE; bench->pairs++) {
        code = contender_open(bench->tool, names[bench->pairs], bench->options.find,
                              &bench->pair[bench->pairs]);
        bench->pair[bench->pairs].plain = bench->options.plain;
    }
    return code;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct bench bench = {.tool = tool, .options = {.rounds = 15, .seconds = 1, .cache = -1}};
    int first;
    int words;
    int code = tool_options(tool, &tool_bench, &bench.options, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (bench.options.plain && !bench.options.find)
        return tool_fail(tool, TOOL_USAGE, "--no-transforms: requires --find");
    argc -= first;
    argv += first;
    if (bench.options.list && argc == 0)
        return list_suites(tool, &bench.options);
    words = suite_arguments(argc, argv);
    code = suite_open(tool, &bench.options.suite, words, argv, &bench.suite);
    if (code == TOOL_FINE && bench.options.list) {
        code = list_problems(tool, &bench.suite);
    } else if (code == TOOL_FINE) {
        code = open_pairs(&bench, argc - words, argv + words);
        if (code == TOOL_FINE)
            code = bench_check_files(tool, &bench.options);
        if (code == TOOL_FINE)
            code = run_bench(&bench);
    }
    for (int p = 0; p < bench.pairs; p++)
        contender_close(&bench.pair[p]);
    free(bench.pair);
    suite_close(&bench.suite);
    return code;
}

const struct tool_command tool_bench = {
    "bench", "SUITE|PROBLEM|- BACKEND[:MATH]...",
    "Times problems on several backends and math modes side by side.", bench_options_table, run};
