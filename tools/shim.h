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

/* Returns the folder of libcudnn.so.7 or libcudnn.so.9, which lies beside the library that this
 * program uses, or NULL if it is not installed. The caller frees it. */
char *shim_folder(int version);
/* Fails because the library is not installed. */
int shim_missing(struct tool *tool, int version);

/* How a file gets libcudnn.so.9. */
struct shim_nine {
    char *rpath, *runpath; /* of the file, or NULL */
    int linked;            /* 1 if it needs the library */
    int by_name, by_path;  /* 1 if it contains the library's name, or a path of it */
};

/* Returns 1 if the file contains names of cuDNN 9's library, and notes them. */
int shim_nine_strings(struct shim_nine *nine, const char *file);
/* Fills in the answer for a file of cuDNN 9 that imports the functions of `names`. Returns the
 * number of functions that the real library does not run. */
size_t shim_nine_answer(const struct shim_nine *nine, const char *file, const char *const *names,
                        json_t *answer);
void shim_nine_print(const char *file, const json_t *answer);

#endif
