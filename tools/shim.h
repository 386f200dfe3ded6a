/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn's libcudnn.so.7: where it is installed, and which parts of cuDNN 7 it provides. */
#ifndef TOOLS_SHIM_H
#define TOOLS_SHIM_H

#include "common.h"

struct shim_name {
    const char *name;
    int runs; /* 0: returns NOT_SUPPORTED */
};

/* Returns NULL for a name that cuDNN 7.6.5 does not export. */
const struct shim_name *shim_lookup(const char *name);
/* Returns a small problem of the operation that the function runs, or NULL if it runs none. */
const char *shim_problem(const char *name);

/* The prefix of symbols behind anydnn's porting header: anydnnCudnn7Create for cudnnCreate. */
#define SHIM_PORTED "anydnnCudnn7"

/* Returns 1 if the porting header binds a cuDNN 7 function to the symbol. */
int shim_is_ported(const char *symbol);

/* The facts in a file about the cuDNN that it was built for. */
struct shim_built {
    int library;     /* version of the cuDNN library that it was linked to, or 0 */
    int needed;      /* 1 if the file itself names that library */
    int first, last; /* the versions that have all functions it imports */
    int ported, own; /* number of imports through the porting header, and from anydnn.h */
    char because[200];
};

void shim_built_start(struct shim_built *built);
void shim_built_needed(struct shim_built *built, const char *library);
void shim_built_version(struct shim_built *built, const char *node);
void shim_built_import(struct shim_built *built, const char *name);
/* Writes the rest of the sentence "built ...", or nothing if the file does not show it. */
void shim_built_for(const struct shim_built *built, char *text, size_t size);

/* Stores the folder of libcudnn.so.7, which lies beside the library that this program uses. Fails
 * if it is not installed. The caller frees it. */
int shim_folder(struct tool *tool, char **folder);

#endif
