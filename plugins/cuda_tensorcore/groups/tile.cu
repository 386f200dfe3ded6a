/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the parameters of grouped convolutions that depend on the tile, and chooses the tile
 * with the smallest expected time (groups/params.h). */
#include "params.h"

/* The bytes of shared memory that a multiprocessor reserves per block, and the most resident
 * blocks that registers permit. */
#define SHARED_BLOCK 1024
#define BLOCKS_MAX   2
/* The most parts into which a dim is cut, the most images of a tile, and the range of stages. */
#define CUTS_MAX   16
#define IMAGES_MAX 8
#define STAGES_MIN 2
#define STAGES_MAX 4

/* Returns the least number of 16-byte pieces that is at least `count` and equals `rest` modulo
 * 8. */
static int32_t padded(int32_t count, int32_t rest)
{
    return count + (rest % 8 - count % 8 + 8) % 8;
}

static int32_t filter_bytes(const tc_groups_making &groups)
{
    int32_t channels = (int32_t)groups.conv.channels, unit = tc_groups_unit(groups.slab);

    return groups.entries * (channels == 4 ? unit / 2 : channels / 8 * unit);
}

/* Fills in the members that depend on the tile. Shared memory contains filters, zeros, limits of
 * tiles, tables and the pipeline. In wgrad, a stage also contains the lines of dy, after the
 * halo. */
void tc_groups_fill_tile(tc_groups_making *groups, const tc_groups_tile &tile)
{
    const conv &conv = groups->conv;
    int32_t channels = (int32_t)conv.channels, pixel = tc_groups_pixel(groups->slab);
    int32_t apart = pixel / 16, row, image, together = 1;

    groups->tile = tile;
    groups->tiles_h = cuda_ceil_div(groups->class_h, tile.h);
    groups->tiles_w = cuda_ceil_div(groups->class_w, tile.w);
    groups->tiles = cuda_ceil_div(groups->images, tile.images) * groups->tiles_h * groups->tiles_w;
    groups->halo_h = (tile.h - 1) * groups->apart_h + groups->window_h;
    groups->halo_w = (tile.w - 1) * groups->apart_w + groups->window_w;
    row = padded(groups->halo_w * apart, tile.w * apart);
    image = padded(groups->halo_h * row, tile.h * tile.w * apart);
    groups->row_bytes = row * 16;
    groups->image_bytes = image * 16;
    groups->positions = tile.images * tile.h * tile.w;
    groups->by_tiles_h = cuda_divisor_of(groups->tiles_h);
    groups->by_tiles_w = cuda_divisor_of(groups->tiles_w);
    groups->by_halo_h = cuda_divisor_of(groups->halo_h);
    groups->by_halo_w = cuda_divisor_of(groups->halo_w);
    groups->by_tile_h = cuda_divisor_of(tile.h);
    groups->by_tile_w = cuda_divisor_of(tile.w);
    groups->lines = tile.images * groups->halo_h * groups->halo_w;
    groups->dy_at = tile.images * groups->image_bytes;
    groups->stage_bytes = groups->dy_at;
    if (!conv_is_wgrad(&conv))
        together = tc_groups_pieces(channels, groups->slab);
    groups->pieces = cuda_ceil_div(groups->positions, 16 * together) * together;
    if (conv_is_wgrad(&conv))
        groups->stage_bytes += groups->pieces * 16 * pixel;
    groups->zeros_at = conv_is_wgrad(&conv) ? 0 : filter_bytes(*groups);
    groups->limits_at = groups->zeros_at + TC_GROUPS_ZEROS;
    groups->lines_at = groups->limits_at + STAGES_MAX * (int32_t)sizeof(uint32_t);
    groups->table_at = groups->lines_at + groups->lines * (int32_t)sizeof(tc_groups_pixel_entry);
    groups->ring_at =
        groups->table_at + groups->pieces * 16 * (int32_t)sizeof(tc_groups_pixel_entry);
    groups->shared_bytes = groups->ring_at + tile.stages * groups->stage_bytes;
    if (conv_is_wgrad(&conv)) {
        int32_t results = groups->ring_at + tc_groups_results_bytes(channels, groups->slab);

        groups->shared_bytes = groups->shared_bytes > results ? groups->shared_bytes : results;
    }
}

/* The costs of the model in cycles of a multiprocessor, fitted to times of an H200. `tap` is the
 * cost of 16 positions of 64 channels and one tap, if all positions exist. `missing` is added in
 * wgrad if one of the 16 does not exist, so that all are tested. `line` is the cost of a pixel's
 * line of 64 channels, and `turn` that of a tile. START_CYCLES is the cost of a block's start,
 * its tables and its filters. `alone` is the factor for a block alone on a multiprocessor,
 * because no other block hides its waits. */
