/* SPDX-License-Identifier: Apache-2.0 */
/* Times a problem on the pairs in alternation, and rates the results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/bench/runner.h"

long long bench_cache(const struct bench_options *options, const char *device)
{
    if (options->hot)
        return 0;
    return options->cache >= 0 ? (long long)options->cache : buffers_cache(device);
}

static void decline(struct row *row, const char *sentence)
{
    free(row->declined);
    row->declined = strcpy(tool_alloc(strlen(sentence) + 1), sentence);
}

/* Records that a pair accepted the problem and then failed. The row keeps the reason, and the
 * program prints it. */
static void broke(struct tool *tool, struct runner *runner)
{
    char sentence[4096];

    anydnnGetLastErrorString(sentence, sizeof(sentence));
    runner->row->failed = 1;
    decline(runner->row, sentence);
    tool_fail(tool, TOOL_FAILED, "%s: %s", runner->contender->name, sentence);
}

/* ---- one layer */

static int runs(const struct runner *runner)
{
    return runner->row->declined == NULL;
}

/* Waits for the threads of the previous backend, which spin before they sleep: libgomp's for
 * 300,000 pauses, some 20 ms. They would occupy processors that the next backend needs. An
 * uncounted call then wakes that backend's own threads. */
static void settle(const struct bench *bench, struct runner *runner, int before, int now)
{
    const struct timespec pause = {.tv_nsec = 20000000};

    if (before < 0 || strcmp(bench->pair[now].device, "cpu") != 0 ||
        strcmp(bench->pair[before].device, "cpu") != 0 ||
        strcmp(bench->pair[before].backend, bench->pair[now].backend) == 0)
        return;
    nanosleep(&pause, NULL);
    if (runner[now].estimate * runner[now].calls < 20000)
        runner_time_next(&runner[now]);
}

/* Alternates the pairs, A B A B ..., so that a temporary disturbance affects all of them. */
static void alternate(struct bench *bench, struct runner *runner)
{
    double limit = bench->options.seconds * 1e6;
    int goes_on = 1;
    int before = -1;

    for (int round = 0; round < bench->options.rounds && goes_on; round++) {
        double spent = 0;
        double allowed = 0;

        for (int p = 0; p < bench->pairs; p++) {
            double microseconds;

            if (!runs(&runner[p]))
                continue;
            settle(bench, runner, before, p);
            before = p;
            microseconds = runner_time_next(&runner[p]);
            if (microseconds < 0)
                broke(bench->tool, &runner[p]);
            else
                runner[p].sample[runner[p].samples++] = microseconds / runner[p].calls;
            spent += runner[p].spent;
            allowed += limit;
        }
        goes_on = spent < allowed;
    }
}

static void prepare(struct bench *bench, struct runner *runner, const struct layer *layer)
{
    if (entrant_make(bench->tool, runner->contender, layer->item->problem, &runner->entrant) !=
            TOOL_FINE ||
        entrant_workspace(bench->tool, runner->contender, &runner->entrant) != TOOL_FINE) {
        broke(bench->tool, runner);
        return;
    }
    if (runner->entrant.declined == NULL && !runner_warm_up(runner, bench->options.seconds * 1e6))
        broke(bench->tool, runner);
    else if (runner->entrant.declined != NULL)
        decline(runner->row, runner->entrant.declined);
    else
        runner_keep_record(runner);
}

/* Returns the buffers. Pairs on one device share them, so that they use the same data at the same
 * addresses. */
static const struct buffers *buffers_of(struct bench *bench, int pair, struct layer *layer,
                                        const struct operands *operands, struct buffers *all)
{
    const char *device = bench->pair[pair].device;
    char why[512];

    for (int p = 0; p < pair; p++)
        if (strcmp(bench->pair[p].device, device) == 0 && all[p].memory != NULL)
            return &all[p];
    if (buffers_make(bench->pair[pair].handle, device, operands,
                     bench_cache(&bench->options, device), &all[pair], why, sizeof(why))) {
        bench_make_outputs(bench->tool, &bench->pair[pair], layer->item->problem, operands,
                           &all[pair]);
        return &all[pair];
    }
    decline(&layer->row[pair], why);
    return NULL;
}

/* Returns the type whose arithmetic ceiling applies, or NULL. Only convolutions are limited by
 * arithmetic. */
static const char *arithmetic_type(const struct layer *layer, const struct operands *operands)
{
    static const char *const types[] = {"f64", "f32", "f16", "bf16", "s8"};
    const char *type = operands->item[0].element->name;

    if (strncmp(layer->operation, "convolution_", 12) != 0 ||
        strcmp(layer->operation, "convolution_backward_bias") == 0)
        return NULL;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i], type) == 0)
            return type;
    return NULL;
}

static void rate(struct bench *bench, struct layer *layer, const char *type)
{
    double first = layer->row[0].median;

    layer->counted = !layer->again;
    for (int p = 0; p < bench->pairs; p++) {
        struct row *row = &layer->row[p];
        struct ceiling ceiling;

        layer->counted &= row->declined == NULL;
        if (row->declined != NULL || row->median <= 0)
            continue;
        ceiling = bench_ceiling(bench, p, type);
        row->roofline = traffic_floor(&layer->traffic, ceiling.flops, ceiling.bytes) / row->median;
        row->ratio = first / row->median;
    }
}

static int measure(struct bench *bench, struct layer *layer, const struct operands *operands)
{
    struct runner *runner = tool_alloc((size_t)bench->pairs * sizeof(*runner));
    struct buffers *buffers = tool_alloc((size_t)bench->pairs * sizeof(*buffers));
    int code = TOOL_FINE;

    memset(runner, 0, (size_t)bench->pairs * sizeof(*runner));
    memset(buffers, 0, (size_t)bench->pairs * sizeof(*buffers));
    for (int p = 0; p < bench->pairs; p++) {
        runner[p].contender = &bench->pair[p];
        runner[p].row = &layer->row[p];
        runner[p].sample = tool_alloc((size_t)bench->options.rounds * sizeof(double));
        runner[p].buffers = buffers_of(bench, p, layer, operands, buffers);
        if (runner[p].buffers != NULL)
            prepare(bench, &runner[p], layer);
        if (layer->sets == 0 && runner[p].buffers != NULL)
            layer->sets = runner[p].buffers->sets;
    }
    alternate(bench, runner);
    for (int p = 0; p < bench->pairs; p++) {
        if (runs(&runner[p]))
            runner_finish(&runner[p], &layer->traffic);
        code = layer->row[p].failed ? TOOL_FAILED : code;
        runner_release(&runner[p]);
    }
    for (int p = 0; p < bench->pairs; p++)
        buffers_free(&buffers[p]);
    free(buffers);
    free(runner);
    return code;
}

int bench_measure(struct bench *bench, struct layer *layer)
{
    struct operands operands = {.count = 0};
    anydnnProblem_t problem = NULL;
    char *text = NULL;
    int code = tool_parse(bench->tool, layer->item->problem, &problem, &text);

    if (code == TOOL_FINE)
        code = operands_describe(bench->tool, problem, text, &operands);
    if (code == TOOL_FINE) {
        traffic_of(&operands, text, &layer->traffic);
        code = measure(bench, layer, &operands);
        rate(bench, layer, arithmetic_type(layer, &operands));
    }
    anydnnProblemDestroy(problem);
    free(text);
    return code;
}
