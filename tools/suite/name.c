/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folder of the suites, and the suite that a spelling of a name means. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/files.h"
#include "tools/suite/parts.h"

/* ---- the folder */

const char *suite_folder(const struct suite_options *options, char *path, size_t size)
{
    return options->folder != NULL ? options->folder
                                   : tool_data_folder(ANYDNN_SUITESDIR, "suites", path, size);
}

static int is_suite(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    size_t ending = strlen(SUITE_ENDING);

    return length > ending && strcmp(entry->d_name + length - ending, SUITE_ENDING) == 0;
}

char **suite_names(const struct suite_options *options)
{
    char path[2 * PATH_MAX];
    struct dirent **entries = NULL;
    int count = scandir(suite_folder(options, path, sizeof(path)), &entries, is_suite, alphasort);
    char **names = tool_alloc((size_t)(count > 0 ? count + 1 : 1) * sizeof(*names));

    for (int i = 0; i < count; i++) {
        entries[i]->d_name[strlen(entries[i]->d_name) - strlen(SUITE_ENDING)] = '\0';
        names[i] = strcpy(tool_alloc(strlen(entries[i]->d_name) + 1), entries[i]->d_name);
        free(entries[i]);
    }
    names[count > 0 ? count : 0] = NULL;
    free(entries);
    return names;
}

void suite_free_names(char **names)
{
    for (int i = 0; names[i] != NULL; i++)
        free(names[i]);
    free(names);
}

/* ---- spellings */

/* Reduces a name to lower-case letters and digits: ResNet-50 becomes resnet50. */
static void plain(const char *name, char *text, size_t size)
{
    size_t length = 0;

    for (; *name != '\0' && length + 1 < size; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            text[length++] = c;
    }
    text[length] = '\0';
}

static int same_plain(const char *left, const char *right)
{
    char a[128];
    char b[128];

    plain(left, a, sizeof(a));
    plain(right, b, sizeof(b));
    return strcmp(a, b) == 0;
}

/* The maximum number of lines read of the file `aliases`. */
#define ALIASES_MAX 65536

/* Looks up a name in the file `aliases`, which has lines SPELLING = SUITE. */
static int alias_of(const char *folder, const char *given, char *name, size_t size)
{
    char path[3 * PATH_MAX];
    char spelling[128];
    char suite[128];
    char line[256];
    char why[TOOL_WHY_MAX];
    int found = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/aliases", folder);
    file = tool_open_read(path, why);
    if (file == NULL)
        return 0;
    for (int i = 0; i < ALIASES_MAX && !found && fgets(line, sizeof(line), file) != NULL; i++)
        if (line[0] != '#' && sscanf(line, " %127[^= \t\n] = %127s", spelling, suite) == 2 &&
            same_plain(spelling, given)) {
            snprintf(name, size, "%s", suite);
            found = 1;
        }
    fclose(file);
    return found;
}

/* Returns the length of the longest common substring. */
static size_t likeness(const char *left, const char *right)
{
    size_t best = 0;

    for (size_t i = 0; left[i] != '\0'; i++)
        for (size_t j = 0; right[j] != '\0'; j++) {
            size_t length = 0;

            while (left[i + length] != '\0' && left[i + length] == right[j + length])
                length++;
            best = length > best ? length : best;
        }
    return best;
}

static int unknown_suite(struct tool *tool, const char *folder, const char *given, char **names)
{
    char near[512] = "";
    char one[128];
    char other[128];
    size_t best = 3; /* shorter matches are coincidence */
    size_t length = 0;

    plain(given, one, sizeof(one));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; names[i] != NULL; i++) {
            size_t like;

            plain(names[i], other, sizeof(other));
            like = likeness(one, other);
            if (pass == 0 && like > best)
                best = like;
            else if (pass == 1 && like == best && length < sizeof(near))
                length += (size_t)snprintf(near + length, sizeof(near) - length, "%s%s",
                                           length > 0 ? ", " : "", names[i]);
        }
    if (names[0] == NULL)
        return tool_fail(tool, TOOL_USAGE, "%s: no suites in %s (--suites FOLDER)", given, folder);
    return tool_fail(
        tool, TOOL_USAGE,
        "%s: unknown suite%s%s; `anydnn bench --list` lists all; a file is given by its path",
        given, length > 0 ? "; similar names: " : "", near);
}

int suite_locate(struct tool *tool, const struct suite_options *options, const char *given,
                 char *name, size_t size)
{
    char path[2 * PATH_MAX];
    const char *folder = suite_folder(options, path, sizeof(path));
    char **names = suite_names(options);
    int code = TOOL_FINE;
    int found = -1;

    for (int i = 0; names[i] != NULL; i++)
        if (found < 0 && same_plain(names[i], given))
            found = i;
    for (int i = 0; names[i] != NULL; i++) /* exact matches take precedence */
        if (strcmp(names[i], given) == 0)
            found = i;
    if (found >= 0)
        snprintf(name, size, "%s", names[found]);
    else if (!alias_of(folder, given, name, size))
        code = unknown_suite(tool, folder, given, names);
    suite_free_names(names);
    return code;
}
