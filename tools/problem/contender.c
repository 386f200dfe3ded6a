/* SPDX-License-Identifier: Apache-2.0 */
/* Creates handles that use one backend, or the fastest of several, in one math mode. */
#include "tools/problem/contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUCCESS ANYDNN_STATUS_SUCCESS

static const char *const maths[] = {"default", "tensor_op", "allow_conversion", "split"};

static int is_math(const char *name)
{
    for (size_t i = 0; i < sizeof(maths) / sizeof(maths[0]); i++)
        if (strcmp(maths[i], name) == 0)
            return 1;
    return 0;
}

/* Returns 1 if each part of a list with `+` between, of `length` characters, has a name. */
static int has_names(const char *list, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (list[i] == '+' && (i == 0 || i + 1 == length || list[i + 1] == '+'))
            return 0;
    return length > 0;
}

static int read_name(struct tool *tool, const char *given, struct contender *contender)
{
    size_t length = strcspn(given, ":");
    const char *math = given[length] == ':' ? given + length + 1 : "default";

    if (!has_names(given, length) || length >= sizeof(contender->backend))
        return tool_fail(
            tool, TOOL_USAGE,
            "`%s` is not a BACKEND:MATH, such as cpu_ref:default; `anydnn info` lists the backends",
            given);
    if (strcmp(math, "fma") == 0)
        math = "default";
    if (!is_math(math))
        return tool_fail(
            tool, TOOL_USAGE,
            "%s: unknown math mode `%s`; available: default, tensor_op, allow_conversion, split",
            given, math);
    snprintf(contender->backend, sizeof(contender->backend), "%.*s", (int)length, given);
    snprintf(contender->math, sizeof(contender->math), "%s", math);
    snprintf(contender->name, sizeof(contender->name), "%s:%s", contender->backend, math);
    return TOOL_FINE;
}

/* Selects the device: --device if it belongs to the backend's memory space. */
static void choose_device(const struct tool *tool, const char *space, struct contender *contender)
{
    const char *own = strcmp(space, "host") == 0 ? "cpu" : space;
    size_t length = tool->device != NULL ? strcspn(tool->device, ":") : 0;
    int asked = length == strlen(own) && strncmp(tool->device, own, length) == 0;

    snprintf(contender->device, sizeof(contender->device), "%s", asked ? tool->device : own);
}

int contender_chooses(const struct contender *contender)
{
    return strchr(contender->backend, '+') != NULL;
}

const char *contender_backend(const char *list, char *name, size_t size)
{
    size_t length = strcspn(list, "+");

    snprintf(name, size, "%.*s", (int)length, list);
    return list[length] == '+' ? list + length + 1 : NULL;
}

/* Stores the memory space of a backend. */
static int look_at_backend(struct tool *tool, const char *given, const char *name, char *space,
                           size_t size)
{
    int index = tool_backend_index(name);
    char *reason;
    char *own;
    int code = TOOL_FINE;

    if (index < 0)
        return tool_fail(tool, TOOL_USAGE,
                         "%s: this backend is not installed; `anydnn info` lists the backends",
                         given);
    own = tool_ask(anydnnGetBackendInfo, index, "space");
    reason = tool_ask(anydnnGetBackendInfo, index, "reason");
    if (reason != NULL && reason[0] != '\0')
        code = tool_fail(tool, TOOL_FAILED, "%s: %s", given, reason);
    else
        snprintf(space, size, "%s", own != NULL ? own : "host");
    free(own);
    free(reason);
    return code;
}

/* Checks all backends and selects the device. Only backends of one memory space can be timed
 * together. */
static int look_at_backends(struct tool *tool, struct contender *contender)
{
    char name[64];
    char first[64] = "";
    char space[64];

    for (const char *list = contender->backend; list != NULL;) {
        int code;

        list = contender_backend(list, name, sizeof(name));
        code = look_at_backend(tool, contender_chooses(contender) ? name : contender->name, name,
                               space, sizeof(space));
        if (code != TOOL_FINE)
            return code;
        if (first[0] != '\0' && strcmp(first, space) != 0)
            return tool_fail(tool, TOOL_USAGE,
                             "%s: `%s` has the memory space %s, but the first backend has %s; the "
                             "fastest can only be chosen within one space",
                             contender->name, name, space, first);
        snprintf(first, sizeof(first), "%s", space);
    }
    choose_device(tool, first, contender);
    return TOOL_FINE;
}

/* Writes the route "fastest, A, B, fallback:off", or "A, fallback:off". */
static void make_route(const struct contender *contender, char *route, size_t size)
{
    int length = snprintf(route, size, "%s", contender_chooses(contender) ? "fastest, " : "");

    for (const char *from = contender->backend; *from != '\0'; from++)
        length += snprintf(route + length, size - (size_t)length, "%s",
                           *from == '+' ? ", " : (char[]){*from, '\0'});
    snprintf(route + length, size - (size_t)length, ", fallback:off");
}

int contender_open(struct tool *tool, const char *given, int find, struct contender *contender)
{
    char route[400];
    int code;

    memset(contender, 0, sizeof(*contender));
    code = read_name(tool, given, contender);
    if (code == TOOL_FINE)
        code = look_at_backends(tool, contender);
    if (code != TOOL_FINE)
        return code;
    contender->find = find && !contender_chooses(contender);
    make_route(contender, route, sizeof(route));
    if (anydnnCreateOnDevice(&contender->handle, contender->device) != SUCCESS ||
        anydnnGetDevice(contender->handle, contender->device, sizeof(contender->device)) !=
            SUCCESS ||
        anydnnSetRoute(contender->handle, "*", NULL, route) != SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    return TOOL_FINE;
}

int contender_open_routed(const struct contender *like, struct contender *routed)
{
    *routed = *like;
    routed->backend[0] = '\0';
    routed->find = 0;
    routed->handle = NULL;
    return anydnnCreateOnDevice(&routed->handle, like->device) == SUCCESS;
}

void contender_close(struct contender *contender)
{
    if (contender->handle != NULL)
        anydnnDestroy(contender->handle);
    contender->handle = NULL;
}
