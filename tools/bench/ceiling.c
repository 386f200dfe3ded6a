/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the roofline's two ceilings of a device. Arithmetic is measured with large 1x1
 * convolutions, which are matrix products, in the current math mode and type. Memory is measured
 * with copies. The ceiling is the fastest result of the built-in routes and of the pairs
 * themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/runner.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* The number of attempts at one size. The fastest counts. */
#define ATTEMPTS 5
/* The microseconds per call above which no larger size follows. */
#define LONG_ENOUGH 30000.0

struct known {
    char device[64];
    char math[32];
    char type[16];
    struct ceiling ceiling;
    struct known *next;
};

static struct known *all_known;

/* ---- one problem */

/* Returns the microseconds of the fastest of some calls, or 0 if the contender does not run it. */
static double fastest(struct tool *tool, struct contender *contender, const char *text)
{
    struct operands operands = {.count = 0};
    struct entrant entrant;
    struct buffers buffers;
    void *pointers[OPERANDS_MAX];
    char why[256];
    double best = 0;

    if (entrant_make(tool, contender, text, &entrant) == TOOL_FINE &&
        entrant_workspace(tool, contender, &entrant) == TOOL_FINE && entrant.declined == NULL &&
        operands_describe(tool, entrant.problem, entrant.text, &operands) == TOOL_FINE &&
        buffers_make(contender->handle, contender->device, &operands, 0, &buffers, why,
                     sizeof(why))) {
        buffers_pointers(&buffers, 0, pointers);
        for (int i = 0; i < ATTEMPTS; i++) {
            double microseconds = runner_time_call(contender, &entrant, pointers);

            if (i == 0 && contender->backend[0] != '\0')
                entrant_check(contender, &entrant, 0);
            if (microseconds <= 0 || entrant.declined != NULL)
                break;
            best = best == 0 || microseconds < best ? microseconds : best;
            if (microseconds > LONG_ENOUGH)
                break;
        }
        buffers_free(&buffers);
    }
    entrant_free(contender, &entrant);
    return best;
}

/* ---- arithmetic */

static double flops_of(struct tool *tool, struct contender *contender, const char *type)
{
    static const struct {
        int n, c, side;
    } sizes[] = {{1, 128, 14},   {4, 256, 14},   {16, 512, 14},
                 {32, 1024, 14}, {32, 2048, 28}, {64, 4096, 28}};
    static const char *const layouts[] = {"nchw", "nhwc"};
    double best = 0;

    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            char text[256];
            double c = sizes[i].c;
            double flops = 2 * c * c * sizes[i].n * sizes[i].side * sizes[i].side;
            double microseconds;

            snprintf(text, sizeof(text),
                     "convolution_forward x=%s:%d,%d,%d,%d:%s w=%s:%d,%d,1,1:%s", type, sizes[i].n,
                     sizes[i].c, sizes[i].side, sizes[i].side, layouts[l], type, sizes[i].c,
                     sizes[i].c, layouts[l]);
            microseconds = fastest(tool, contender, text);
            if (microseconds > 0 && flops / microseconds * 1e6 > best)
                best = flops / microseconds * 1e6;
            if (microseconds == 0 || microseconds > LONG_ENOUGH)
                break;
        }
    return best;
}

/* ---- memory */

/* Returns the rate of a plain copy within the device, which reads and writes every byte. */
static double copy_rate(const struct contender *contender, size_t bytes)
{
    anydnnHandle_t handle = contender->handle;
    void *from = NULL;
    void *to = NULL;
    double best = 0;

    if (anydnnMemAlloc(handle, bytes, &from) == SUCCESS &&
        anydnnMemAlloc(handle, bytes, &to) == SUCCESS &&
        anydnnMemSet(handle, from, 1, bytes) == SUCCESS &&
        anydnnMemSet(handle, to, 1, bytes) == SUCCESS)
        for (int i = 0; i < ATTEMPTS; i++) {
            anydnnMark_t begin = NULL;
            anydnnMark_t end = NULL;
            double microseconds = 0;

            if (anydnnMark(handle, &begin) == SUCCESS &&
                anydnnMemCopy(handle, to, from, bytes, ANYDNN_MEMCPY_DEVICE_TO_DEVICE) == SUCCESS &&
                anydnnMark(handle, &end) == SUCCESS &&
                anydnnMarkElapsed(handle, begin, end, &microseconds) == SUCCESS &&
                microseconds > 0 && 2e6 * (double)bytes / microseconds > best)
                best = 2e6 * (double)bytes / microseconds;
            anydnnMarkDestroy(handle, begin);
            anydnnMarkDestroy(handle, end);
        }
    anydnnMemFree(handle, from);
    anydnnMemFree(handle, to);
    return best;
}

