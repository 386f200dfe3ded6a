/* SPDX-License-Identifier: Apache-2.0 */
/* Says in a sentence for each mode what an experiment showed. */
#ifndef LAYERS_VERDICT_H
#define LAYERS_VERDICT_H

#include <stddef.h>

#include "experiment.h"

/* What mode m showed beside the first. */
void verdict_sentence(const struct experiment *x, int m, char *text, size_t size);
/* Steps of mode m to that loss: the mean over the seeds and its range. */
void verdict_steps(const struct experiment *x, int m, double target, char *text, size_t size);

#endif
