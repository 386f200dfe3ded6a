/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn info: lists the library, the backends with the stage that each reached, and the devices;
 * or the contents of a tuning file. */
#include "info.h"
#include "tuning_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct info {
    int operations;
    const char *tuning; /* a file to list instead, or NULL */
    int argc;           /* number of backends to show; 0: all */
    char **argv;
};

static const struct tool_option options[] = {
    {"operations", NULL, "also show the types, layouts and math modes of each operation",
     TOOL_KEEP_FLAG(info, operations)},
    {"tuning", "FILE", "list only the records of a tuning file",
     TOOL_KEEP(info, tuning, TOOL_TEXT)},
    TOOL_OPTIONS_END,
};

/* ---- the answer */

static int wanted(const struct info *info, const char *name)
{
    for (int i = 0; i < info->argc; i++)
        if (strcmp(info->argv[i], name) == 0)
            return 1;
    return info->argc == 0;
}

static int has_backend(const json_t *backends, const char *name)
{
    for (size_t i = 0; i < json_array_size(backends); i++)
        if (strcmp(tool_text_of(json_array_get(backends, i), "name"), name) == 0)
            return 1;
    return 0;
}

static int add_backends(struct tool *tool, const struct info *info, json_t *backends)
{
    int count = 0;

    if (anydnnGetBackendCount(&count) != ANYDNN_STATUS_SUCCESS)
        return tool_fail_status(tool, TOOL_FAILED);
    for (int i = 0; i < count; i++) {
        char *name = tool_ask(anydnnGetBackendInfo, i, "name");

        if (name != NULL && wanted(info, name))
            json_array_append_new(backends, tool_info_backend(i, info->operations));
        free(name);
    }
    for (int i = 0; i < info->argc; i++)
        if (!has_backend(backends, info->argv[i]))
            return tool_fail(
                tool, TOOL_FAILED,
                "backend `%s` is not installed; `anydnn info` lists the installed ones",
                info->argv[i]);
    return TOOL_FINE;
}

static void add_devices(json_t *devices)
{
    static const char *const keys[] = {"name", "space", "description"};
    int count = 0;

    anydnnGetDeviceCount(&count);
    for (int i = 0; i < count; i++) {
        json_t *object = json_object();

        for (size_t key = 0; key < sizeof(keys) / sizeof(keys[0]); key++)
            json_object_set_new(object, keys[key],
                                tool_json_take(tool_ask(anydnnGetDeviceInfo, i, keys[key])));
        json_array_append_new(devices, object);
    }
}

/* Adds the device of a default handle. This also shows if a handle can be created at all. */
static int add_handle(struct tool *tool, json_t *answer)
{
    anydnnHandle_t handle = NULL;
    char device[64] = "";
    int code = tool_handle(tool, &handle);

    if (code != TOOL_FINE)
        return code;
    if (anydnnGetDevice(handle, device, sizeof(device)) == ANYDNN_STATUS_SUCCESS)
        json_object_set_new(answer, "device", tool_json_text(device));
    anydnnDestroy(handle);
    return TOOL_FINE;
}

static void add_version(json_t *answer)
{
    size_t number = anydnnGetVersion();
    char version[64];

    snprintf(version, sizeof(version), "%zu.%zu.%zu", number / 10000, number / 100 % 100,
             number % 100);
    json_object_set_new(answer, "version", json_string(version));
    json_object_set_new(answer, "api_level", json_integer(anydnnGetApiLevel()));
}

static int collect(struct tool *tool, const struct info *info, json_t *answer)
{
    json_t *backends = json_array();
    json_t *devices = json_array();
    int code;
    int handle;

    add_version(answer);
    json_object_set_new(answer, "backends", backends);
    json_object_set_new(answer, "devices", devices);
    code = add_backends(tool, info, backends);
    if (code != TOOL_FINE)
        return code;
    add_devices(devices);
    handle = add_handle(tool, answer);
    if (!tool->json)
        tool_info_print(answer);
    return handle;
}

/* ---- backends that end the process */

/* Describes a backend from a child process. Returns NULL, with the child's status, if the child
 * ended before the answer. */
