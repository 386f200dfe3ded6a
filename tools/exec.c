/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn exec: runs a program of cuDNN 7 or 9 with anydnn's libcudnn.so.7 instead of NVIDIA's, or
 * with anydnn's libcudnn.so.9 in front of NVIDIA's. */
#include "shim.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "elf.h"
#include "sys/elf.h"

/* The options. 0: the version that the program shows, or both. */
struct exec {
    const char *word;
    int cudnn;
};

static int set_cudnn(struct tool *tool, void *own, const char *value)
{
    struct exec *exec = own;

    (void)tool;
    exec->cudnn = atoi(value);
    return TOOL_FINE;
}

static int set_route(struct tool *tool, void *own, const char *value)
{
    (void)own;
    if (setenv("ANYDNN_ROUTE", value, 1) != 0)
        return tool_fail(tool, TOOL_FAILED, "--route=%s: %s", value, strerror(errno));
    return TOOL_FINE;
}

static const char *const versions[] = {"7", "9", NULL};

static const struct tool_option options[] = {
    {"cudnn", "VERSION",
     "7 or 9: only this library (default: what the program was linked to, or both)",
     .kind = TOOL_WORD, .offset = offsetof(struct exec, word), .words = versions, .set = set_cudnn},
    {"route", "LIST", "backends to try in order, like ANYDNN_ROUTE=LIST", .set = set_route},
    TOOL_OPTIONS_END,
};

