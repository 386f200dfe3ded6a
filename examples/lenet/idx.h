/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the IDX files in which MNIST and its kin are published, gzipped or not. */
#ifndef LENET_IDX_H
#define LENET_IDX_H

#include "examples/layers/dataset.h"

/* Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte (each with or without ".gz") from
 * the directory; keeps the first `limit` images, all of them if limit is 0. Complains and returns
 * -1 if a file is missing, cut short, too long or of another kind. */
int idx_read(struct dataset *set, const char *directory, const char *prefix, int limit);

#endif
