/* SPDX-License-Identifier: Apache-2.0 */
/* How the value of a command line's option is read, by the row that an option has in options.c. */
#ifndef LAYERS_OPTIONS_VALUE_H
#define LAYERS_OPTIONS_VALUE_H

#include <stddef.h>

#include "options.h"

struct option_row;

/* Reads what an option is given into its member; < 0 after a sentence. */
typedef int (*option_reader)(struct options *o, const struct option_row *row, const char *text);

/* An option: its name, and how its value is read, and where it goes. */
struct option_row {
    const char *name;
    option_reader read;
    size_t at;    /* of its member in struct options */
    double limit; /* the most, or what it is below */
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

/* A mode of --compare: [TYPE:]MATH; without a type the one of --type, wherever that stands. */
int options_add_mode(struct options *o, const char *text);

#endif
