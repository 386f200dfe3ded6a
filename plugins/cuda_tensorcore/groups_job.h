/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouped convolutions with few channels a group. A block works on TC_GROUPS_SLAB channels, whole
 * groups, and goes from tile to tile of positions; of each it keeps all pixels that any tap reaches
 * from there, the tile's halo, in shared memory, so that memory is read once for all taps and
 * groups. Tiles are on their way in a ring of stages while one of them is multiplied.
 *
 * Pixels lie in TC_GROUPS_PIXEL bytes each: 16 more than they have channels, so that neighbours are
 * in other banks without any change of places, and a tap is one number added to an address.
 * Positions that are 2 pixels apart have to be neighbours, too: then all even pixels come before
 * all odd ones, in rows and in columns. Rows and images are padded by pieces of 16
 * bytes such that the pixels of any 8 neighbouring positions of a tile are in different banks.
 */
#ifndef CUDA_TENSORCORE_GROUPS_JOB_H
#define CUDA_TENSORCORE_GROUPS_JOB_H

#include "launch.h"
#include "mma.h"

#define TC_GROUPS_THREADS 256
#define TC_GROUPS_WARPS   (TC_GROUPS_THREADS / 32)
#define TC_GROUPS_SLAB    64
#define TC_GROUPS_CHUNKS  (TC_GROUPS_SLAB / 8)
#define TC_GROUPS_PIXEL   (TC_GROUPS_SLAB * 2 + 16)
/* Bytes of 8 terms of each channel of the slab: a unit of filters. */
#define TC_GROUPS_UNIT (TC_GROUPS_SLAB * 16)
/* Bytes of a tap's filters in groups of 4, and of zeros. */
#define TC_GROUPS_FOURS (TC_GROUPS_SLAB * 8)
#define TC_GROUPS_ZEROS 256
/* Positions that the warps of a block multiply at a time, in pieces of 16. */
#define TC_GROUPS_PASS 8
/* Classes; taps of all of them, with those that fill up steps of 2 and 3. */
#define TC_GROUPS_CLASSES 4
#define TC_GROUPS_TAPS    57
/* Taps whose sums a block of direction filter has. */
#define TC_GROUPS_SET 9
/* Bytes in which warps with the same sums, 8 of a thread for each tap, add them up. */
#define TC_GROUPS_JOIN_BYTES (TC_GROUPS_SET * 8 * 4 * TC_GROUPS_THREADS / 2)

/* Positions of a class, and which of the listed taps are its own. */
struct tc_groups_class {
    int32_t first_h, first_w;
    int32_t tap, taps;
};

/* The dims of a tile: images, and positions of each; stages of the ring; blocks that fit on a
 * multiprocessor. */
struct tc_groups_tile {
    int32_t images, h, w, stages, resident;
};

struct tc_groups_job : tc_slim_job {
    int32_t images, channels, slabs; /* of all groups */
    int32_t height, width;           /* of the gathered tensor */
    int32_t x_image, x_h, x_w;
    int32_t out_height, out_width; /* of the tensor by position, */
    int32_t y_image, y_h, y_w;     /* z beside it */
    int32_t class_h, class_w;      /* positions of the largest class; */
    int32_t step_h, step_w;        /* between positions of a class, 1 or 2; */
    int32_t apart_h, apart_w;      /* between their pixels, 1 or 2 */
    tc_groups_tile tile;
    int32_t tiles_h, tiles_w, tiles;
    cuda_divisor by_tiles_h, by_tiles_w;
    int32_t lines;            /* pixels of a halo */
    int32_t pieces;           /* of 16 positions of a tile, up to a whole pass */
    int32_t low_h, low_w;     /* the first position's first pixel, */
    int32_t reach_h, reach_w; /* pixels that a position reaches, */
    int32_t halo_h, halo_w;   /* that those of a tile reach in an image */
    int32_t row_bytes, image_bytes, stage_bytes;
    int32_t dy_at;    /* in a stage, in direction filter */
    int32_t tap_line; /* from line to line of filters: columns, or depth in direction data */
    int32_t classes, entries;
    int32_t stores_by_8;
    int32_t zeros_at, lines_at, table_at, ring_at, shared_bytes; /* in shared memory */
    tc_groups_class class_of[TC_GROUPS_CLASSES];
    int32_t tap_at[TC_GROUPS_TAPS]; /* bytes in the halo */
    int32_t tap_w[TC_GROUPS_TAPS];  /* elements in a line of filters; < 0: zeros */
};

/* A position of a tile: the bytes of its first pixel in the halo, its place in the output less that
 * of the tile's first one, and which it is. A pixel of a halo likewise, with its place in the
 * gathered tensor. */
struct alignas(16) tc_groups_place {
    int32_t halo, from;
    int16_t h, w;
    int32_t image;
};

/* ------------------------------------------------------------------ on the host, groups.cu */

extern "C" int32_t tc_groups_takes(const struct conv *conv, const struct tc_wish *wish);

