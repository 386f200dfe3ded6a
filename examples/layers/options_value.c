/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of the command line's options into struct options, with one function per
 * kind. */
#include "options_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

static const struct {
    const char *name;
    anydnnMathType_t math;
} maths[] = {
    {"default", ANYDNN_DEFAULT_MATH},
    {"tensor_op", ANYDNN_TENSOR_OP_MATH},
    {"allow_conversion", ANYDNN_TENSOR_OP_MATH_ALLOW_CONVERSION},
    {"split", ANYDNN_TENSOR_OP_MATH_SPLIT},
};

/* ---- values */

static void *member(struct options *o, const struct option_row *row)
{
    return (char *)o + row->at;
}

int options_read_count(struct options *o, const struct option_row *row, const char *text)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < 1 || number > (long)row->limit)
        return complain("--%s=%s: must be an integer from 1 to %ld.", row->name, text,
                        (long)row->limit);
    *(int *)member(o, row) = (int)number;
    return 0;
}

int options_read_seed(struct options *o, const struct option_row *row, const char *text)
{
    char *end;

    errno = 0;
    *(uint64_t *)member(o, row) = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL)
        return complain("--%s=%s: must be an integer from 0 to 2^64 - 1.", row->name, text);
    return 0;
}

int options_read_draw_seed(struct options *o, const struct option_row *row, const char *text)
{
    o->apart = 1;
    return options_read_seed(o, row, text);
}

int options_read_number(struct options *o, const struct option_row *row, const char *text)
{
    double *value = member(o, row);
    char *end;

    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value >= 0 && *value < row->limit))
        return complain("--%s=%s: must be a number of at least 0 and below %g.", row->name, text,
                        row->limit);
    return 0;
}

int options_read_text(struct options *o, const struct option_row *row, const char *text)
{
    *(const char **)member(o, row) = text;
    return 0;
}

int options_read_file(struct options *o, const struct option_row *row, const char *text)
{
    return text[0] != '\0' ? options_read_text(o, row, text)
                           : complain("--%s=: requires the name of a file.", row->name);
}

int options_read_device(struct options *o, const struct option_row *row, const char *text)
{
    return options_read_text(o, row, strcmp(text, "auto") != 0 ? text : NULL);
}

int options_read_flag(struct options *o, const struct option_row *row, const char *text)
{
    (void)text;
    *(int *)member(o, row) = 1;
    return 0;
}

int options_read_schedule(struct options *o, const struct option_row *row, const char *text)
{
    int *falling = member(o, row);

    *falling = strcmp(text, "cosine") == 0;
    return *falling || strcmp(text, "constant") == 0
               ? 0
               : complain("--%s=%s: must be constant or cosine.", row->name, text);
}

/* ---- modes */

static int parse_math(struct mode *mode, const char *name, const char *text)
{
    for (size_t i = 0; i < sizeof maths / sizeof *maths; i++)
        if (strcmp(maths[i].name, text) == 0) {
            mode->math_name = maths[i].name;
            mode->math = maths[i].math;
            return 0;
        }
    return complain("--%s=%s: must be default, tensor_op, allow_conversion or split.", name, text);
}

static int parse_type(struct mode *mode, const char *name, const char *text)
{
    mode->element = element_lookup(text);
    return mode->element != NULL
               ? 0
               : complain("--%s=%s: must be float, double, half or bfloat16.", name, text);
}

int options_read_math(struct options *o, const struct option_row *row, const char *text)
{
    return parse_math(member(o, row), row->name, text);
}

int options_read_type(struct options *o, const struct option_row *row, const char *text)
{
    return parse_type(member(o, row), row->name, text);
}

/* Adds a mode, [TYPE:]MATH. Without a type, that of --type applies, wherever it appears. */
int options_add_mode(struct options *o, const char *text)
{
    struct mode *mode = &o->compared[o->modes];
    const char *colon = strchr(text, ':');
    char type[16];

    if (o->modes == MODES_AT_MOST)
        return complain("--compare: more than %d modes.", MODES_AT_MOST);
    o->modes++;
    *mode = (struct mode){.text = text};
    if (colon != NULL) {
        snprintf(type, sizeof type, "%.*s", (int)(colon - text), text);
        if (parse_type(mode, "compare", type) < 0)
            return -1;
        text = colon + 1;
    }
    return parse_math(mode, "compare", text);
}

int options_read_mode(struct options *o, const struct option_row *row, const char *text)
{
    (void)row;
    return options_add_mode(o, text);
}
