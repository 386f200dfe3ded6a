/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the names that an ELF program, library or object file imports and needs. */
#ifndef TOOLS_ELF_H
#define TOOLS_ELF_H

#include "common.h"

/* The callbacks. Each may be NULL. */
struct elf_visitor {
    void (*symbol)(void *cookie, const char *name, int defined);
    void (*needed)(void *cookie, const char *library);
    void *cookie;
    void (*version)(void *cookie, const char *node);  /* the version of an import */
    void (*exported)(void *cookie, const char *name); /* a symbol that other files can import */
    /* the folders in which the file's libraries are searched, before LD_LIBRARY_PATH or after */
    void (*run_path)(void *cookie, const char *folders, int before);
};

struct elf_facts {
    int dynamic; /* 1 if a dynamic linker runs or opens it */
    int foreign; /* 1 if built for another machine type than this program */
};

/* Calls the visitor for each symbol that the dynamic linker sees (in an object file: that it will
 * see) and for each needed library. Returns -1 with errno if the file cannot be read. errno is
 * ENOEXEC if the file is not ELF, is damaged, or has a foreign word size or byte order. */
int elf_visit(const char *file, const struct elf_visitor *visitor, struct elf_facts *facts);

/* Does the same and reports a failure. `what` begins the message, for example "--scan=FILE". */
int elf_read(struct tool *tool, const char *what, const char *file,
             const struct elf_visitor *visitor, struct elf_facts *facts);

#endif
