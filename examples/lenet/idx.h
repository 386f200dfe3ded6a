/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the IDX files in which MNIST and similar sets are published, gzipped or not. */
#ifndef LENET_IDX_H
#define LENET_IDX_H

#include "examples/layers/dataset.h"

/* Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte (each with or without ".gz") from the
 * directory. Keeps the first `limit` images, or all if limit is 0. Complains and returns -1 if a
 * file is missing, truncated, too long or of another kind. */
int idx_read(struct dataset *set, const char *directory, const char *prefix, int limit);

#endif
