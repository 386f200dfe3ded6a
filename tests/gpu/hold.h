/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that holds multiprocessors: each of its blocks takes all shared memory of one, and stays
 * until the host lets it go. */
#ifndef GPU_HOLD_H
#define GPU_HOLD_H

/* Seconds after which the device lets itself go, and after which work beside it counts as waiting
 * for what is held. */
#define HOLD_SECONDS    20
#define HOLD_IS_WAITING 8

struct hold;

int hold_multiprocessors(void);
/* One of so many blocks that waits for the device while it is made, and is started later. With
 * `meets` each of its blocks waits for all others instead: what no kernel of the library may do. */
struct hold *hold_make(int count, int meets);
void hold_start(struct hold *hold);
/* Makes and starts one. Returns when all `count` blocks are there; ends the case where they do not
 * come. */
struct hold *hold_begin(int count);
/* Whether all of them are still there. */
int hold_lasts(const struct hold *hold);
/* Whether all of them are gone within so many seconds. */
int hold_ended_in(const struct hold *hold, double seconds);
void hold_end(struct hold *hold);

#endif
