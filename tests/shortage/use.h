/* SPDX-License-Identifier: Apache-2.0 */
/* A program's calls, and what became of them. */
#ifndef TESTS_SHORTAGE_USE_H
#define TESTS_SHORTAGE_USE_H

struct use {
    const char *backend;
    int refused;        /* calls that failed */
    int wrong;          /* by another status than ALLOC_FAILED, or without a sentence */
    char sentence[500]; /* of the last that was wrong */
};

void use_library(struct use *use);

#endif
