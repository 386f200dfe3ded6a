/* SPDX-License-Identifier: Apache-2.0 */
/* The process's own allocator, in which one allocation can be made to fail. */
#ifndef TESTS_SHORTAGE_ALLOCATOR_H
#define TESTS_SHORTAGE_ALLOCATOR_H

/* What is known of the allocation that failed; zero before it. */
struct refusal {
    int happened;
    int theirs;         /* the code that asked is neither the library's nor a backend's */
    int loader;         /* it is the dynamic loader, for the file named below */
    char object[200];   /* the file that it lies in */
    char function[200]; /* the nearest exported name, or "" */
};

/* From here on the allocation of that number fails, once, counted from 1; 0: none. With `all` those
 * count, too, that other libraries ask for. */
void allocator_arm(long number, int all, struct refusal *refusal);
/* Stops failing; returns how many allocations there were since allocator_arm. */
long allocator_disarm(void);
/* Blocks taken and not freed. */
long allocator_live(void);

#endif