static json_t *backend_in_child(const struct info *info, int index, int *status)
{
    json_t *object = NULL;
    json_error_t error;
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0)
        return NULL;
    pid = fork();
    if (pid == 0) {
        /* The first attempt has printed the warnings. */
        int null = open("/dev/null", O_WRONLY);

        dup2(null, STDERR_FILENO);
        dup2(null, STDOUT_FILENO);
        /* This key opens this backend first, and no other. */
        free(tool_ask(anydnnGetBackendInfo, index, "version"));
        object = tool_info_backend(index, info->operations);
        _exit(json_dumpfd(object, ends[1], JSON_COMPACT));
    }
    close(ends[1]);
    if (pid > 0) {
        object = json_loadfd(ends[0], 0, &error);
        waitpid(pid, status, 0);
    }
    close(ends[0]);
    return object;
}

static json_t *crashed(int index, int status)
{
    json_t *object = json_object();
    char reason[200];

    if (WIFSIGNALED(status))
        snprintf(reason, sizeof(reason), "it ends the process that opens it: signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(reason, sizeof(reason), "it ends the process that opens it, with exit status %d",
                 WEXITSTATUS(status));
    json_object_set_new(object, "name",
                        tool_json_take(tool_ask(anydnnGetBackendInfo, index, "name")));
    json_object_set_new(object, "stage", json_string("crashed"));
    json_object_set_new(object, "path",
                        tool_json_take(tool_ask(anydnnGetBackendInfo, index, "path")));
    json_object_set_new(object, "reason", json_string(reason));
    return object;
}

/* Lists the backends, each from its own process, after one of them ended the process. */
static int collect_apart(struct tool *tool, const struct info *info, json_t *answer)
{
    json_t *backends = json_array();
    char *guilty = NULL;
    char *name;
    int code;

    add_version(answer);
    json_object_set_new(answer, "backends", backends);
    /* anydnnGetBackendCount opens backends; this key does not. */
    for (int i = 0; (name = tool_ask(anydnnGetBackendInfo, i, "name")) != NULL; i++) {
        int status = 0;
        json_t *object = backend_in_child(info, i, &status);

        if (object == NULL)
            object = crashed(i, status);
        if (guilty == NULL && strcmp(tool_text_of(object, "stage"), "crashed") == 0)
            guilty = strdup(name);
        if (wanted(info, name))
            json_array_append(backends, object);
        json_decref(object);
        free(name);
    }
    if (!tool->json)
        tool_info_print(answer);
    code = guilty != NULL
               ? tool_fail(tool, TOOL_FAILED,
                           "backend `%s` ends every process that opens it; remove it, or "
                           "set `enable = no` in [plugin %s]",
                           guilty, guilty)
               : tool_fail(tool, TOOL_FAILED,
                           "the process ended while it listed the backends together; "
                           "each of them can be opened alone");
    free(guilty);
    return code;
}

/* Runs the rest of the command in a child. Returns 1 in the child, which writes a byte to *fd when
 * it is done. Returns 0 in the parent, with the child's exit code, or -1 if it ended before. */
static int watch(int *fd, int *code)
{
    int ends[2];
    int status = 0;
    char byte;
    pid_t pid;

    *fd = -1;
    if (pipe(ends) != 0)
        return 1;
    pid = fork();
    if (pid == 0)
        close(ends[0]);
    if (pid == 0)
        *fd = ends[1];
    if (pid <= 0)
        return 1;
    close(ends[1]);
    *code = read(ends[0], &byte, 1) == 1 ? 0 : -1;
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (*code == 0)
        *code = WIFEXITED(status) ? WEXITSTATUS(status) : TOOL_FAILED;
    return 0;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct info info = {0, NULL, 0, NULL};
    json_t *answer;
    int first, fd = -1, apart = 0;
    int code = tool_options(tool, &tool_info, &info, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    info.argc = argc - first;
    info.argv = argv + first;
    if (info.tuning == NULL && !watch(&fd, &code)) {
        if (code >= 0)
            return code;
        apart = 1;
    }
    answer = json_object();
    if (apart)
        code = collect_apart(tool, &info, answer);
    else
        code = info.tuning != NULL ? tool_tuning_list(tool, info.tuning, answer)
                                   : collect(tool, &info, answer);
    if (fd >= 0 && write(fd, "", 1) != 1)
        code = TOOL_FAILED;
    if (code != TOOL_FINE)
        json_object_set_new(answer, "error", tool_json_text(tool->sentence));
    if (!tool->json)
        json_decref(answer);
    else if (tool_print_json(tool, answer) != TOOL_FINE)
        return TOOL_FAILED;
    return code;
}

const struct tool_command tool_info = {
    "info", "[BACKEND...]", "Shows the library, the backends with their state, and the devices.",
    options, run};
