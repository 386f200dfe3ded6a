/* SPDX-License-Identifier: Apache-2.0 */
/* Draws figures of ten kinds in colour, so that the network can be trained where no data set is at
 * hand. */
#ifndef RESNET_SCENES_H
#define RESNET_SCENES_H

#include "examples/layers/dataset.h"

enum { SCENE_SIDE = 32 };

/* Image i of a seed is the same whatever the count; `test` keeps training and test sets apart. */
int scenes_draw(struct dataset *set, int count, uint64_t seed, int test);

#endif
