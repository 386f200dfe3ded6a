/* SPDX-License-Identifier: Apache-2.0 */
/* The problems that bench and compare take: a suite by name, a file in the same form, standard
 * input or one problem, with batch, type, layout, directions and compute type by option. */
#ifndef TOOLS_SUITE_SUITE_H
#define TOOLS_SUITE_SUITE_H

#include "tools/common.h"

enum suite_direction {
    SUITE_AS_LISTED = 0,
    SUITE_FORWARD = 1,
    SUITE_DATA = 2, /* gradients of data: of every operation that has a backward */
    SUITE_FILTER = 4,
    SUITE_ALL = 7
};

/* The first member of the structure that a command gives tool_options. All zero: as listed. */
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
    {"batch", "N", "samples of every layer (as the suite says)",                                   \
     TOOL_KEEP_NUMBER(suite_options, batch, 1, 1 << 20)},                                          \
    {"type", "TYPE", "f32, f16, bf16, f64, s8, ... of the data (as the suite says)",               \
     TOOL_KEEP(suite_options, type, TOOL_WORD), .words = suite_types},                             \
    {"layout", "LAYOUT", "nchw or nhwc (as the suite says)",                                       \
     TOOL_KEEP(suite_options, layout, TOOL_WORD), .words = suite_layouts},                         \
    {"direction", "LIST", "of forward, data and filter, with commas, or all (as the suite says)",  \
     .set = suite_set_direction},                                                                  \
    {"compute", "TYPE", "that convolutions compute in (by the data's type)",                       \
     TOOL_KEEP(suite_options, compute, TOOL_WORD), .words = suite_computes},                       \
    {"suites", "FOLDER", "suites there, not the installed ones",                                   \
     TOOL_KEEP(suite_options, folder, TOOL_TEXT)}
/* clang-format on */

struct suite_item {
    char *layer;   /* its name in the suite; `lineN` where it has none */
    int times;     /* how often it occurs in the network */
    char *problem; /* whole, as the library prints it */
    char *dump;    /* the folder of what its operands hold; NULL: made up */
};

struct suite {
    char *name; /* of the suite or file, `stdin`, or "" for one problem */
    int count;
    struct suite_item *item;
    int left_out; /* layers that have none of the directions asked for */
};

/* How many of the arguments say what to take: a suite, a file, `-`, or the words of one problem,
 * which have a `=` from the second on. The pairs BACKEND:MATH follow. */
int suite_arguments(int argc, char **argv);
/* Reads what those arguments name. Fails with a sentence. */
int suite_open(struct tool *tool, const struct suite_options *options, int argc, char **argv,
               struct suite *suite);
void suite_close(struct suite *suite);
/* Names of the suites in the folder, sorted; ends with NULL; suite_free_names frees it. */
char **suite_names(const struct suite_options *options);
void suite_free_names(char **names);

#endif
