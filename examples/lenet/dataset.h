/* SPDX-License-Identifier: Apache-2.0 */
/* A set of labelled images in host memory, one byte a pixel, whether read from files or drawn. */
#ifndef LENET_DATASET_H
#define LENET_DATASET_H

#include <stddef.h>
#include <stdint.h>

enum {
    IMAGE_SIDE = 28,
    IMAGE_PIXELS = IMAGE_SIDE * IMAGE_SIDE,
    CLASSES = 10,
    IMAGES_AT_MOST = 10000000,
};

struct dataset {
    int count;
    uint8_t *pixels; /* count x IMAGE_PIXELS, row by row */
    uint8_t *labels; /* count, each below CLASSES */
};

int dataset_allocate(struct dataset *set, int count);
void dataset_free(struct dataset *set);

#endif
