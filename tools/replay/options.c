/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn replay: its own, and those of compare that count here. */
#include "tools/replay/replay.h"

#include <stdint.h>

#include "tools/report/page.h"

/* The structure of compare is the first member of that of replay. */
const struct tool_option replay_option_table[] = {
    {"line", "N", "the call on that line alone",
     TOOL_KEEP_NUMBER(replay_options, line, 1, INT64_MAX)},
    {"reduce", NULL, "make the first problem beyond its bound as small as it still is",
     TOOL_KEEP_FLAG(replay_options, reduce)},
    {"seed", "N", "of the inputs, the same for every problem (1)",
     TOOL_KEEP_NUMBER(compare_options, seed, 0, INT64_MAX)},
    {"repeat", "N", "runs of each side; the time is the median behind the first (3)",
     TOOL_KEEP_NUMBER(compare_options, repeat, 1, 1000000)},
    {"reference", "BACKEND", "who gives the results in double (cpu_ref)",
     TOOL_KEEP(compare_options, reference, TOOL_TEXT), .set = compare_check_reference},
    {"html", "FILE", "write a page of figures and tables, drawn by gnuplot",
     TOOL_KEEP(compare_options, html, TOOL_FILE), .set = page_check},
    TOOL_OPTIONS_END,
};
