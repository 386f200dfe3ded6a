/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: the calls between RecordBegin and RecordEnd, kept for replay. */
#ifndef ADN_DISPATCH_HANDLE_CAPTURE_H
#define ADN_DISPATCH_HANDLE_CAPTURE_H

#include "dispatch/handle/handle.h"

struct adn_recording;

anydnnStatus_t adn_recording_begin(anydnnHandle_t handle);
anydnnStatus_t adn_recording_end(anydnnHandle_t handle, struct adn_recording **recording);
anydnnStatus_t adn_recording_replay(anydnnHandle_t handle, struct adn_recording *recording);
/* Frees a recording of this handle. */
anydnnStatus_t adn_recording_discard(anydnnHandle_t handle, struct adn_recording *recording);
/* Drops a recording that was begun and not ended. */
void adn_recording_abandon(anydnnHandle_t handle);

/* Adds a call to the recording in progress and keeps its plan alive. Where recordings are lists,
 * the call is recorded instead of run. Returns 1 if it was recorded, 0 if it must run because a
 * device captures it, or -1 when memory runs out. */
int adn_recording_call(anydnnHandle_t handle, struct adn_plan *plan,
                       const struct anydnn_plugin_operands *operands);
/* Does the same for copies (byte < 0) and fills. */
int adn_recording_memory(anydnnHandle_t handle, void *to, const void *from, int byte,
                         uint64_t bytes, int32_t kind);

#endif
