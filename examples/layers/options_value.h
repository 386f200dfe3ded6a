/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the readers of option values. Each option has a row in options.c. */
#ifndef LAYERS_OPTIONS_VALUE_H
#define LAYERS_OPTIONS_VALUE_H

#include <stddef.h>

#include "options.h"

struct option_row;

/* Reads an option's value into its member. Returns a negative value after a message. */
typedef int (*option_reader)(struct options *o, const struct option_row *row, const char *text);

/* An option: its name, the reader of its value, and its member. */
struct option_row {
    const char *name;
    option_reader read;
    size_t at;    /* offset of its member in struct options */
    double limit; /* largest value, or exclusive upper bound */
    int is_flag;
};

int options_read_count(struct options *o, const struct option_row *row, const char *text);
int options_read_seed(struct options *o, const struct option_row *row, const char *text);
int options_read_draw_seed(struct options *o, const struct option_row *row, const char *text);
int options_read_number(struct options *o, const struct option_row *row, const char *text);
int options_read_text(struct options *o, const struct option_row *row, const char *text);
int options_read_file(struct options *o, const struct option_row *row, const char *text);
int options_read_device(struct options *o, const struct option_row *row, const char *text);
int options_read_flag(struct options *o, const struct option_row *row, const char *text);
int options_read_schedule(struct options *o, const struct option_row *row, const char *text);
int options_read_math(struct options *o, const struct option_row *row, const char *text);
int options_read_type(struct options *o, const struct option_row *row, const char *text);
int options_read_mode(struct options *o, const struct option_row *row, const char *text);

/* Adds a mode of --compare: [TYPE:]MATH. Without a type, that of --type applies, wherever it
 * appears. */
int options_add_mode(struct options *o, const char *text);

#endif
