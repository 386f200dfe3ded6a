/* SPDX-License-Identifier: Apache-2.0 */
/* Passes orders to the child as arguments NAME=VALUE in any order. The backends' settings follow
 * `--`. */
#include "tools/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS "--"

static const struct {
    const char *name;
    size_t at; /* offset in struct verify_orders */
    int is_text;
} members[] = {
#define NUMBER(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct verify_orders, name), 0                                             \
    }
#define TEXT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(struct verify_orders, name), 1                                             \
    }
    NUMBER(fd),    NUMBER(from),    NUMBER(shard), NUMBER(shards), NUMBER(ready), NUMBER(gate),
    NUMBER(seed),  NUMBER(quick),   NUMBER(fuzz),  TEXT(name),     TEXT(path),    TEXT(oracle),
    TEXT(vectors), TEXT(operation), TEXT(type),    TEXT(problem),  TEXT(erratum), TEXT(suite),
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

static unsigned long long *number_of(const struct verify_orders *orders, size_t member)
{
    return (unsigned long long *)((uintptr_t)orders + members[member].at);
}

static const char **text_of(const struct verify_orders *orders, size_t member)
{
    return (const char **)((uintptr_t)orders + members[member].at);
}

/* Returns the text of a member, or NULL if the member is NULL. */
static char *write_member(const struct verify_orders *orders, size_t member)
{
    const char *name = members[member].name;
    const char *text = members[member].is_text ? *text_of(orders, member) : "";
    size_t size = strlen(name) + 32;
    char *argument;

    if (text == NULL)
        return NULL;
    size += strlen(text);
    argument = tool_alloc(size);
    if (members[member].is_text)
        snprintf(argument, size, "%s=%s", name, text);
    else
        snprintf(argument, size, "%s=%llu", name, *number_of(orders, member));
    return argument;
}

char **verify_orders_write(const struct verify_orders *orders)
{
    size_t settings = 0, count = 0;
    char **arguments;

    while (orders->settings[settings] != NULL)
        settings++;
    arguments = tool_alloc((MEMBERS + settings + 5) * sizeof(*arguments));
    arguments[count++] = strdup("anydnn");
    arguments[count++] = strdup("verify");
    arguments[count++] = strdup(VERIFY_CHILD);
    for (size_t i = 0; i < MEMBERS; i++) {
        arguments[count] = write_member(orders, i);
        count += arguments[count] != NULL;
    }
    arguments[count++] = strdup(SETTINGS);
    for (size_t i = 0; i < settings; i++)
        arguments[count++] = strdup(orders->settings[i]);
    arguments[count] = NULL;
    return arguments;
}

static int read_member(struct verify_orders *orders, const char *argument)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        size_t length = strlen(members[i].name);

        if (strncmp(argument, members[i].name, length) != 0 || argument[length] != '=')
            continue;
        if (members[i].is_text)
            *text_of(orders, i) = argument + length + 1;
        else
            *number_of(orders, i) = strtoull(argument + length + 1, NULL, 10);
        return 0;
    }
    return -1;
}

int verify_orders_read(char **arguments, struct verify_orders *orders)
{
    memset(orders, 0, sizeof(*orders));
    for (; *arguments != NULL && strcmp(*arguments, SETTINGS) != 0; arguments++)
        if (read_member(orders, *arguments) != 0)
            return -1;
    if (*arguments == NULL || orders->name == NULL || orders->path == NULL || orders->shards == 0)
        return -1;
    orders->settings = arguments + 1;
    return 0;
}
