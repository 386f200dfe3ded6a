/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn bench. */
#include "tools/bench/bench.h"
#include "tools/report/page.h"

static int check_cache(struct tool *tool, void *own, const char *value)
{
    return ((struct bench_options *)own)->cache <= 1e12
               ? TOOL_FINE
               : tool_fail(tool, TOOL_USAGE, "--cache=%s: is more than 1T", value);
}

const struct tool_option bench_options_table[] = {
    SUITE_OPTIONS,
    {"list", NULL, "show the suites there are, or the problems of one; run nothing",
     TOOL_KEEP_FLAG(bench_options, list)},
    {"rounds", "N", "times that each pair is timed in turn, at most (15)",
     TOOL_KEEP(bench_options, rounds, TOOL_INT), .low = 1, .high = 100000},
    {"time", "SECONDS", "for each pair and problem; one round always (1)",
     TOOL_KEEP(bench_options, seconds, TOOL_REAL)},
    {"find", NULL, "convolutions by the algorithm that anydnnFind... finds fastest",
     TOOL_KEEP_FLAG(bench_options, find)},
    {"no-transforms", NULL, "with --find: without Winograd and FFT, on every pair",
     TOOL_KEEP_FLAG(bench_options, plain)},
    {"hot", NULL, "the same operands in every call, in the cache where they fit",
     TOOL_KEEP_FLAG(bench_options, hot)},
    {"cache", "BYTES", "that operands go round beyond (the device's last cache)",
     TOOL_KEEP(bench_options, cache, TOOL_REAL), .set = check_cache},
    {"peak-flops", "N", "a second, as 790T, for the roofline (measured)",
     TOOL_KEEP(bench_options, peak_flops, TOOL_REAL)},
    {"peak-bytes", "N", "a second, as 4.2T, for the roofline (measured)",
     TOOL_KEEP(bench_options, peak_bytes, TOOL_REAL)},
    {"csv", "FILE", "a line for each layer and pair", TOOL_KEEP(bench_options, csv, TOOL_FILE)},
    {"plot", "FILE", "bars of the roofline, .png or .svg by gnuplot; .gp: its script",
     TOOL_KEEP(bench_options, plot, TOOL_FILE)},
    {"html", "FILE", "write a page of figures and tables, drawn by gnuplot",
     TOOL_KEEP(bench_options, html, TOOL_FILE), .set = page_check},
    TOOL_OPTIONS_END,
};
