/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization backward in one kernel: dscale, dbias, dx, and optional dz. dz is written
 * with the sums, and then read in place of dy. Thus each pass reads two tensors and writes one,
 * because memory is slower if two are written at once. */
#include "batch_norm_finish.h"
#include "batch_norm_resident_join.h"

enum { AHEAD = CUDA_NORM_AHEAD_BESIDE };

/* The part of a block's shared memory after its rings. */
struct backward_rest {
    double2 joined[CUDA_THREADS];
    float coefficients[cuda_norm_backward_coefficients::COUNT][CUDA_NORM_SLAB_MAX];
};

/* A warp's rings and its two windows of signs: those of a unit and of the next. */
template <class T> struct backward_buffers {
    cuda_norm_ring<T> x, dy;
    uint32_t *windows;
    int32_t window;

    __device__ inline uint32_t *window_of(int32_t turn) const
    {
        return windows + (turn & 1) * window;
    }
};

/* Starts copying a piece of x and of the tensor beside it. */
template <bool WHOLE, class T>
__device__ static inline void
fetch(const cuda_norm_resident_job &job, const void *beside, const backward_buffers<T> &buffers,
      const cuda_norm_piece &piece, const cuda_norm_lane<T> &lane, int32_t slot)
{
    cuda_norm_fetch<WHOLE>(cuda_norm_ring_at(buffers.x, slot), job.x, piece, job.shape, lane.g);
    cuda_norm_fetch<WHOLE>(cuda_norm_ring_at(buffers.dy, slot), beside, piece, job.shape, lane.g);
}

/* Passes a row of dy through the activation's gradient, and stores it in dz and back in the
 * ring. */
template <class T, int LANES>
__device__ static inline void pass_row(cuda_vector<T> *dy, T *dz, const unsigned (&signs)[LANES],
                                       int bit)
{
    cuda_vector<T> g = *dy;

#pragma unroll
    for (int l = 0; l < LANES; l++)
        g.lane[l] = signs[l] >> bit & 1 ? g.lane[l] : T{};
    *dy = g;
    cuda_norm_give_whole(dz, g);
}

/* Adds a piece to the sums. FULL is the number of rows of each lane, or 0: then `count` is. dz is
 * NULL if absent. */
template <class T, bool SIGNED, bool WITH_DZ, int FULL, int LANES>
__device__ static inline void add_piece(const cuda_norm_resident_job &job, const cuda_vector<T> *x,
                                        cuda_vector<T> *dy, T *dz, int32_t count,
                                        const unsigned (&signs)[LANES], const float (&shift)[LANES],
                                        double (&first)[LANES], double (&second)[LANES])
{
    float sum[LANES] = {}, product[LANES] = {};

#pragma unroll
    for (int r = 0; r < (FULL ? FULL : CUDA_NORM_GROUP); r++, dz += job.shape.channels) {
        if (!FULL && r >= count)
            continue;
        if (WITH_DZ)
            pass_row<T>(dy + r * 32, dz, signs, r);
        cuda_norm_add_gradient<T, SIGNED && !WITH_DZ, LANES>(sum, product, x[r * 32], dy[r * 32],
                                                             shift, signs, r);
    }
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        first[l] += (double)sum[l];
        second[l] += (double)product[l];
    }
}

/* Adds up the warp's units and leaves the last pieces in the rings. Returns the number of
 * pieces. */
template <class T, bool SIGNED, bool WITH_DZ, bool WHOLE, int LANES>
__device__ static inline int32_t
sum_units(const cuda_norm_resident_job &job, const backward_buffers<T> &buffers,
          const cuda_norm_lane<T> &lane, const cuda_norm_units &of, const float (&shift)[LANES],
          double (&first)[LANES], double (&second)[LANES])
{
    enum { FULL = cuda_norm_full<WHOLE>::ROWS, BEFORE = WITH_DZ ? 1 : AHEAD };
    const cuda_norm_resident &shape = job.shape;
    cuda_norm_piece at = cuda_norm_piece_of<WHOLE>(shape, lane, of, 0, false);
    cuda_norm_piece next = at;
    int32_t in = 0, out = 0, done = 0;
    unsigned signs[LANES] = {};

    for (int k = 0; at.turn >= 0; k++) {
        if (next.turn >= 0) {
            if (SIGNED && cuda_norm_is_first<WHOLE>(next, shape, lane.g))
                cuda_norm_fetch_signs<WHOLE>(buffers.window_of(next.turn), job.reserve, next, shape,
                                             lane);
            fetch<WHOLE>(job, job.beside, buffers, next, lane, in);
            cuda_norm_forth<WHOLE>(next, shape, lane, of);
        }
        commit();
        in = cuda_norm_turn(in, buffers.x.pieces);
        if (k < BEFORE)
            continue;
        wait<BEFORE>();
        __syncwarp();
        if (SIGNED)
            cuda_norm_signs_of<WHOLE, T>(signs, buffers.window_of(at.turn), at, shape, lane);
        if (cuda_norm_is_full<WHOLE>(at, shape, lane.g))
            add_piece<T, SIGNED, WITH_DZ, FULL>(
                job, cuda_norm_ring_at(buffers.x, out), cuda_norm_ring_at(buffers.dy, out),
                (T *)job.out_z + at.at, FULL, signs, shift, first, second);
        else
            add_piece<T, SIGNED, WITH_DZ, 0>(
                job, cuda_norm_ring_at(buffers.x, out), cuda_norm_ring_at(buffers.dy, out),
                (T *)job.out_z + at.at, cuda_norm_rows_of<WHOLE>(at, shape), signs, shift, first,
                second);
        __syncwarp();
        cuda_norm_forth<WHOLE>(at, shape, lane, of);
        out = cuda_norm_turn(out, buffers.x.pieces);
        done++;
    }
    return done;
}

