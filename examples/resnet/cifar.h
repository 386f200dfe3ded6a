/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CIFAR-10 in its binary form. */
#ifndef RESNET_CIFAR_H
#define RESNET_CIFAR_H

#include "examples/layers/dataset.h"

/* Reads data_batch_1.bin to data_batch_5.bin, or test_batch.bin, of the folder. Keeps the first
 * `limit` images, or all if limit is 0. Complains and returns -1 if a file is missing, truncated or
 * of another kind. */
int cifar_read(struct dataset *set, const char *folder, int test, int limit);

#endif
