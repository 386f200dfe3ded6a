/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the result of an experiment in a sentence for each mode. */
#ifndef LAYERS_VERDICT_H
#define LAYERS_VERDICT_H

#include <stddef.h>

#include "experiment.h"

/* Writes the result of mode m compared with the first. */
void verdict_sentence(const struct experiment *x, int m, char *text, size_t size);
/* Writes the steps of mode m to the target loss: the mean over the seeds and its range. */
void verdict_steps(const struct experiment *x, int m, double target, char *text, size_t size);

#endif