/* Computes a piece of dx. */
template <class T, bool SIGNED, int FULL, int LANES>
__device__ static inline void give_piece(const cuda_norm_resident_job &job, const cuda_vector<T> *x,
                                         const cuda_vector<T> *dy, T *to, int32_t count,
                                         const unsigned (&signs)[LANES],
                                         const cuda_norm_backward_cells<LANES> &cells)
{
#pragma unroll
    for (int r = 0; r < (FULL ? FULL : CUDA_NORM_GROUP); r++, to += job.shape.channels) {
        float dx[LANES], g[LANES];

        if (!FULL && r >= count)
            continue;
        cuda_norm_backward_row<T, SIGNED, LANES>(dx, g, x[r * 32], dy[r * 32], cells, signs, r);
        cuda_norm_give(to, dx);
    }
}

/* Computes the results in the opposite order after `done` pieces. If SIGNED, `beside` is the
 * original dy. */
template <class T, bool SIGNED, bool WHOLE, int LANES>
__device__ static inline void give_units(const cuda_norm_resident_job &job, const void *beside,
                                         const backward_buffers<T> &buffers,
                                         const cuda_norm_lane<T> &lane, const cuda_norm_units &of,
                                         int32_t done, const cuda_norm_backward_cells<LANES> &cells)
{
    enum { FULL = cuda_norm_full<WHOLE>::ROWS };
    const cuda_norm_resident &shape = job.shape;
    cuda_norm_piece at = cuda_norm_piece_of<WHOLE>(shape, lane, of, of.count - 1, true);
    cuda_norm_piece next = at;
    int32_t slot = done ? (done - 1) % buffers.x.pieces : 0;
    unsigned signs[LANES] = {};

    for (int32_t k = 0; k < buffers.x.pieces && k < done && next.turn >= 0; k++)
        cuda_norm_back<WHOLE>(next, shape, lane, of);
    for (; at.turn >= 0; cuda_norm_back<WHOLE>(at, shape, lane, of)) {
        wait<AHEAD>();
        __syncwarp();
        if (SIGNED)
            cuda_norm_signs_of<WHOLE, T>(signs, buffers.window_of(at.turn), at, shape, lane);
        if (cuda_norm_is_full<WHOLE>(at, shape, lane.g))
            give_piece<T, SIGNED, FULL>(job, cuda_norm_ring_at(buffers.x, slot),
                                        cuda_norm_ring_at(buffers.dy, slot), (T *)job.out + at.at,
                                        FULL, signs, cells);
        else
            give_piece<T, SIGNED, 0>(job, cuda_norm_ring_at(buffers.x, slot),
                                     cuda_norm_ring_at(buffers.dy, slot), (T *)job.out + at.at,
                                     cuda_norm_rows_of<WHOLE>(at, shape), signs, cells);
        __syncwarp();
        if (SIGNED && cuda_norm_is_first<WHOLE>(at, shape, lane.g)) {
            cuda_norm_piece later = cuda_norm_piece_of<WHOLE>(shape, lane, of, at.turn - 2, false);

            if (later.turn >= 0)
                cuda_norm_fetch_signs<WHOLE>(buffers.window_of(later.turn), job.reserve, later,
                                             shape, lane);
        }
        if (next.turn >= 0) {
            fetch<WHOLE>(job, beside, buffers, next, lane, slot);
            cuda_norm_back<WHOLE>(next, shape, lane, of);
        }
        commit();
        slot = cuda_norm_turn_back(slot, buffers.x.pieces);
    }
}

