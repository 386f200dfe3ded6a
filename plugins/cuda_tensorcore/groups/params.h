/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of grouped convolutions with few channels per group. A block processes a
 * slab of channels, which are whole groups, and iterates over tiles of positions. It keeps a tile's
 * halo in shared memory: all pixels that any tap reads from these positions. Memory is thus read
 * once for all taps and groups. Tiles pass through a pipeline of stages; the others are loaded
 * while one is multiplied.
 *
 * A pixel occupies tc_groups_pixel bytes. The 16 bytes beyond its channels place neighbors in
 * different banks without a swizzle. A tap is therefore one number that is added to an address.
 * Positions that are 2 pixels apart must be neighbors, too. In that case all even pixels precede
 * all odd ones, along h and along w. Rows and images are padded in units of 16 bytes. The pixels
 * of any 8 adjacent positions of a tile are then in different banks. */
#ifndef CUDA_TENSORCORE_GROUPS_PARAMS_H
#define CUDA_TENSORCORE_GROUPS_PARAMS_H

#include "../common/launch.h"
#include "../common/mma.h"

#define TC_GROUPS_THREADS 256
#define TC_GROUPS_WARPS   (TC_GROUPS_THREADS / 32)
/* The channels of a slab. If halos are large, the narrow slab leaves space for two blocks. */
#define TC_GROUPS_SLAB   64
#define TC_GROUPS_NARROW 32
#define TC_GROUPS_ZEROS  256
/* The most classes, and the most taps of all classes. The latter include those that complete
 * steps of 2 and 3 taps. */
#define TC_GROUPS_CLASSES 4
#define TC_GROUPS_TAPS    57
/* The taps whose sums a block of wgrad holds, which is also the number of taps for which loops
 * are unrolled. */
#define TC_GROUPS_SET 9

/* These functions return the bytes of a pixel in shared memory, and of a unit of filters, for a
 * slab of `slab` channels. A unit is 8 k of each channel. */
CUDA_BOTH constexpr int tc_groups_pixel(int slab)
{
    return slab * 2 + 16;
}

CUDA_BOTH constexpr int tc_groups_unit(int slab)
{
    return slab * 16;
}

/* These functions return the pieces of 16 positions that a warp multiplies at a time in fprop
 * and dgrad, and those of all warps. Groups of 4 also have sums that are dropped, so more pieces
 * would not fit. */
CUDA_BOTH constexpr int tc_groups_pieces(int group, int slab)
{
    return group == 4 || slab < TC_GROUPS_SLAB || group == 32 ? 2 : 4;
}

CUDA_BOTH constexpr int tc_groups_pass(int group, int slab)
{
    return TC_GROUPS_WARPS / (slab / (group == 32 ? 32 : 16)) * tc_groups_pieces(group, slab);
}

/* These functions describe wgrad. tc_groups_across returns the warps that process different
 * channels: 16 each, or 8 in groups of 32 channels. The other warps share positions.
 * tc_groups_result_line returns the floats of a filter's line among the block's results. It
 * places what the halves of two warps write at a time in different banks. */
CUDA_BOTH constexpr int tc_groups_across(int group, int slab)
{
    return slab / (group == 32 ? 8 : 16);
}

CUDA_BOTH constexpr int tc_groups_result_line(int group)
{
    return TC_GROUPS_SET * group + (group >= 16 ? 8 : 0);
}

CUDA_BOTH constexpr int tc_groups_results_bytes(int group, int slab)
{
    return TC_GROUPS_WARPS / tc_groups_across(group, slab) * slab * tc_groups_result_line(group) *
           4;
}

/* A class: its first position, and its part of the list of taps. */
struct tc_groups_class {
    int32_t first_h, first_w;
    int32_t tap, taps;
};

/* A tile: its images, the positions along h and w, the stages of the pipeline, and the resident
 * blocks per multiprocessor. */
struct tc_groups_tile {
    int32_t images, h, w, stages, resident;
};

