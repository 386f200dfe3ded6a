/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the search for libraries: the folders in which the dynamic linker and programs look for
 * cuDNN. The tools use these functions, too. */
#ifndef CUDNN9_SEARCH_H
#define CUDNN9_SEARCH_H

#include <stddef.h>

/* The kinds of place, in the order in which they are searched. */
enum cudnn9_place {
    CUDNN9_PLACE_LOADED,       /* a file that is in the process already */
    CUDNN9_PLACE_RPATH,        /* a run path that precedes LD_LIBRARY_PATH */
    CUDNN9_PLACE_LIBRARY_PATH, /* LD_LIBRARY_PATH */
    CUDNN9_PLACE_RUNPATH,      /* a run path that follows it */
    CUDNN9_PLACE_SYSTEM,       /* the cache and the folders of the dynamic linker */
    CUDNN9_PLACE_PACKAGES,     /* Python's packages */
    CUDNN9_PLACE_TOOLKIT,      /* the CUDA toolkit */
    CUDNN9_PLACE_NAMED         /* a path that the caller names */
};

/* Gets a file that may be the library. Returns 1 to end the search. */
typedef int (*cudnn9_visit)(void *cookie, const char *path, enum cudnn9_place place);

/* Calls `visit` for each existing libcudnn.so.9 that this process could load. Files may come
 * twice. */
int cudnn9_each_file(cudnn9_visit visit, void *cookie);

/* Gets the name and the path of a library in the dynamic linker's cache. */
typedef void (*cudnn9_cached)(void *cookie, const char *name, const char *path);
void cudnn9_each_cached(cudnn9_cached visit, void *cookie);

/* The parts of the search that need no process with cuDNN's users in it. Each returns 1 if the
 * search ended. */
int cudnn9_each_in_library_path(cudnn9_visit visit, void *cookie);
int cudnn9_each_in_system(cudnn9_visit visit, void *cookie);
int cudnn9_each_in_packages(const char *site, cudnn9_visit visit, void *cookie);
int cudnn9_each_in_toolkit(cudnn9_visit visit, void *cookie);

/* Visits the folders of an object's run path, which may be NULL. */
int cudnn9_each_in_run_path(const char *object, const char *run_path, enum cudnn9_place place,
                            cudnn9_visit visit, void *cookie);
/* Visits cuDNN's package beside the Python package that the file belongs to. */
int cudnn9_each_beside(const char *path, cudnn9_visit visit, void *cookie);

/* Returns a name for messages, such as "LD_LIBRARY_PATH". */
const char *cudnn9_place_name(enum cudnn9_place place);

#endif