/* Fetches the signs of the first two units of the results, whose memory the sums have used. */
template <bool WHOLE, class T>
__device__ static inline void
fetch_first_signs(const cuda_norm_resident_job &job, const backward_buffers<T> &buffers,
                  const cuda_norm_lane<T> &lane, const cuda_norm_units &of)
{
    for (int32_t turn = of.count - 1; turn >= 0 && turn >= of.count - 2; turn--)
        cuda_norm_fetch_signs<WHOLE>(buffers.window_of(turn), job.reserve,
                                     cuda_norm_piece_of<WHOLE>(job.shape, lane, of, turn, false),
                                     job.shape, lane);
    commit();
}

/* Returns the cell of a channel before its sums are known. */
__device__ static inline cuda_norm_cell cell_of(const cuda_norm_resident_job &job, int32_t channel)
{
    cuda_norm_cell cell = {};

    cell.mean = job.mean[channel];
    cell.inv_std = job.inv_std[channel];
    cell.scale = job.scale[channel];
    return cell;
}

template <class T, bool SIGNED, bool WITH_DZ, bool WHOLE>
__global__ void __launch_bounds__(CUDA_THREADS, 1)
    norm_resident_backward(const __grid_constant__ cuda_norm_resident_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    CUDA_SHARED(shared);
    const cuda_norm_resident &shape = job.shape;
    const cuda_norm_lane<T> lane = cuda_norm_lane_of<T>(shape);
    backward_buffers<T> buffers = {cuda_norm_ring_of<T>(shape, shared, lane, 0),
                                   cuda_norm_ring_of<T>(shape, shared, lane, 1), nullptr,
                                   cuda_norm_window<WHOLE>(shape)};
    backward_rest *rest =
        (backward_rest *)(shared + 2 * CUDA_NORM_WARPS * buffers.x.pieces * buffers.x.size);
    const cuda_norm_units of = cuda_norm_units_of(shape, lane);
    const int32_t channel = cuda_norm_finished(shape, lane);
    double first[LANES] = {}, second[LANES] = {};
    cuda_norm_backward_cells<LANES> cells;
    cuda_norm_cell cell;
    double2 total;
    int32_t done;

    if (lane.block >= shape.blocks)
        return;
    buffers.windows = (uint32_t *)(rest + 1) + lane.warp * 2 * buffers.window;
#pragma unroll
    for (int l = 0; l < LANES; l++)
        cells.shift[l] = job.mean[lane.channel + l];
    done = sum_units<T, SIGNED, WITH_DZ, WHOLE>(job, buffers, lane, of, cells.shift, first, second);
    wait_all();
    cell = cell_of(job, channel);
    __syncthreads();
    cuda_norm_give_partial<T>(job, (double2 *)(rest + 1), lane, first, second);
    if (SIGNED && !WITH_DZ)
        fetch_first_signs<WHOLE>(job, buffers, lane, of);
    total = cuda_norm_join_blocks<T>(job, rest->joined, lane);
    if ((int32_t)threadIdx.x < shape.slab) {
        cuda_norm_gradient_cell(cell, total.x, total.y, job.count);
        cuda_norm_backward_coefficients::make(&rest->coefficients[0][threadIdx.x],
                                              CUDA_NORM_SLAB_MAX, cell);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        cells.shift[l] = rest->coefficients[0][lane.x * LANES + l];
        cells.dscale[l] = rest->coefficients[1][lane.x * LANES + l];
        cells.rest[l] = rest->coefficients[2][lane.x * LANES + l];
        cells.slope[l] = rest->coefficients[3][lane.x * LANES + l];
    }
    if (lane.block == 0 && (int32_t)threadIdx.x < shape.slab) {
        cuda_norm_store<T>(job.dscale, channel, total.y * cell.inv_std, job.parameters, false);
        cuda_norm_store<T>(job.dbias, channel, total.x, job.parameters, false);
    }
    wait_all();
    give_units<T, SIGNED && !WITH_DZ, WHOLE>(job, WITH_DZ ? job.out_z : job.beside, buffers, lane,
                                             of, done, cells);
}

/* The kernels with activation: [with dz][whole]. */
template <class T>
static void (*const active[2][2])(cuda_norm_resident_job) = {
    {norm_resident_backward<T, true, false, false>, norm_resident_backward<T, true, false, true>},
    {norm_resident_backward<T, true, true, false>, norm_resident_backward<T, true, true, true>}};

template <class T> static int32_t run(const cuda_call *call, cuda_norm_resident_job *job)
{
    void (*kernel)(cuda_norm_resident_job) =
        job->reserve ? active<T>[job->out_z != nullptr][job->shape.is_whole]
                     : norm_resident_backward<T, false, false, false>;

    return cuda_norm_resident_launch(call, kernel, job);
}

int32_t cuda_norm_resident_backward(const cuda_call *call, int32_t type,
                                    cuda_norm_resident_job *job)
{
    return cuda_norm_by_type(type, [=](auto x) { return run<decltype(x)>(call, job); });
}