struct tc_groups_params : tc_slim_params {
    int32_t images, channels; /* channels of all groups */
    int32_t slab, slabs;      /* channels per slab; number of slabs */
    int32_t height, width;    /* of A */
    int32_t a_image, a_h, a_w;
    int32_t out_height, out_width; /* of the position tensor */
    int32_t c_image, c_h, c_w;     /* its strides */
    int32_t class_h, class_w;      /* positions of the largest class */
    int32_t step_h, step_w;        /* between positions of a class, 1 or 2 */
    int32_t apart_h, apart_w;      /* between their pixels, 1 or 2 */
    tc_groups_tile tile;
    int32_t tiles_h, tiles_w, tiles;
    cuda_divisor by_tiles_h, by_tiles_w, by_halo_h, by_halo_w, by_tile_h, by_tile_w;
    int32_t lines;              /* pixels per halo */
    int32_t positions;          /* per tile */
    int32_t pieces;             /* of 16 positions, rounded up to those that a warp multiplies */
    int32_t low_h, low_w;       /* first pixel of the first position */
    int32_t window_h, window_w; /* pixels that a position reads */
    int32_t halo_h, halo_w;     /* of a tile, in one image */
    int32_t row_bytes, image_bytes, stage_bytes;
    int32_t dy_at;    /* offset in a stage, in wgrad */
    int32_t tap_line; /* from line to line of filters: N, or channels in dgrad */
    int32_t classes, entries;
    int32_t in_one;      /* 1 for one class of 9 taps */
    int32_t stores_by_8; /* or by 16, if a lane stores 16 bytes */
    int32_t zeros_at, limits_at, lines_at, table_at, ring_at, shared_bytes; /* in shared memory */
    tc_groups_class class_of[TC_GROUPS_CLASSES];
    int32_t tap_halo[TC_GROUPS_TAPS]; /* offset in the halo, bytes */
    int32_t tap_b[TC_GROUPS_TAPS];    /* offset in a line of filters, elements; < 0: zeros */
};

/* A pixel of a halo: its offset there in bytes, its offset in A relative to the first pixel, and
 * its coordinates. It may also be a position of a tile: then `halo` is that of its first pixel,
 * and `line` that of its dy. */
struct alignas(16) tc_groups_pixel_entry {
    uint32_t halo, line;
    int32_t from;
    uint32_t at;
};

/* The coordinates of a pixel in one word: 11 bits along a row, 11 bits down, and 7 bits for
 * images. Above each coordinate is a guard bit, which is set. If a limit is subtracted from all
 * coordinates at once, the guard bits of coordinates that are not below it stay set. */
#define TC_GROUPS_GUARDS     0x80800800u
#define TC_GROUPS_ALONG_MOST 0x7ff
#define TC_GROUPS_IMAGE_MOST 0x7f

CUDA_BOTH uint32_t tc_groups_pack_at(int32_t image, int32_t h, int32_t w)
{
    return (uint32_t)image << 24 | (uint32_t)h << 12 | (uint32_t)w;
}

/* The limits of coordinates, from `low` up to `high`. */
struct tc_groups_limits {
    uint32_t low, high;
};

/* ------------------------------------------------------------------ on the host, groups/params.cu
 */

