/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which divisive normalizations use tiles, and how they are divided into them. */
#include "divisive_tile.h"

/* Computes the strides of a packed tensor, with rows along w or with rows of channels. */
static void packed_strides(const struct anydnn_plugin_tensor *tensor, int of_channels,
                           int64_t strides[])
{
    int64_t stride = of_channels ? tensor->dims[1] : 1;

    for (int32_t d = tensor->ndims - 1; d >= 0; d--) {
        strides[d] = of_channels && d == 1 ? 1 : stride;
        stride *= of_channels && d == 1 ? 1 : tensor->dims[d];
    }
}

static int has_strides(const struct anydnn_plugin_tensor *tensor, const int64_t strides[])
{
    int has = 1;

    for (int32_t d = 0; d < tensor->ndims; d++)
        has = has && (tensor->dims[d] == 1 || tensor->strides[d] == strides[d]);
    return has;
}

/* Finds dims and strides of a packed tensor of 2 or 3 spatial dims. Returns 0 for other tensors. */
static int find_dims(struct divisive_tiles *tiles, const struct anydnn_plugin_tensor *tensor)
{
    int32_t w = tensor->ndims - 1, h = w - 1;
    int64_t strides[ANYDNN_PLUGIN_DIM_MAX], depth = w == 4 ? tensor->dims[2] : 1;

    if (w != 3 && w != 4)
        return 0;
    for (tiles->along_rows = 0; tiles->along_rows < 2; tiles->along_rows++) {
        packed_strides(tensor, !tiles->along_rows, strides);
        if (has_strides(tensor, strides))
            break;
    }
    if (tiles->along_rows) {
        const int64_t dims[] = {1, depth, tensor->dims[0] * tensor->dims[1], tensor->dims[h],
                                tensor->dims[w]};
        const int64_t steps[] = {0, strides[2], strides[1], strides[h], 1};

        memcpy(tiles->dims, dims, sizeof dims);
        memcpy(tiles->strides, steps, sizeof steps);
    } else {
        const int64_t dims[] = {tensor->dims[0], depth, tensor->dims[h], tensor->dims[w],
                                tensor->dims[1]};
        const int64_t steps[] = {strides[0], strides[2], strides[h], strides[w], 1};

        memcpy(tiles->dims, dims, sizeof dims);
        memcpy(tiles->strides, steps, sizeof steps);
    }
    return tiles->along_rows < 2;
}

/* Returns the exponent of the least power of two that is at least `number`, but at most `most`. */
static int32_t exponent_for(int64_t number, int32_t most)
{
    int32_t exponent = 0;

    while (exponent < most && INT64_C(1) << exponent < number)
        exponent++;
    return exponent;
}

/* The minimum blocks per multiprocessor, so that the last ones cost little. */
#define BLOCKS 32

/* Chooses the tiles. Rows along w fill tiles of up to 32 positions. Rows of channels have tiles of
 * up to 16 positions and up to 2 runs in a row. Then many rows share the reach of their windows. */
static int64_t shape_tiles(struct divisive_tiles *tiles, int32_t multiprocessors)
{
    int64_t blocks, *extent = tiles->extent;

    tiles->log_positions = exponent_for(tiles->dims[DIVISIVE_ALONG], tiles->along_rows ? 5 : 4);
    tiles->log_positions = tiles->log_positions < 3 ? 3 : tiles->log_positions;
    tiles->runs = exponent_for(cuda_blocks(tiles->dims[DIVISIVE_ROW], LRN_RUN),
                               tiles->along_rows ? 8 - tiles->log_positions : 1);
    extent[DIVISIVE_IMAGE] = extent[DIVISIVE_DEPTH] = 1;
    extent[DIVISIVE_ACROSS] = INT64_C(1) << (8 - tiles->log_positions - tiles->runs);
    extent[DIVISIVE_ROW] = LRN_RUN << tiles->runs;
    extent[DIVISIVE_ALONG] =
        cuda_blocks(tiles->dims[DIVISIVE_ALONG], INT64_C(1) << tiles->log_positions)
        << tiles->log_positions;
    for (;;) {
        blocks = 1;
        for (int d = 0; d < DIVISIVE_DIMS; d++)
            blocks *= cuda_blocks(tiles->dims[d], extent[d]);
        if (blocks >= (int64_t)BLOCKS * multiprocessors ||
            extent[DIVISIVE_ALONG] == INT64_C(1) << tiles->log_positions)
            break;
        extent[DIVISIVE_ALONG] =
            cuda_blocks(extent[DIVISIVE_ALONG] / 2, INT64_C(1) << tiles->log_positions)
            << tiles->log_positions;
    }
    for (int d = 0; d < DIVISIVE_DIMS && blocks <= CUDA_BLOCKS_MAX; d++)
        tiles->tiles[d] = (uint32_t)cuda_blocks(tiles->dims[d], extent[d]);
    return blocks;
}

int divisive_tiles_prepare(struct divisive_tiles *tiles, const cuda_lrn &lrn,
                           const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                           int32_t multiprocessors)
{
    for (int32_t t = 1; t < tensors; t++) {
        if (!has_strides(tensor[0], tensor[t]->strides))
            return 0;
    }
    if (!lrn_is_float(lrn, tensor[0]->type) || !find_dims(tiles, tensor[0]) ||
        shape_tiles(tiles, multiprocessors) > CUDA_BLOCKS_MAX)
        return 0;
    tiles->multiprocessors = multiprocessors;
    tiles->f = lrn_factors_of(lrn, tensor[0]->type);
    tiles->through = (float)(2 * lrn.alpha * lrn.beta);
    for (int d = DIVISIVE_DEPTH; d < DIVISIVE_DIMS; d++) {
        int reaches = d != (tiles->along_rows ? DIVISIVE_ACROSS : DIVISIVE_ROW);

        tiles->before[d] = reaches ? (int32_t)lrn.before : 0;
        tiles->after[d] = reaches ? (int32_t)lrn.after : 0;
    }
    return 1;
}

int64_t divisive_blocks(const struct divisive_tiles *tiles)
{
    int64_t blocks = 1;

    for (int d = 0; d < DIVISIVE_DIMS; d++)
        blocks *= tiles->tiles[d];
    return blocks;
}

void divisive_reverse_windows(struct divisive_tiles *tiles)
{
    for (int d = 0; d < DIVISIVE_DIMS; d++) {
        int32_t before = tiles->before[d];

        tiles->before[d] = tiles->after[d];
        tiles->after[d] = before;
    }
    tiles->f.scale = 1;
}
