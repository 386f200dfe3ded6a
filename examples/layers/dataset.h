/* SPDX-License-Identifier: Apache-2.0 */
/* Defines a set of labelled images in host memory, with one byte per value, read from files or
 * drawn. */
#ifndef LAYERS_DATASET_H
#define LAYERS_DATASET_H

#include <stddef.h>
#include <stdint.h>

enum { CLASSES = 10, IMAGES_AT_MOST = 10000000 };

struct dataset {
    int count;
    int channels;
    int side;
    uint8_t *pixels; /* count x channels x side x side */
    uint8_t *labels; /* count, each below CLASSES */
};

int dataset_allocate(struct dataset *set, int count, int channels, int side);
void dataset_free(struct dataset *set);

/* Returns the bytes of one image. */
size_t dataset_pixels(const struct dataset *set);

#endif
