/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory between two pages that fault, and what an access to one of them means. */
#ifndef TOOLS_PROBLEM_EDGES_H
#define TOOLS_PROBLEM_EDGES_H

#include <stddef.h>

/* Returns a number of bytes, rounded up to whole pages. */
size_t edges_round(size_t bytes);
/* Maps `total` bytes, which are whole pages, between two pages that fault. `role` names the operand
 * of `bytes` bytes at `at` there, and must live as long. Returns NULL if memory runs out. */
unsigned char *edges_map(size_t total, const char *role, size_t at, size_t bytes);
/* Accepts NULL. */
void edges_unmap(unsigned char *memory, size_t total);

/* Calls `report`, from now on, in a thread that accesses such a page, for example with "it reads 4
 * bytes behind operand w". It runs in a signal handler. The process dies of the signal after it. */
void edges_watch(void (*report)(const char *sentence));

#endif
