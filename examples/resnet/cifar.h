/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CIFAR-10 in its binary form. */
#ifndef RESNET_CIFAR_H
#define RESNET_CIFAR_H

#include "examples/layers/dataset.h"

/* data_batch_1.bin to data_batch_5.bin, or test_batch.bin, of the folder; the first `limit` images,
 * all of them if limit is 0. Complains and returns -1 if a file is missing, cut short or no such
 * file. */
int cifar_read(struct dataset *set, const char *folder, int test, int limit);

#endif