extern "C" int32_t tc_groups_takes(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_groups_takes_narrow(const struct conv *conv, const struct tc_target *target);

/* These functions choose the tile when a plan is made. */
extern "C" void tc_groups_plan(struct tc_job *job);
extern "C" void tc_groups_plan_narrow(struct tc_job *job);

/* Fills the parameters for the job's direction, and returns the number of blocks. */
int64_t tc_groups_prepare(tc_groups_params *to, const tc_job &job, int32_t slab);

/* Selects the kernel: the first one stores results unchanged, and the second one is for all
 * others. */
static inline int32_t tc_settle(tc_groups_params *job)
{
    return !(job->stores_by_8 && !job->partial && tc_is_plain_by(job->output, 16));
}

/* The parameters while the host fills them, with the whole geometry and the device. */
struct tc_groups_making : tc_groups_params {
    struct conv conv;
    int32_t multiprocessors;
};

/* These functions fill in the members that depend on the tile, and return the tile with the
 * smallest expected time. If no tile fits, its `stages` is 0 (groups/tile.cu). */
void tc_groups_fill_tile(tc_groups_making *groups, const tc_groups_tile &tile);
tc_groups_tile tc_groups_choose_tile(tc_groups_making *groups, int32_t shared_bytes);

/* ------------------------------------------------------------------ on the device */

/* The start of a tile. */
struct tc_groups_at {
    int32_t image, h, w;
};

__device__ static inline tc_groups_at tc_groups_tile_at(const tc_groups_params &job, int32_t tile)
{
    int32_t tile_h = (int32_t)cuda_divide((uint32_t)tile, job.by_tiles_w);
    int32_t image = (int32_t)cuda_divide((uint32_t)tile_h, job.by_tiles_h);

    return {image * job.tile.images, (tile_h - image * job.tiles_h) * job.tile.h,
            (tile - tile_h * job.tiles_w) * job.tile.w};
}

/* Returns the place of pixel `index` of `count`. If positions are 2 pixels apart, even pixels
 * come first. */
CUDA_BOTH int32_t tc_groups_sorted(int32_t index, int32_t count, int32_t apart)
{
    return (index >> (apart - 1)) + (index & (apart - 1)) * ((count + 1) >> 1);
}

/* Returns a limit of one coordinate, clipped to 0 .. most. */
__device__ static inline uint32_t tc_groups_limit(int32_t limit, int32_t most)
{
    return (uint32_t)(limit < 0 ? 0 : limit > most ? most : limit);
}

__device__ static inline bool tc_groups_is_within(const tc_groups_limits &limits, uint32_t at)
{
    uint32_t below = (at - limits.low) ^ TC_GROUPS_GUARDS;

    return ((below | (at - limits.high)) & TC_GROUPS_GUARDS) == 0;
}

/* Makes the tables of the pixels of a halo and of the positions of a tile, which are the same
 * for all tiles. Positions beyond the tile belong to an image that never exists. */
template <class S>
__device__ static inline void tc_groups_make_tables(const tc_groups_params &job, char *memory)
{
    enum { PIXEL = tc_groups_pixel(S::SLAB) };
    tc_groups_pixel_entry *lines = (tc_groups_pixel_entry *)(memory + job.lines_at);
    tc_groups_pixel_entry *table = (tc_groups_pixel_entry *)(memory + job.table_at);

#pragma unroll 1
    for (int32_t i = (int32_t)threadIdx.x; i < job.lines; i += TC_GROUPS_THREADS) {
        int32_t nh = (int32_t)cuda_divide((uint32_t)i, job.by_halo_w), w = i - nh * job.halo_w;
        int32_t n = (int32_t)cuda_divide((uint32_t)nh, job.by_halo_h), h = nh - n * job.halo_h;
        int32_t halo = n * job.image_bytes +
                       tc_groups_sorted(h, job.halo_h, job.apart_h) * job.row_bytes +
                       tc_groups_sorted(w, job.halo_w, job.apart_w) * PIXEL;

        lines[i] = {(uint32_t)halo, (uint32_t)halo, n * job.a_image + h * job.a_h + w * job.a_w,
                    tc_groups_pack_at(n, h, w) | TC_GROUPS_GUARDS};
    }
#pragma unroll 1
    for (int32_t i = (int32_t)threadIdx.x; i < job.pieces * 16; i += TC_GROUPS_THREADS) {
        int32_t nh = (int32_t)cuda_divide((uint32_t)i, job.by_tile_w), w = i - nh * job.tile.w;
        int32_t n = (int32_t)cuda_divide((uint32_t)nh, job.by_tile_h), h = nh - n * job.tile.h;
        bool there = i < job.positions;

        table[i] = {
            there ? (uint32_t)(n * job.image_bytes + h * job.row_bytes + w * PIXEL) : 0,
            (uint32_t)(i * PIXEL),
            n * job.c_image + h * job.step_h * job.c_h + w * job.step_w * job.c_w,
            (there ? tc_groups_pack_at(n, h, w) : tc_groups_pack_at(TC_GROUPS_IMAGE_MOST, 0, 0)) |
                TC_GROUPS_GUARDS};
    }
}

/* Copies a slab of each pixel of a table from memory to shared memory, with zeros outside the
 * tensor. Each 16 bytes of a pixel have their own thread, and a thread copies COPIES pixels at a
 * time. */
template <class S>
__device__ static inline void
tc_groups_copy(const tc_groups_params &job, const void *from, const tc_groups_limits &limits,
               const tc_groups_pixel_entry *table, int32_t count, uint32_t to)
{
    enum { CHUNKS = S::SLAB / 8, STEP = TC_GROUPS_THREADS / CHUNKS, AT_ONCE = S::COPIES };
    int32_t i = (int32_t)(threadIdx.x / CHUNKS);

    to += (uint32_t)((int32_t)(threadIdx.x % CHUNKS) * 16);
#pragma unroll 1
    for (; i + (AT_ONCE - 1) * STEP < count; i += AT_ONCE * STEP) {
        tc_groups_pixel_entry entry[AT_ONCE];

#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            entry[k] = table[i + k * STEP];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            tc_copy(to + entry[k].line,
                    tc_address(from, entry[k].from, sizeof(typename S::element)),
                    tc_groups_is_within(limits, entry[k].at));
    }
#pragma unroll 1
    for (; i < count; i += STEP) {
        const tc_groups_pixel_entry entry = table[i];

        tc_copy(to + entry.line, tc_address(from, entry.from, sizeof(typename S::element)),
                tc_groups_is_within(limits, entry.at));
    }
}

