/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn bench. */
#include "tools/bench/bench.h"
#include "tools/report/page.h"

static int check_cache(struct tool *tool, void *own, const char *value)
{
    return ((struct bench_options *)own)->cache <= 1e12
               ? TOOL_FINE
               : tool_fail(tool, TOOL_USAGE, "--cache=%s: the maximum is 1T", value);
}

const struct tool_option bench_options_table[] = {
    SUITE_OPTIONS,
    {"list", NULL, "list the suites, or the problems of one suite, and run nothing",
     TOOL_KEEP_FLAG(bench_options, list)},
    {"rounds", "N", "maximum number of rounds; each round times every pair (15)",
     TOOL_KEEP(bench_options, rounds, TOOL_INT), .low = 1, .high = 100000},
    {"time", "SECONDS", "time limit for each pair and problem; one round always runs (1)",
     TOOL_KEEP(bench_options, seconds, TOOL_REAL)},
    {"find", NULL, "use the convolution algorithm that anydnnFind... finds fastest",
     TOOL_KEEP_FLAG(bench_options, find)},
    {"no-transforms", NULL, "with --find: exclude Winograd and FFT on every pair",
     TOOL_KEEP_FLAG(bench_options, plain)},
    {"hot", NULL, "use the same operands in every call, so that they stay cached",
     TOOL_KEEP_FLAG(bench_options, hot)},
    {"cache", "BYTES", "cache size that rotating operands exceed (the device's last cache)",
     TOOL_KEEP(bench_options, cache, TOOL_REAL), .set = check_cache},
    {"peak-flops", "N", "peak FLOP/s for the roofline, such as 790T (measured)",
     TOOL_KEEP(bench_options, peak_flops, TOOL_REAL)},
    {"peak-bytes", "N", "peak bytes/s for the roofline, such as 4.2T (measured)",
     TOOL_KEEP(bench_options, peak_bytes, TOOL_REAL)},
    {"csv", "FILE", "write one line for each layer and pair",
     TOOL_KEEP(bench_options, csv, TOOL_FILE)},
    {"plot", "FILE", "draw a chart: .png or .svg by gnuplot, or .gp for its script",
     TOOL_KEEP(bench_options, plot, TOOL_FILE)},
    {"html", "FILE", "write an HTML page with tables, and figures drawn by gnuplot",
     TOOL_KEEP(bench_options, html, TOOL_FILE), .set = page_check},
    TOOL_OPTIONS_END,
};
