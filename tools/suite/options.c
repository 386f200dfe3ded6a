/* SPDX-License-Identifier: Apache-2.0 */
/* The options that change the problems of a suite. */
#include <string.h>

#include "tools/suite/suite.h"

const char *const suite_types[] = {"f64", "f32",  "f16",   "bf16", "s8", "u8",
                                   "s32", "s8x4", "s8x32", "u8x4", NULL};
const char *const suite_layouts[] = {"nchw", "nhwc", "nchw_vect_c", NULL};
const char *const suite_computes[] = {"f64", "f32", "f16", "s32", NULL};

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
                     "--direction=%s: must be all, or forward, data and filter separated by commas",
                     value);
}