static double bytes_of(struct tool *tool, struct contender *contender)
{
    size_t bytes = 4 * (size_t)buffers_cache(contender->device);
    double rate = copy_rate(contender, bytes);
    char text[128];
    double microseconds;

    snprintf(text, sizeof(text), "transform_tensor x=f32:64,%zu,32,32", bytes / 4 / 64 / 1024);
    microseconds = fastest(tool, contender, text);
    bytes = bytes / 4 / 64 / 1024 * 64 * 1024 * 4;
    if (microseconds > 0 && 2e6 * (double)bytes / microseconds > rate)
        rate = 2e6 * (double)bytes / microseconds;
    return rate;
}

/* ---- the table */

static void raise(double *ceiling, double other)
{
    *ceiling = other > *ceiling ? other : *ceiling;
}

static const struct known *lookup_known(const struct contender *pair, const char *math,
                                        const char *type)
{
    const struct known *known = all_known;

    while (known != NULL && (strcmp(known->device, pair->device) != 0 ||
                             strcmp(known->math, math) != 0 || strcmp(known->type, type) != 0))
        known = known->next;
    return known;
}

static struct known *add_known(const struct contender *pair, const char *math, const char *type)
{
    struct known *known = tool_alloc(sizeof(*known));

    memset(known, 0, sizeof(*known));
    snprintf(known->device, sizeof(known->device), "%s", pair->device);
    snprintf(known->math, sizeof(known->math), "%s", math);
    snprintf(known->type, sizeof(known->type), "%s", type);
    known->next = all_known;
    all_known = known;
    return known;
}

/* Returns the memory ceiling, or 0. The memory ceiling does not depend on type and math mode, so
 * its row has neither. */
static double known_bytes(struct bench *bench, const struct contender *pair)
{
    const struct known *known = lookup_known(pair, "", "");
    struct known *own;
    struct contender routed;

    if (known != NULL)
        return known->ceiling.bytes;
    own = add_known(pair, "", "");
    if (contender_open_routed(pair, &routed)) {
        own->ceiling.bytes = bytes_of(bench->tool, &routed);
        contender_close(&routed);
    }
    for (int p = 0; p < bench->pairs; p++)
        if (strcmp(bench->pair[p].device, pair->device) == 0)
            raise(&own->ceiling.bytes, bytes_of(bench->tool, &bench->pair[p]));
    return own->ceiling.bytes;
}

static double known_flops(struct bench *bench, const struct contender *pair, const char *type)
{
    const struct known *known = lookup_known(pair, pair->math, type);
    struct known *own;
    struct contender routed;

    if (known != NULL)
        return known->ceiling.flops;
    own = add_known(pair, pair->math, type);
    if (contender_open_routed(pair, &routed)) {
        own->ceiling.flops = flops_of(bench->tool, &routed, type);
        contender_close(&routed);
    }
    for (int p = 0; p < bench->pairs; p++)
        if (strcmp(bench->pair[p].device, pair->device) == 0 &&
            strcmp(bench->pair[p].math, pair->math) == 0)
            raise(&own->ceiling.flops, flops_of(bench->tool, &bench->pair[p], type));
    return own->ceiling.flops;
}

struct ceiling bench_ceiling(struct bench *bench, int pair, const char *type)
{
    const struct bench_options *options = &bench->options;
    struct ceiling ceiling = {options->peak_flops, options->peak_bytes};

    if (type == NULL)
        ceiling.flops = 0;
    else if (ceiling.flops <= 0)
        ceiling.flops = known_flops(bench, &bench->pair[pair], type);
    if (ceiling.bytes <= 0)
        ceiling.bytes = known_bytes(bench, &bench->pair[pair]);
    return ceiling;
}

static json_t *ceiling_object(const char *device, const char *source)
{
    json_t *object = json_object();

    json_object_set_new(object, "device", json_string(device));
    json_object_set_new(object, "source", json_string(source));
    return object;
}

static void add_given(json_t *ceilings, const char *key, double value)
{
    json_t *object = ceiling_object("any device", "as given");

    json_object_set_new(object, key, json_real(value));
    json_object_set_new(object, "math", json_string("any"));
    json_object_set_new(object, "type", json_string("any type"));
    json_array_append_new(ceilings, object);
}

json_t *bench_ceilings(const struct bench *bench)
{
    json_t *ceilings = json_array();

    if (bench->options.peak_flops > 0)
        add_given(ceilings, "flops", bench->options.peak_flops);
    if (bench->options.peak_bytes > 0)
        add_given(ceilings, "bytes", bench->options.peak_bytes);
    for (const struct known *known = all_known; known != NULL; known = known->next) {
        json_t *object = ceiling_object(known->device, "measured");

        if (known->math[0] != '\0') {
            json_object_set_new(object, "math", json_string(known->math));
            json_object_set_new(object, "type", json_string(known->type));
            json_object_set_new(object, "flops", json_real(known->ceiling.flops));
        } else {
            json_object_set_new(object, "bytes", json_real(known->ceiling.bytes));
        }
        json_array_append_new(ceilings, object);
    }
    return ceilings;
}

void bench_forget_ceilings(void)
{
    while (all_known != NULL) {
        struct known *next = all_known->next;

        free(all_known);
        all_known = next;
    }
}