/* Chooses the tile, when a plan is made. */
extern "C" void tc_groups_plan(struct tc_job *job);

/* Fills the job, by the direction that it has; returns the blocks that it takes. */
int64_t tc_groups_prepare(tc_groups_job *groups, const tc_job &job);

/* The first kernel is for results that are stored as they are, the second one for any others. */
static inline int32_t tc_settle(tc_groups_job *job)
{
    return !(job->stores_by_8 && !job->partial && tc_is_plain_by(job->output, 8));
}

/* ------------------------------------------------------------------ on the device */

/* Where a tile begins. */
struct tc_groups_at {
    int32_t image, h, w;
};

__device__ static inline tc_groups_at tc_groups_tile_at(const tc_groups_job &job, int32_t tile)
{
    int32_t row = (int32_t)cuda_divide((uint32_t)tile, job.by_tiles_w);
    int32_t image = (int32_t)cuda_divide((uint32_t)row, job.by_tiles_h);

    return {image * job.tile.images, (row - image * job.tiles_h) * job.tile.h,
            (tile - row * job.tiles_w) * job.tile.w};
}

/* Where pixel `index` of so many lies, even ones first where positions are 2 apart. */
CUDA_BOTH int32_t tc_groups_sorted(int32_t index, int32_t count, int32_t apart)
{
    return (index >> (apart - 1)) + (index & (apart - 1)) * ((count + 1) >> 1);
}

/* The pixels of a halo and the positions of a tile, which are the same for all tiles; a position
 * beyond the tile is in no image. */
__device__ static inline void tc_groups_make_tables(const tc_groups_job &job, char *memory)
{
    tc_groups_place *lines = (tc_groups_place *)(memory + job.lines_at);
    tc_groups_place *table = (tc_groups_place *)(memory + job.table_at);

    for (int32_t i = (int32_t)threadIdx.x; i < job.lines; i += TC_GROUPS_THREADS) {
        int32_t row = i / job.halo_w, w = i - row * job.halo_w;
        int32_t n = row / job.halo_h, h = row - n * job.halo_h;

        lines[i] = {n * job.image_bytes +
                        tc_groups_sorted(h, job.halo_h, job.apart_h) * job.row_bytes +
                        tc_groups_sorted(w, job.halo_w, job.apart_w) * TC_GROUPS_PIXEL,
                    n * job.x_image + h * job.x_h + w * job.x_w, (int16_t)h, (int16_t)w, n};
    }
    for (int32_t i = (int32_t)threadIdx.x; i < job.pieces * 16; i += TC_GROUPS_THREADS) {
        int32_t row = i / job.tile.w, w = i - row * job.tile.w;
        int32_t n = row / job.tile.h, h = row - n * job.tile.h;

        table[i] = {n * job.image_bytes + h * job.row_bytes + w * TC_GROUPS_PIXEL,
                    n * job.y_image + h * job.step_h * job.y_h + w * job.step_w * job.y_w,
                    (int16_t)h, (int16_t)w, n};
        if (n >= job.tile.images)
            table[i] = {0, 0, 0, 0, job.images};
    }
}

/* A tile's halo, zeros outside: 8 threads a pixel. */
template <class E>
__device__ static inline void tc_groups_load_halo(const tc_groups_job &job, const tc_groups_at &at,
                                                  int32_t channel, const tc_groups_place *lines,
                                                  uint32_t to)
{
    int32_t chunk = (int32_t)threadIdx.x % 8 * 8;
    int32_t top = at.h * job.apart_h + job.low_h, left = at.w * job.apart_w + job.low_w;
    int32_t left_over = channel + chunk < job.channels ? job.images - at.image : 0;
    const E *x = (const E *)job.x + (int64_t)at.image * job.x_image + top * job.x_h +
                 left * job.x_w + channel + chunk;

    to += (uint32_t)(chunk * 2);
    for (int32_t i = (int32_t)threadIdx.x / 8; i < job.lines; i += TC_GROUPS_THREADS / 8) {
        const tc_groups_place place = lines[i];
        bool there = (uint32_t)(top + place.h) < (uint32_t)job.height &&
                     (uint32_t)(left + place.w) < (uint32_t)job.width && place.image < left_over;

        tc_copy(to + (uint32_t)place.halo, there ? x + place.from : x, there);
    }
}

/* Stages are used in turn. */
__device__ static inline int32_t tc_groups_next(const tc_groups_job &job, int32_t stage)
{
    return stage + 1 == job.tile.stages ? 0 : stage + 1;
}

/* Waits for a stage, with all but the last ones of the ring on their way. */
__device__ static inline void tc_groups_wait(const tc_groups_job &job)
{
    if (job.tile.stages > 3)
        tc_copy_wait<2>();
    else if (job.tile.stages > 2)
        tc_copy_wait<1>();
    else
        tc_copy_wait<0>();
    __syncthreads();
}

#endif
