/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of anydnn doctor. Each part of the answer is a JSON object, from which the text is
 * printed, too. */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include "tools/common.h"

/* Returns the installations of cuDNN 9: a list of objects with "file" and "found". `roots` are
 * further folders, environments of Python or files. */
json_t *doctor_installed(char **roots, int count);

/* Calls functions of the library in a child process, where it loads its parts. Adds "version",
 * "cuda", "newest_capability", "parts" and "checks" to the installation, or "failure". */
void doctor_probe(json_t *installation);

/* Adds the Python package that the installation belongs to, as "packages". */
void doctor_packages_of(json_t *installation);
/* Returns the libraries of CUDA that the dynamic linker finds: a list of objects with "name" and
 * "file". */
json_t *doctor_libraries(void);

/* Returns the driver: "cuda", the newest version that it supports, and "devices", or "failure". */
json_t *doctor_driver(void);

/* Adds a sentence to the list "problems" of the object. */
void doctor_problem(json_t *object, const char *format, ...) __attribute__((format(printf, 2, 3)));

void doctor_print(const json_t *answer);

#endif
