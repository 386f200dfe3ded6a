/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic symbols that a shared object defines. */
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <string.h>

#include "tools/elf.h"

struct exports {
    char *extra;
    size_t size, length;
};

/* Returns 1 for symbols that a linker or a sanitizer adds. */
static int is_tolerated(const char *name)
{
    static const char *const exact[] = {"anydnn_plugin_abi",
                                        "anydnn_plugin_main",
                                        "_init",
                                        "_fini",
                                        "__bss_start",
                                        "_edata",
                                        "_end"};

    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        if (strcmp(name, exact[i]) == 0)
            return 1;
    return strncmp(name, "__asan_", 7) == 0 || strncmp(name, "__odr_asan", 10) == 0 ||
           strncmp(name, "__gcov", 6) == 0 || strncmp(name, "__ubsan", 7) == 0;
}

static void list_extra(void *cookie, const char *name)
{
    struct exports *exports = cookie;
    size_t left = exports->size - exports->length;

    /* A blank, 60 characters and a zero. */
    if (is_tolerated(name) || left < 62)
        return;
    exports->length += (size_t)snprintf(exports->extra + exports->length, left, "%s%.60s",
                                        exports->length > 0 ? " " : "", name);
}

int verify_exports(const char *path, char *extra, size_t size)
{
    struct exports exports = {extra, size, 0};
    const struct elf_visitor visitor = {.exported = list_extra, .cookie = &exports};
    struct elf_facts facts;

    extra[0] = '\0';
    if (elf_visit(path, &visitor, &facts) != 0 || facts.foreign || !facts.dynamic) {
        snprintf(extra, size, "cannot read the dynamic symbol table of %.400s", path);
        return -1;
    }
    return 0;
}
