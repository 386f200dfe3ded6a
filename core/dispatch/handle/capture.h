/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: the calls between RecordBegin and RecordEnd, kept to be run again. */
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

/* While recording: keeps the plan alive for the recording and, on the host, takes the call instead
 * of running it. Returns 1 when the call was taken, 0 when it must run (a device captures it), -1
 * when memory is out. */
int adn_recording_call(anydnnHandle_t handle, struct adn_plan *plan,
                       const struct anydnn_plugin_operands *operands);
/* The same for copies (byte < 0) and fills. */
int adn_recording_memory(anydnnHandle_t handle, void *to, const void *from, int byte,
                         uint64_t bytes);

#endif
