/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a program and their results. */
#ifndef TESTS_SHORTAGE_USE_H
#define TESTS_SHORTAGE_USE_H

struct use {
    const char *backend;
    int refused; /* calls that failed */
    /* 1 if a call failed with a status other than ALLOC_FAILED, or without a sentence. */
    int wrong;
    char sentence[500]; /* sentence of the last wrong failure */
};

void use_library(struct use *use);

#endif
