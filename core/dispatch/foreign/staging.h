/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged plans: a backend of another memory space than the handle's runs a call on copies of its
 * operands. What such a plan does at each run:
 *
 *   1. The arenas are made large enough.
 *   2. What the operation reads is copied from the handle's device to the backend's, through the
 *      host if neither is the host. Copies from the handle's device are in the order of its stream,
 *      so the host waits there for all work before them.
 *   3. The backend runs, on the default stream of its device, and the host waits for it.
 *   4. The described elements of the outputs are copied back, in the order of the handle's stream.
 *
 * Until 4 begins no memory of the application is written: whatever fails before leaves the outputs
 * untouched, and the next backend of the route may try. Gaps between elements are never written,
 * nor read on the host; from a device a span is read whole. Buffers are aligned to 256 bytes,
 * whatever the caller's pointers are.
 */
#ifndef ADN_DISPATCH_FOREIGN_STAGING_H
#define ADN_DISPATCH_FOREIGN_STAGING_H

#include "dispatch/handle/handle.h"

struct adn_staged;

/* Why a backend of another space is passed over without a question, also in a search, which does
 * not stage; "" when it may be asked. */
void adn_stage_judge(const struct anydnnContext *handle, const struct adn_backend *backend,
                     int search, char *reason, size_t size);

/* Makes a staged plan of one that the backend has just made with that workspace; -1 when memory is
 * out, and then the plan is as it was. */
int adn_stage_wrap(anydnnHandle_t handle, struct adn_plan *plan, uint64_t workspace);

/* Bytes that the last run of the plan copied between spaces, both ways. */
uint64_t adn_stage_copied(const struct adn_plan *plan);

/* One warning when a staged plan was made. */
void adn_stage_warn(const struct anydnnContext *handle, const struct adn_plan *plan);

/* A device cannot capture what goes through the host. */
anydnnStatus_t adn_stage_refuse_recording(const char *entry, const struct anydnnContext *handle,
                                          const struct adn_plan *plan);

#endif
