/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn's libcudnn.so.7: where it is installed, and what of cuDNN 7 it has. */
#ifndef TOOLS_SHIM_H
#define TOOLS_SHIM_H

#include "common.h"

struct shim_name {
    const char *name;
    int runs; /* 0: answers NOT_SUPPORTED */
};

/* NULL for what cuDNN 7.6.5 does not export. */
const struct shim_name *shim_lookup(const char *name);
/* A small problem of the operation that the function runs, or NULL for one that runs none. */
const char *shim_problem(const char *name);

/* How the symbols behind anydnn's porting header begin: anydnnCudnn7Create for cudnnCreate. */
#define SHIM_PORTED "anydnnCudnn7"

/* Says whether the porting header binds a function of cuDNN 7 to the symbol. */
int shim_is_ported(const char *symbol);

/* What a file says of the cuDNN that it was built for. */
struct shim_built {
    int library;     /* the version of the cuDNN library that it was linked to, or 0 */
    int needed;      /* whether the file names that library itself */
    int first, last; /* the versions that have all functions it imports */
    int ported, own; /* imports behind anydnn's porting header, and of anydnn.h */
    char because[200];
};

void shim_built_start(struct shim_built *built);
void shim_built_needed(struct shim_built *built, const char *library);
void shim_built_version(struct shim_built *built, const char *node);
void shim_built_import(struct shim_built *built, const char *name);
/* Writes the rest of the sentence "built ...", or nothing where the file does not tell. */
void shim_built_for(const struct shim_built *built, char *text, size_t size);

/* The folder of libcudnn.so.7, beside the library that this program uses; fails where it is not
 * installed. To be freed. */
int shim_folder(struct tool *tool, char **folder);

#endif
