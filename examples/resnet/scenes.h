/* SPDX-License-Identifier: Apache-2.0 */
/* Draws colored figures of ten kinds, so that the network can be trained without a data set. */
#ifndef RESNET_SCENES_H
#define RESNET_SCENES_H

#include "examples/layers/dataset.h"

enum { SCENE_SIDE = 32 };

/* Draws the images. Image i of a seed is the same for any count. `test` separates training and test
 * sets. */
int scenes_draw(struct dataset *set, int count, uint64_t seed, int test);

#endif
