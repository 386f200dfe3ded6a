/* SPDX-License-Identifier: Apache-2.0 */
/* The options that change the problems of a suite. */
#include <stdio.h>
#include <string.h>

#include "tools/suite/suite.h"

int suite_set_folder(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    ((struct suite_options *)own)->folder = value;
    return TOOL_FINE;
}

static int one_of(struct tool *tool, const char *option, const char *value,
                  const char *const *names)
{
    char list[128] = "";
    size_t length = 0;

    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], value) == 0)
            return TOOL_FINE;
    for (int i = 0; names[i] != NULL; i++)
        length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
                                   i == 0 ? "" : (names[i + 1] != NULL ? ", " : " or "), names[i]);
    return tool_fail(tool, TOOL_USAGE, "--%s=%s: takes %s", option, value, list);
}

int suite_set_type(struct tool *tool, void *own, const char *value)
{
    static const char *const types[] = {"f64", "f32",  "f16",   "bf16", "s8", "u8",
                                        "s32", "s8x4", "s8x32", "u8x4", NULL};

    ((struct suite_options *)own)->type = value;
    return one_of(tool, "type", value, types);
}

int suite_set_layout(struct tool *tool, void *own, const char *value)
{
    static const char *const layouts[] = {"nchw", "nhwc", "nchw_vect_c", NULL};

    ((struct suite_options *)own)->layout = value;
    return one_of(tool, "layout", value, layouts);
}

int suite_set_compute(struct tool *tool, void *own, const char *value)
{
    static const char *const types[] = {"f64", "f32", "f16", "s32", NULL};

    ((struct suite_options *)own)->compute = value;
    return one_of(tool, "compute", value, types);
}

int suite_set_batch(struct tool *tool, void *own, const char *value)
{
    unsigned long long number;
    int code = tool_number(tool, "batch", value, 1, 1 << 20, &number);

    ((struct suite_options *)own)->batch = (long long)number;
    return code;
}

int suite_set_direction(struct tool *tool, void *own, const char *value)
{
    static const char *const names[] = {"forward", "data", "filter", "all"};
    static const unsigned bits[] = {SUITE_FORWARD, SUITE_DATA, SUITE_FILTER, SUITE_ALL};
    struct suite_options *options = own;

    options->directions = 0;
    for (const char *word = value; *word != '\0';) {
        size_t length = strcspn(word, ",");
        unsigned found = 0;

        for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
            if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
                found = bits[i];
        if (found == 0)
            break;
        options->directions |= found;
        word += length + (word[length] == ',');
        if (*word == '\0')
            return TOOL_FINE;
    }
    return tool_fail(tool, TOOL_USAGE,
                     "--direction=%s: takes forward, data and filter, with commas, or all", value);
}
