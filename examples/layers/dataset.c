/* SPDX-License-Identifier: Apache-2.0 */
/* Manages host memory for labelled images. */
#include "dataset.h"

#include <stdlib.h>

#include "complain.h"

size_t dataset_pixels(const struct dataset *set)
{
    return (size_t)set->channels * set->side * set->side;
}

int dataset_allocate(struct dataset *set, int count, int channels, int side)
{
    *set = (struct dataset){.count = count, .channels = channels, .side = side};
    set->pixels = malloc((size_t)count * dataset_pixels(set));
    set->labels = malloc((size_t)count);
    if (set->pixels == NULL || set->labels == NULL) {
        dataset_free(set);
        return complain("out of memory for %d images.", count);
    }
    return 0;
}

void dataset_free(struct dataset *set)
{
    free(set->pixels);
    free(set->labels);
    *set = (struct dataset){0};
}
