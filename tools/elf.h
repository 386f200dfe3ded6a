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
    void (*version)(void *cookie, const char *node);  /* the version of an import */
    void (*exported)(void *cookie, const char *name); /* a symbol that other files may use */
};

struct elf_facts {
    int dynamic; /* a dynamic linker runs it, or opens it */
    int foreign; /* for another machine than this program is */
};

/* Calls the visitor for each symbol that the dynamic linker sees (of an object file: that the
 * linker will) and each library needed. Returns -1 with errno set if the file cannot be read; errno
 * is ENOEXEC if the file is not ELF, is damaged, or has a foreign word size or byte order. */
int elf_visit(const char *file, const struct elf_visitor *visitor, struct elf_facts *facts);

/* Does the same, and reports a failure; `what` begins its sentence: "--scan=FILE". */
int elf_read(struct tool *tool, const char *what, const char *file,
             const struct elf_visitor *visitor, struct elf_facts *facts);

#endif
