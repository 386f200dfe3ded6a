/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampled calls on a device that copies without a wait. In the order of the call's stream, the
 * inputs are copied to host memory, the call runs, and the outputs are copied, before the
 * application's next call can change them. The stream waits for these copies alone, and the host
 * waits for nothing. A sign is copied last: once it arrives, a later call gives the verdict without
 * waiting. A caller that needs the verdict sooner waits for the call's marks, never for its stream,
 * which the application may have destroyed. All verdicts are given in the thread that uses the
 * handle. Callbacks therefore reach the application in its own threads, and a child of fork() needs
 * no other thread.
 */
#ifndef ADN_SHADOW_LATER_H
#define ADN_SHADOW_LATER_H

#include <stdint.h>

#include "shadow/watch.h"

/* Returns 1 if the handle's device copies without a wait. */
int adn_later_can(const struct adn_watch *watch);
/* Runs the call between copies in the order of its stream. The verdict comes later. */
int32_t adn_later_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                      int32_t *effect);

#endif
