/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory for labelled images. */
#include "dataset.h"

#include <stdlib.h>

#include "complain.h"

int dataset_allocate(struct dataset *set, int count)
{
    set->count = count;
    set->pixels = malloc((size_t)count * IMAGE_PIXELS);
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
