/* SPDX-License-Identifier: Apache-2.0 */
/* What an ELF program, library or object file says of what it needs. */
#ifndef TOOLS_ELF_H
#define TOOLS_ELF_H

#include "common.h"

/* Each may be NULL. */
struct elf_visitor {
    void (*symbol)(void *cookie, const char *name, int defined);
    void (*needed)(void *cookie, const char *library);
    void *cookie;
    void (*version)(void *cookie, const char *node); /* the version of an import */
};

struct elf_facts {
    int dynamic; /* a dynamic linker runs it, or opens it */
    int foreign; /* for another machine than this program is */
};

/* Whether this program can read such files at all: it was built with libelf. */
int elf_can_read(void);

/* Calls the visitor for each symbol that the dynamic linker sees (of an object file: that the
 * linker will) and each library needed. `what` begins the sentence of a failure: "--scan=FILE". */
int elf_read(struct tool *tool, const char *what, const char *file,
             const struct elf_visitor *visitor, struct elf_facts *facts);

#endif