/* Searches for the program as execvp does. Returns 0, or -1 with errno. */
static int locate_program(const char *name, char *path, size_t size)
{
    const char *at = getenv("PATH");

    if (strchr(name, '/') != NULL) {
        snprintf(path, size, "%s", name);
        return access(path, X_OK);
    }
    for (at = at != NULL ? at : "/bin:/usr/bin"; at != NULL; at = strchr(at, ':')) {
        struct stat status;
        size_t length;

        at += *at == ':';
        length = strcspn(at, ":");
        if ((size_t)snprintf(path, size, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "", name) <
                size &&
            access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return 0;
    }
    errno = ENOENT;
    return -1;
}

static int has_elf_head(const char *path)
{
    struct adn_elf elf;
    int answer = 0;

    if (adn_elf_open(path, &elf) == 0) {
        answer = adn_elf_is_elf(&elf);
        adn_elf_close(&elf);
    }
    return answer;
}

/* Returns 1 for a program that runs with more rights than its user. The dynamic linker ignores
 * preloads for it. */
static int is_privileged(const struct stat *status, const char *path)
{
    return (status->st_mode & S_ISUID) != 0 ||
           (status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ||
           getxattr(path, "security.capability", NULL, 0) > 0;
}

static void see_library(void *cookie, const char *library)
{
    shim_built_needed(cookie, library);
}

static void see_version(void *cookie, const char *node)
{
    shim_built_version(cookie, node);
}

/* Checks that the program can run, and finds the version of cuDNN that it was linked to, or 0. */
static int check_program(struct tool *tool, const char *path, int *linked)
{
    struct shim_built built;
    const struct elf_visitor visitor = {NULL, see_library, &built, see_version};
    struct elf_facts facts;
    struct stat status;
    int code;

    if (stat(path, &status) != 0)
        return tool_fail(tool, TOOL_FAILED, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return tool_fail(tool, TOOL_FAILED, "%s: not an executable file", path);
    if (getauxval(AT_SECURE) != 0 || is_privileged(&status, path))
        return tool_fail(
            tool, TOOL_FAILED,
            "%s: a program with more privileges than its user cannot be run with another library",
            path);
    /* The dynamic linker examines the interpreter of a script. */
    if (!has_elf_head(path))
        return TOOL_FINE;
    shim_built_start(&built);
    code = elf_read(tool, path, path, &visitor, &facts);
    if (code != TOOL_FINE)
        return code;
    *linked = built.library;
    if (facts.foreign)
        return tool_fail(tool, TOOL_FAILED,
                         "%s: the program is for another machine than anydnn's library", path);
    if (!facts.dynamic)
        return tool_fail(
            tool, TOOL_FAILED,
            "%s: the program is linked statically, so its libraries cannot be replaced", path);
    return TOOL_FINE;
}

/* Prepends `value` to the variable. */
static int put_before(const char *name, const char *value)
{
    const char *old = getenv(name);
    size_t size = strlen(value) + (old != NULL ? strlen(old) : 0) + 2;
    char *text = tool_alloc(size);
    int result;

    snprintf(text, size, "%s%s%s", value, old != NULL && *old != '\0' ? ":" : "",
             old != NULL ? old : "");
    result = setenv(name, text, 1);
    free(text);
    return result;
}

/* Puts the library's file first in LD_PRELOAD, or its folder first in LD_LIBRARY_PATH. */
static int put_library(struct tool *tool, int version, int preload)
{
    char *folder = shim_folder(version);
    char *file;
    int result;

    if (folder == NULL)
        return shim_missing(tool, version);
    if (strpbrk(folder, " :;") != NULL) {
        result = tool_fail(
            tool, TOOL_FAILED,
            "%s: LD_PRELOAD does not support paths with blanks, colons or semicolons", folder);
        free(folder);
        return result;
    }
    file = tool_alloc(strlen(folder) + sizeof("/libcudnn.so.7"));
    sprintf(file, "%s/libcudnn.so.%d", folder, version);
    result = preload ? put_before("LD_PRELOAD", file) : put_before("LD_LIBRARY_PATH", folder);
    free(file);
    free(folder);
    return result == 0 ? TOOL_FINE : tool_fail(tool, TOOL_FAILED, "%s", strerror(errno));
}

static int is_installed(int version)
{
    char *folder = shim_folder(version);
    int installed = folder != NULL;

    free(folder);
    return installed;
}

/* Puts the libraries first in both variables. A preloaded library precedes one on the program's
 * RPATH and serves every request for its name. Through the library path, libcudnn.so is found too,
 * and Python's module of cuDNN 9 opens the file there. A program that opens cuDNN by name may open
 * either version: their functions have different version nodes, so both can be in a process.
 * Programs that open libcudnn.so are of the time of cuDNN 7, so its folder comes first. */
static int put_libraries(struct tool *tool, int version)
{
    static const int preload[] = {7, 9}, path[] = {9, 7};
    int none = !is_installed(7) && !is_installed(9);
    int code = TOOL_FINE;

    for (size_t i = 0; i < 2 && code == TOOL_FINE; i++)
        if (version == preload[i] || (version == 0 && (none || is_installed(preload[i]))))
            code = put_library(tool, preload[i], 1);
    for (size_t i = 0; i < 2 && code == TOOL_FINE; i++)
        if (version == path[i] || (version == 0 && is_installed(path[i])))
            code = put_library(tool, path[i], 0);
    return code;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct exec exec = {.cudnn = 0};
    char path[PATH_MAX];
    int linked = 0;
    int first;
    int code = tool_options(tool, &tool_exec, &exec, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (first == argc)
        return tool_fail(tool, TOOL_USAGE,
                         "missing PROGRAM; its own options and arguments follow it");
    if (locate_program(argv[first], path, sizeof(path)) != 0)
        return tool_fail(tool, TOOL_FAILED, "%s: cannot be run: %s", argv[first], strerror(errno));
    code = check_program(tool, path, &linked);
    if (code == TOOL_FINE)
        code = put_libraries(tool, exec.cudnn != 0              ? exec.cudnn
                                   : linked == 7 || linked == 9 ? linked
                                                                : 0);
    if (code == TOOL_FINE && tool->device != NULL && setenv("ANYDNN_DEVICE", tool->device, 1) != 0)
        code = tool_fail(tool, TOOL_FAILED, "--device=%s: %s", tool->device, strerror(errno));
    if (code != TOOL_FINE)
        return code;
    fflush(stdout);
    execv(path, argv + first);
    return tool_fail(tool, TOOL_FAILED, "%s: cannot be run: %s", path, strerror(errno));
}

const struct tool_command tool_exec = {"exec",
                                       "PROGRAM [ARGUMENT...]",
                                       "Runs a program of cuDNN 7 or 9 with anydnn's library.",
                                       options,
                                       run,
                                       1};