static const struct costs {
    double tap[4]; /* for groups of 4, 8, 16, 32 */
    double missing, line, turn, alone;
} gemm_costs = {{32, 24, 11, 8}, 0, 2, 350, 1.11},
  filter_costs = {{7.6, 6, 8.3, 12.8}, 14.5, 4, 640, 1.23};
#define START_CYCLES 3400
/* The factor for groups of 4 in fprop and dgrad if the rows of a tile do not begin in the same
 * bank. Zeros are read from the banks that pixels do not use. */
#define BANKS       8
#define OTHER_BANKS 1.2

/* Returns the pieces of 16 positions in which one is missing, on average over all tiles. These
 * are the last piece of a tile, and all pieces of tiles that extend beyond the last position. */
static double missing_of(const tc_groups_making &groups)
{
    const tc_groups_tile &tile = groups.tile;
    int32_t within =
        groups.images / tile.images * (groups.class_h / tile.h) * (groups.class_w / tile.w);

    return groups.pieces - (double)(groups.positions / 16) * within / groups.tiles;
}

static double cycles_of(const tc_groups_making &groups)
{
    const tc_groups_tile &tile = groups.tile;
    int32_t channels = (int32_t)groups.conv.channels, filter = conv_is_wgrad(&groups.conv);
    const costs &costs = filter ? filter_costs : gemm_costs;
    int32_t blocks = groups.multiprocessors * tile.resident / groups.slabs, waves = 1, turns;
    int32_t resident = tile.resident, row = 0;
    int32_t pass = filter ? TC_GROUPS_WARPS / tc_groups_across(channels, groups.slab)
                          : tc_groups_pass(channels, groups.slab);
    double wide = (double)groups.slab / TC_GROUPS_SLAB, pieces = groups.pieces, each;

    blocks = blocks < 1 ? 1 : blocks;
    if (filter && groups.splits > 1) {
        int32_t all = cuda_ceil_div(groups.splits * groups.slabs, groups.multiprocessors);

        resident = resident < all ? resident : all;
        waves = cuda_ceil_div(groups.splits, blocks);
        blocks = groups.splits;
    }
    turns = cuda_ceil_div(groups.tiles, blocks) * waves;
    /* If some warps are idle, another resident block uses the time. */
    if (resident == 1)
        pieces = cuda_ceil_div(cuda_ceil_div(groups.positions, 16), pass) * pass;
    while (4 << row < channels)
        row++;
    each = pieces * costs.tap[row];
    if (channels == 4 && !filter && tile.w % BANKS != 0)
        each *= OTHER_BANKS;
    each = (each + missing_of(groups) * costs.missing) * groups.entries;
    each += (groups.lines + (filter ? groups.pieces * 16 : 0)) * costs.line;
    each *= resident > 1 ? resident : costs.alone;
    return turns * (each * wide + costs.turn) + START_CYCLES * wide * resident * waves;
}

static void try_tile(tc_groups_making *groups, tc_groups_tile tile, int32_t shared_bytes,
                     tc_groups_tile *best, double *least_cycles)
{
    int32_t resident;

    for (tile.stages = STAGES_MIN; tile.stages <= STAGES_MAX; tile.stages++) {
        double cycles;

        tc_groups_fill_tile(groups, tile);
        if (groups->shared_bytes > shared_bytes || groups->halo_h > TC_GROUPS_ALONG_MOST ||
            groups->halo_w > TC_GROUPS_ALONG_MOST)
            return;
        resident = (shared_bytes + SHARED_BLOCK) / (groups->shared_bytes + SHARED_BLOCK);
        groups->tile.resident = resident < BLOCKS_MAX ? resident : BLOCKS_MAX;
        cycles = cycles_of(*groups);
        if (best->stages == 0 || cycles < *least_cycles) {
            *best = groups->tile;
            *least_cycles = cycles;
        }
    }
}

/* Returns the best tile. Dims are cut evenly, and several images may be combined only if they
 * are whole. If expected times are equal, the widest tile is chosen, since its pixels lie in
 * fewer and longer rows. */
tc_groups_tile tc_groups_choose_tile(tc_groups_making *groups, int32_t shared_bytes)
{
    tc_groups_tile best = {};
    double cycles = 0;
    int32_t last_w = 0;

    for (int32_t cut_w = 1; cut_w <= CUTS_MAX; cut_w++) {
        int32_t w = cuda_ceil_div(groups->class_w, cut_w), last_h = 0;

        if (w == last_w)
            continue;
        last_w = w;
        for (int32_t cut_h = 1; cut_h <= CUTS_MAX; cut_h++) {
            int32_t h = cuda_ceil_div(groups->class_h, cut_h);
            int32_t most = cut_h > 1 || cut_w > 1        ? 1
                           : groups->images < IMAGES_MAX ? groups->images
                                                         : IMAGES_MAX;

            if (h == last_h)
                continue;
            last_h = h;
            for (int32_t images = 1; images <= most; images++)
                try_tile(groups, {images, h, w, 0, 0}, shared_bytes, &best, &cycles);
        }
    }
    return best;
}
