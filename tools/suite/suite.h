/* SPDX-License-Identifier: Apache-2.0 */
/* The problems that bench and compare run: a named suite, a file in the same format, standard input
 * or one problem. Options change batch, type, layout, directions and compute type. */
#ifndef TOOLS_SUITE_SUITE_H
#define TOOLS_SUITE_SUITE_H

#include "tools/common.h"

enum suite_direction {
    SUITE_AS_LISTED = 0,
    SUITE_FORWARD = 1,
    SUITE_DATA = 2, /* gradients of data; every operation with a backward has one */
    SUITE_FILTER = 4,
    SUITE_ALL = 7
};

/* The options of a suite: the first member of the structure that a command gives to tool_options.
 * All zero: no changes. */
struct suite_options {
    const char *folder; /* of suites; NULL: the installed ones */
    const char *type;
    const char *layout;
    const char *compute;
    unsigned long long batch;
    unsigned directions;
};

extern const char *const suite_types[], *const suite_layouts[], *const suite_computes[];
int suite_set_direction(struct tool *tool, void *own, const char *value);

/* clang-format off */
#define SUITE_OPTIONS                                                                              \
    {"batch", "N", "batch size of every layer (that of the suite)",                                \
     TOOL_KEEP_NUMBER(suite_options, batch, 1, 1 << 20)},                                          \
    {"type", "TYPE", "data type: f32, f16, bf16, f64, s8, ... (that of the suite)",                \
     TOOL_KEEP(suite_options, type, TOOL_WORD), .words = suite_types},                             \
    {"layout", "LAYOUT", "nchw or nhwc (that of the suite)",                                       \
     TOOL_KEEP(suite_options, layout, TOOL_WORD), .words = suite_layouts},                         \
    {"direction", "LIST", "forward, data and filter with commas, or all (those of the suite)",     \
     .set = suite_set_direction},                                                                  \
    {"compute", "TYPE", "compute type of convolutions (by the data type)",                         \
     TOOL_KEEP(suite_options, compute, TOOL_WORD), .words = suite_computes},                       \
    {"suites", "FOLDER", "look for suites there instead of the installed ones",                    \
     TOOL_KEEP(suite_options, folder, TOOL_TEXT)}
/* clang-format on */

struct suite_item {
    char *layer;   /* name in the suite; `lineN` if it has none */
    int times;     /* occurrences in the network */
    char *problem; /* complete, as the library prints it */
    char *dump;    /* folder of the operands' values; NULL: generated */
};

struct suite {
    char *name; /* name of the suite or file, `stdin`, or "" for one problem */
    int count;
    struct suite_item *item;
    int left_out; /* layers without any of the requested directions */
};

/* Returns how many arguments name the problems: a suite, a file, `-`, or the words of one problem,
 * which contain `=` from the second on. The pairs BACKEND:MATH follow. */
int suite_arguments(int argc, char **argv);
/* Reads the problems that these arguments name. Fails with a message. */
int suite_open(struct tool *tool, const struct suite_options *options, int argc, char **argv,
               struct suite *suite);
void suite_close(struct suite *suite);
/* Returns the sorted names of the suites in the folder, NULL-terminated. suite_free_names frees
 * them. */
char **suite_names(const struct suite_options *options);
void suite_free_names(char **names);

#endif
