/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn replay: its own, and those of compare that apply. */
#include "tools/replay/replay.h"

#include <stdint.h>

#include "tools/report/page.h"

/* The options of compare are the first member of those of replay. */
const struct tool_option replay_option_table[] = {
    {"line", "N", "replay only the call on line N",
     TOOL_KEEP_NUMBER(replay_options, line, 1, INT64_MAX)},
    {"reduce", NULL, "reduce the first problem beyond its bound to the smallest that still is",
     TOOL_KEEP_FLAG(replay_options, reduce)},
    {"seed", "N", "seed of the inputs, the same for every problem (1)",
     TOOL_KEEP_NUMBER(compare_options, seed, 0, INT64_MAX)},
    {"repeat", "N", "runs of each side; the time is the median without the first run (3)",
     TOOL_KEEP_NUMBER(compare_options, repeat, 1, 1000000)},
    {"reference", "BACKEND", "backend that computes the reference results in double (cpu_ref)",
     TOOL_KEEP(compare_options, reference, TOOL_TEXT), .set = compare_check_reference},
    {"html", "FILE", "write an HTML page with tables, and figures drawn by gnuplot",
     TOOL_KEEP(compare_options, html, TOOL_FILE), .set = page_check},
    TOOL_OPTIONS_END,
};
