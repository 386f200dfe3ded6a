/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged plans: a backend of another memory space than the handle's runs a call on copies of its
 * operands. Each run of such a plan does the following:
 *
 *   1. It makes the arenas large enough.
 *   2. It copies what the operation reads from the handle's device to the backend's. The copy
 *      passes through the host if neither is the host. Copies from the handle's device are in
 *      stream order, so the host waits there for all earlier work.
 *   3. It runs the backend on its device's default stream, and the host waits for it.
 *   4. It copies the described elements of the outputs back, in the order of the handle's stream.
 *
 * Before step 4, no memory of the application is written. A failure before it leaves the outputs
 * untouched, and the next backend of the route may run. Gaps between elements are never written,
 * and never read on the host. A device's span is read whole. Buffers are aligned to 256 bytes,
 * whatever the alignment of the caller's pointers.
 */
#ifndef ADN_DISPATCH_FOREIGN_STAGING_H
#define ADN_DISPATCH_FOREIGN_STAGING_H

#include "dispatch/handle/handle.h"

struct adn_staged;

/* Writes the reason why a backend of another space is skipped without a query, or "" if it may be
 * queried. A search does not stage. */
void adn_stage_judge(const struct anydnnContext *handle, const struct adn_backend *backend,
                     int search, char *reason, size_t size);

/* Makes a staged plan from a plan that the backend has just made with that workspace. Returns -1
 * when memory runs out, and leaves the plan unchanged. */
int adn_stage_wrap(anydnnHandle_t handle, struct adn_plan *plan, uint64_t workspace);

/* Returns the bytes that the last run copied between spaces, in both directions. */
uint64_t adn_stage_copied(const struct adn_plan *plan);

/* Warns once that a staged plan was made. */
void adn_stage_warn(const struct anydnnContext *handle, const struct adn_plan *plan);

/* Fails because a device cannot capture copies through the host. */
anydnnStatus_t adn_stage_refuse_recording(const char *entry, const struct anydnnContext *handle,
                                          const struct adn_plan *plan);

#endif
