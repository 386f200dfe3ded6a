/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the answer of anydnn info as text. */
#include "info.h"

#include <stdio.h>
#include <string.h>

static void print_list(const json_t *list, const char *lead)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        printf("%s%s\n", lead, json_string_value(json_array_get(list, i)));
}

static const char *or_dash(const char *text)
{
    return text[0] != '\0' ? text : "-";
}

static void print_backend(const json_t *item)
{
    const char *reason = tool_text_of(item, "reason");

    printf("%-20s %-10s %-10s %-8s %s\n", tool_text_of(item, "name"), tool_text_of(item, "stage"),
           or_dash(tool_text_of(item, "version")), or_dash(tool_text_of(item, "space")),
           or_dash(tool_text_of(item, "path")));
    if (reason[0] != '\0')
        printf("    %s\n", reason);
    print_list(json_object_get(item, "limits"), "    limit ");
    print_list(json_object_get(item, "settings"), "    ");
}

static int words_width(const json_t *list)
{
    size_t width = 0;

    for (size_t i = 0; i < json_array_size(list); i++)
        width += json_string_length(json_array_get(list, i)) + 1;
    return (int)width;
}

/* Returns the width of the widest cell of a column plus the gap to the next column. */
static int column_width(const json_t *rows, const char *heading)
{
    int width = (int)strlen(heading);

    for (size_t i = 0; i < json_array_size(rows); i++) {
        int words = words_width(json_object_get(json_array_get(rows, i), heading));

        width = words > width ? words : width;
    }
    return width + 1;
}

static void print_words(const json_t *list, int width)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        printf("%s%s", i > 0 ? " " : "", json_string_value(json_array_get(list, i)));
    printf("%*s", width > 0 ? width - words_width(list) + 1 : 0, "");
}

static void print_operations(const json_t *item)
{
    const json_t *list = json_object_get(item, "operations");
    int types = column_width(list, "types");
    int layouts = column_width(list, "layouts");

    if (json_array_size(list) == 0)
        return;
    printf("\n%-38s%-*s%-*s%s\n", tool_text_of(item, "name"), types, "types", layouts, "layouts",
           "math");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);

        printf("  %-36s", tool_text_of(row, "name"));
        print_words(json_object_get(row, "types"), types);
        print_words(json_object_get(row, "layouts"), layouts);
        print_words(json_object_get(row, "math"), 0);
        putchar('\n');
    }
}

void tool_info_print(const json_t *answer)
{
    const json_t *backends = json_object_get(answer, "backends");
    const json_t *devices = json_object_get(answer, "devices");

    printf("anydnn %s, API level %d\n", tool_text_of(answer, "version"),
           (int)json_integer_value(json_object_get(answer, "api_level")));
    printf("\n%-20s %-10s %-10s %-8s %s\n", "backend", "stage", "version", "space", "path");
    for (size_t i = 0; i < json_array_size(backends); i++)
        print_backend(json_array_get(backends, i));
    for (size_t i = 0; i < json_array_size(backends); i++)
        print_operations(json_array_get(backends, i));
    printf("\n%-20s %-10s %s\n", "device", "space", "description");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *row = json_array_get(devices, i);

        printf("%-20s %-10s %s%s\n", tool_text_of(row, "name"), tool_text_of(row, "space"),
               tool_text_of(row, "description"),
               strcmp(tool_text_of(row, "name"), tool_text_of(answer, "device")) == 0
                   ? " (default of handles)"
                   : "");
    }
}
