/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the backends' settings as text, for the process that checks the backend. In that process
 * the library must not open the backend too: its file is loaded only once, and keeps the last host
 * that it got. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "tools/verify/verify.h"

/* Returns 1 if root reads the value from another user's file. It is then used only for a key of
 * kind CHOICE. */
static int is_withheld(int index)
{
    char *withheld = tool_ask(anydnnGetSettingInfo, index, "withheld");
    char *origin = tool_ask(anydnnGetSettingInfo, index, "origin");
    int is_it = withheld == NULL || origin == NULL ||
                (withheld[0] != '\0' && strncmp(withheld, origin, strlen(origin)) == 0);

    free(withheld);
    free(origin);
    return is_it;
}

/* Returns "NAME.KEY=VALUE" for `set.KEY` of a section [plugin NAME], with the prefix `?` if it is
 * used only for a key of kind CHOICE. Returns NULL for other settings. */
static char *read_one(int index)
{
    char *section = tool_ask(anydnnGetSettingInfo, index, "section");
    char *key = tool_ask(anydnnGetSettingInfo, index, "key");
    char *value = tool_ask(anydnnGetSettingInfo, index, "value");
    char *line = NULL;

    if (section != NULL && key != NULL && value != NULL && strncmp(section, "plugin ", 7) == 0 &&
        strncmp(key, "set.", 4) == 0) {
        size_t size = strlen(section) + strlen(key) + strlen(value) + 4;

        line = tool_alloc(size);
        snprintf(line, size, "%s%s.%s=%s", is_withheld(index) ? "?" : "", section + 7, key + 4,
                 value);
    }
    free(section);
    free(key);
    free(value);
    return line;
}

char **verify_settings_read(void)
{
    int count = 0;
    int taken = 0;
    char **lines;

    if (anydnnGetSettingCount(&count) != ANYDNN_STATUS_SUCCESS)
        count = 0;
    lines = tool_alloc(((size_t)count + 1) * sizeof(*lines));
    for (int i = 0; i < count; i++) {
        char *line = read_one(i);

        if (line != NULL)
            lines[taken++] = line;
    }
    lines[taken] = NULL;
    return lines;
}

void verify_settings_free(char **lines)
{
    for (char **line = lines; line != NULL && *line != NULL; line++)
        free(*line);
    free(lines);
}

const char *verify_setting(void *lines, const char *backend, const char *key, uint32_t kind)
{
    size_t name = strlen(backend);
    size_t length = strlen(key);

    for (char **line = lines; *line != NULL; line++) {
        int is_withheld = (*line)[0] == '?';
        const char *text = *line + is_withheld;

        if ((!is_withheld || kind == ANYDNN_PLUGIN_SETTING_CHOICE) &&
            strncmp(text, backend, name) == 0 && text[name] == '.' &&
            strncmp(text + name + 1, key, length) == 0 && text[name + 1 + length] == '=')
            return text + name + length + 2;
    }
    return NULL;
}