/* Loads the halo of a tile. */
template <class S>
__device__ static inline void tc_groups_load_halo(const tc_groups_params &job,
                                                  const tc_groups_at &at, int32_t channel,
                                                  const char *memory, uint32_t to)
{
    int32_t chunk = channel + (int32_t)threadIdx.x % (S::SLAB / 8) * 8;
    int32_t top = at.h * job.apart_h + job.low_h, left = at.w * job.apart_w + job.low_w;
    int32_t images = chunk < job.channels ? job.images - at.image : 0;
    const typename S::element *x =
        (const typename S::element *)job.a +
        (at.image * job.a_image + top * job.a_h + left * job.a_w + chunk);
    tc_groups_limits limits;

    limits.low = tc_groups_pack_at(0, (int32_t)tc_groups_limit(-top, TC_GROUPS_ALONG_MOST),
                                   (int32_t)tc_groups_limit(-left, TC_GROUPS_ALONG_MOST));
    limits.high =
        tc_groups_pack_at((int32_t)tc_groups_limit(images, TC_GROUPS_IMAGE_MOST),
                          (int32_t)tc_groups_limit(job.height - top, TC_GROUPS_ALONG_MOST),
                          (int32_t)tc_groups_limit(job.width - left, TC_GROUPS_ALONG_MOST));
    tc_groups_copy<S>(job, x, limits, (const tc_groups_pixel_entry *)(memory + job.lines_at),
                      job.lines, to);
}

/* Returns the next stage; stages are used in turn. */
__device__ static inline int32_t tc_groups_next(const tc_groups_params &job, int32_t stage)
{
    return stage + 1 == job.tile.stages ? 0 : stage + 1;
}

/* Waits for a stage, while the loads of later stages are in flight. */
__device__ static inline void tc_groups_wait(const tc_groups_params &job)
{
    if (job.tile.stages > 3)
        tc_cp_async_wait<2>();
    else if (job.tile.stages > 2)
        tc_cp_async_wait<1>();
    else
        tc_cp_async_wait<0>();
    __syncthreads();
}

#endif
