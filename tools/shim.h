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
const struct shim_name *shim_find(const char *name);
/* A small problem of the operation that the function runs, or NULL for one that runs none. */
const char *shim_problem(const char *name);

/* The folder of libcudnn.so.7, beside the library that this program uses; fails where it is not
 * installed. To be freed. */
int shim_folder(struct tool *tool, char **folder);

#endif
