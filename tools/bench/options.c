/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn bench. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/report/page.h"

static int set_rounds(struct tool *tool, void *own, const char *value)
{
    unsigned long long number;
    int code = tool_number(tool, "rounds", value, 1, 100000, &number);

    ((struct bench_options *)own)->rounds = (int)number;
    return code;
}

/* A number above 0, with k, M, G or T behind it where that is meant. */
static int set_real(struct tool *tool, const char *option, const char *value, double *number)
{
    static const char suffixes[] = "kMGT";
    const char *suffix;
    char *end;

    *number = strtod(value, &end);
    suffix = *end != '\0' ? strchr(suffixes, *end) : NULL;
    if (suffix != NULL)
        *number *= pow(1000, (double)(suffix - suffixes + 1));
    end += suffix != NULL;
    if (end == value || *end != '\0' || !(*number > 0) || !isfinite(*number))
        return tool_fail(tool, TOOL_USAGE, "--%s=%s: takes a number above 0, such as 1.5 or 790T",
                         option, value);
    return TOOL_FINE;
}

static int set_time(struct tool *tool, void *own, const char *value)
{
    return set_real(tool, "time", value, &((struct bench_options *)own)->seconds);
}

static int set_peak_flops(struct tool *tool, void *own, const char *value)
{
    return set_real(tool, "peak-flops", value, &((struct bench_options *)own)->peak_flops);
}

static int set_peak_bytes(struct tool *tool, void *own, const char *value)
{
    return set_real(tool, "peak-bytes", value, &((struct bench_options *)own)->peak_bytes);
}

static int set_cache(struct tool *tool, void *own, const char *value)
{
    double *cache = &((struct bench_options *)own)->cache;
    int code = set_real(tool, "cache", value, cache);

    if (code == TOOL_FINE && *cache > 1e12)
        code = tool_fail(tool, TOOL_USAGE, "--cache=%s: is more than 1T", value);
    return code;
}

static int set_hot(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    (void)value;
    ((struct bench_options *)own)->hot = 1;
    return TOOL_FINE;
}

static int set_find(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    (void)value;
    ((struct bench_options *)own)->find = 1;
    return TOOL_FINE;
}

static int set_plain(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    (void)value;
    ((struct bench_options *)own)->plain = 1;
    return TOOL_FINE;
}

static int set_list(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    (void)value;
    ((struct bench_options *)own)->list = 1;
    return TOOL_FINE;
}

static int set_csv(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    ((struct bench_options *)own)->csv = value;
    return TOOL_FINE;
}

static int set_plot(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    ((struct bench_options *)own)->plot = value;
    return TOOL_FINE;
}

static int set_html(struct tool *tool, void *own, const char *value)
{
    ((struct bench_options *)own)->html = value;
    return page_check(tool, "html", value);
}

const struct tool_option bench_options_table[] = {
    SUITE_OPTIONS,
    {"list", NULL, "show the suites there are, or the problems of one; run nothing", set_list},
    {"rounds", "N", "times that each pair is timed in turn, at most (15)", set_rounds},
    {"time", "SECONDS", "for each pair and problem; one round always (1)", set_time},
    {"find", NULL, "convolutions by the algorithm that anydnnFind... finds fastest", set_find},
    {"no-transforms", NULL, "with --find: without Winograd and FFT, on every pair", set_plain},
    {"hot", NULL, "the same operands in every call, in the cache where they fit", set_hot},
    {"cache", "BYTES", "that operands go round beyond (the device's last cache)", set_cache},
    {"peak-flops", "N", "a second, as 790T, for the roofline (measured)", set_peak_flops},
    {"peak-bytes", "N", "a second, as 4.2T, for the roofline (measured)", set_peak_bytes},
    {"csv", "FILE", "a line for each layer and pair", set_csv},
    {"plot", "FILE", "bars of the roofline, .png or .svg by gnuplot; .gp: its script", set_plot},
    {"html", "FILE", "write a page of figures and tables, drawn by gnuplot", set_html},
    {NULL, NULL, NULL, NULL},
};
