/* SPDX-License-Identifier: Apache-2.0 */
/* The process's own allocator, which can make one allocation fail. */
#ifndef TESTS_SHORTAGE_ALLOCATOR_H
#define TESTS_SHORTAGE_ALLOCATOR_H

/* The data about the allocation that failed; zero before. */
struct refusal {
    int happened;
    int theirs;         /* 1 if the caller is neither the library nor a backend */
    int loader;         /* 1 if the caller is the dynamic loader, on behalf of the file below */
    char object[200];   /* the file of the caller */
    char function[200]; /* the nearest exported name, or "" */
};

/* Makes the allocation of that number fail once, counted from 1; 0: none. If `all` is set,
 * allocations of other libraries count, too. */
void allocator_arm(long number, int all, struct refusal *refusal);
/* Stops failing; returns the number of allocations since allocator_arm. */
long allocator_disarm(void);
/* Returns the number of blocks that are allocated and not freed. */
long allocator_live(void);

#endif
