/* SPDX-License-Identifier: Apache-2.0 */
/* Converts dims and strides to runs of bytes. */
#include "dispatch/foreign/byte_runs.h"

#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"

/* Lists the dims with more than one step, smallest stride first, and returns their number. */
static int32_t sort_dims(const struct anydnn_plugin_tensor *tensor, int32_t *order)
{
    int32_t count = 0;

    for (int32_t i = 0; i < tensor->ndims; i++) {
        int32_t at = count;

        if (adn_shape_extent(tensor, i) == 1)
            continue;
        for (; at > 0 && tensor->strides[order[at - 1]] > tensor->strides[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}

int adn_runs_of(const struct anydnn_plugin_tensor *tensor, struct adn_runs *runs)
{
    uint64_t element = (uint64_t)adn_type_size(tensor->type);
    int64_t span = adn_shape_bytes(tensor);
    int32_t order[ANYDNN_PLUGIN_DIM_MAX];
    int32_t count = sort_dims(tensor, order);

    if (span < 0)
        return -1;
    memset(runs, 0, sizeof(*runs));
    runs->span = (uint64_t)span;
    runs->bytes = element;
    for (int32_t i = 0; i < count; i++) {
        uint64_t step = (uint64_t)tensor->strides[order[i]] * element;
        int64_t extent = adn_shape_extent(tensor, order[i]);

        if (step == runs->bytes) {
            runs->bytes *= (uint64_t)extent;
        } else {
            runs->step[runs->loops] = step;
            runs->count[runs->loops++] = extent;
        }
    }
    return 0;
}

int32_t adn_runs_each(const struct adn_runs *runs, adn_runs_fn move, void *cookie)
{
    int64_t at[ANYDNN_PLUGIN_DIM_MAX] = {0};
    uint64_t offset = 0;

    for (;;) {
        int32_t result = move(cookie, offset, runs->bytes);
        int32_t loop = 0;

        if (result != 0)
            return result;
        for (; loop < runs->loops && ++at[loop] == runs->count[loop]; loop++) {
            offset -= (uint64_t)(at[loop] - 1) * runs->step[loop];
            at[loop] = 0;
        }
        if (loop == runs->loops)
            return 0;
        offset += runs->step[loop];
    }
}

struct copy {
    char *to;
    const char *from;
};

static int32_t copy_run(void *cookie, uint64_t offset, uint64_t bytes)
{
    const struct copy *copy = cookie;

    memcpy(copy->to + offset, copy->from + offset, bytes);
    return 0;
}

void adn_runs_copy(const struct adn_runs *runs, void *to, const void *from)
{
    struct copy copy = {to, from};

    adn_runs_each(runs, copy_run, &copy);
}
