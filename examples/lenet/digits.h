/* SPDX-License-Identifier: Apache-2.0 */
/* Draws handwriting-like digits, so that the network can be trained without a data set. */
#ifndef LENET_DIGITS_H
#define LENET_DIGITS_H

#include "examples/layers/dataset.h"

enum { IMAGE_SIDE = 28, IMAGE_PIXELS = IMAGE_SIDE * IMAGE_SIDE };

/* Draws the images. Image i of a seed is the same for any count. `part` separates training and test
 * sets. */
int digits_draw(struct dataset *set, int count, uint64_t seed, uint64_t part);

#endif
