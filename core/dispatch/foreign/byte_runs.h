/* SPDX-License-Identifier: Apache-2.0 */
/* The described elements of a tensor as contiguous runs of bytes, so that a copy touches nothing
 * else. */
#ifndef ADN_DISPATCH_FOREIGN_BYTE_RUNS_H
#define ADN_DISPATCH_FOREIGN_BYTE_RUNS_H

#include <stdint.h>

#include <anydnn/plugin.h>

struct adn_runs {
    uint64_t span;  /* bytes of all described elements with their gaps */
    uint64_t bytes; /* bytes of one run */
    int32_t loops;  /* loops around the runs, innermost first; 0: the whole span is one run */
    int64_t count[ANYDNN_PLUGIN_DIM_MAX];
    uint64_t step[ANYDNN_PLUGIN_DIM_MAX]; /* bytes */
};

/* Computes the runs of a tensor with positive strides. Returns -1 if its span overflows. */
int adn_runs_of(const struct anydnn_plugin_tensor *tensor, struct adn_runs *runs);

/* Calls `move` for each run with its offset in bytes from the first element. Stops at the first
 * nonzero result and returns it. */
typedef int32_t (*adn_runs_fn)(void *cookie, uint64_t offset, uint64_t bytes);
int32_t adn_runs_each(const struct adn_runs *runs, adn_runs_fn move, void *cookie);

/* Copies the described elements between two host buffers that have the same layout. */
void adn_runs_copy(const struct adn_runs *runs, void *to, const void *from);

#endif
