/* SPDX-License-Identifier: Apache-2.0 */
/* Defines a kernel that holds multiprocessors. Each of its blocks takes all shared memory of one,
 * and stays until the host releases it. */
#ifndef GPU_HOLD_H
#define GPU_HOLD_H

/* Limits in seconds. The kernel ends by itself after HOLD_SECONDS. Work that takes longer than
 * HOLD_IS_WAITING beside it is considered to wait for held multiprocessors. */
#define HOLD_SECONDS    20
#define HOLD_IS_WAITING 8

struct hold;

int hold_multiprocessors(void);
/* Makes a kernel of `count` blocks, which hold_start starts. Making it waits for the device. If
 * `meets` is 1, each block waits for all others instead of the host, which no kernel of the library
 * may do. */
struct hold *hold_make(int count, int meets);
void hold_start(struct hold *hold);
/* Makes and starts a kernel. Returns when all `count` blocks run, and ends the case if they do
 * not. */
struct hold *hold_begin(int count);
/* Returns 1 if all blocks still run. */
int hold_lasts(const struct hold *hold);
/* Returns 1 if all blocks end within the given seconds. */
int hold_ended_in(const struct hold *hold, double seconds);
void hold_end(struct hold *hold);

#endif
