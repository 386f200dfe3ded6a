/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization training in one kernel: computes mean, variance and y. */
#include "batch_norm_finish.h"
#include "batch_norm_resident_join.h"

/* The part of a block's shared memory after its rings. */
struct forward_rest {
    double2 joined[CUDA_THREADS];
    float coefficients[cuda_norm_forward_coefficients::COUNT][CUDA_NORM_SLAB_MAX];
};

/* Adds a piece to the sums. FULL is the number of rows of each lane, or 0: then `count` is. */
template <class T, int FULL, int LANES>
__device__ static inline void add_piece(const cuda_vector<T> *from, int32_t count,
                                        const float (&shift)[LANES], double (&first)[LANES],
                                        double (&second)[LANES])
{
    float sum[LANES] = {}, square[LANES] = {};

#pragma unroll
    for (int r = 0; r < (FULL ? FULL : CUDA_NORM_GROUP); r++) {
        if (FULL || r < count)
            cuda_norm_add_value<T, LANES>(sum, square, from[r * 32], shift);
    }
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        first[l] += (double)sum[l];
        second[l] += (double)square[l];
    }
}

/* Returns the shift: the channel's first value, or 0 if that is not finite. */
template <class T>
__device__ static inline float shift_of(const cuda_norm_resident_job &job, int32_t channel)
{
    float shift = cuda_load(((const T *)job.x)[channel]);

    return isfinite(shift) ? shift : 0;
}

/* Adds up the warp's units minus the shift, and leaves the last pieces in the ring. The shift is
 * read while the first copies are in flight. Returns the number of pieces. */
template <class T, bool WHOLE, int AHEAD, int LANES>
__device__ static inline int32_t
sum_units(const cuda_norm_resident_job &job, const cuda_norm_ring<T> &ring,
          const cuda_norm_lane<T> &lane, const cuda_norm_units &of, float (&shift)[LANES],
          double (&first)[LANES], double (&second)[LANES])
{
    enum { FULL = cuda_norm_full<WHOLE>::ROWS };
    const cuda_norm_resident &shape = job.shape;
    cuda_norm_piece at = cuda_norm_piece_of<WHOLE>(shape, lane, of, 0, false);
    cuda_norm_piece next = at;
    int32_t in = 0, out = 0, done = 0;

    for (int k = 0; k < AHEAD; k++) {
        if (next.turn >= 0) {
            cuda_norm_fetch<WHOLE>(cuda_norm_ring_at(ring, in), job.x, next, shape, lane.g);
            cuda_norm_forth<WHOLE>(next, shape, lane, of);
        }
        commit();
        in = cuda_norm_turn(in, ring.pieces);
    }
#pragma unroll
    for (int l = 0; l < LANES; l++)
        shift[l] = shift_of<T>(job, lane.channel + l);
    for (; at.turn >= 0; done++) {
        const cuda_vector<T> *from = cuda_norm_ring_at(ring, out);

        if (next.turn >= 0) {
            cuda_norm_fetch<WHOLE>(cuda_norm_ring_at(ring, in), job.x, next, shape, lane.g);
            cuda_norm_forth<WHOLE>(next, shape, lane, of);
        }
        commit();
        wait<AHEAD>();
        if (cuda_norm_is_full<WHOLE>(at, shape, lane.g))
            add_piece<T, FULL>(from, FULL, shift, first, second);
        else
            add_piece<T, 0>(from, cuda_norm_rows_of<WHOLE>(at, shape), shift, first, second);
        cuda_norm_forth<WHOLE>(at, shape, lane, of);
        in = cuda_norm_turn(in, ring.pieces);
        out = cuda_norm_turn(out, ring.pieces);
    }
    return done;
}

/* Computes a piece of y and its signs. */
template <class T, int ACTIVE, bool WITH_Z, int FULL, int LANES>
__device__ static inline void give_piece(const cuda_norm_resident_job &job, const cuda_vector<T> *x,
                                         const cuda_vector<T> *z, T *to, int32_t count,
                                         const cuda_norm_forward_cells<LANES> &cells,
                                         const cuda_norm_rule &rule, unsigned (&signs)[LANES])
{
#pragma unroll
    for (int r = 0; r < (FULL ? FULL : CUDA_NORM_GROUP); r++, to += job.shape.channels) {
        float y[LANES];

        if (!FULL && r >= count)
            continue;
        cuda_norm_forward_row<T, ACTIVE, WITH_Z, LANES>(y, x[r * 32], z[r * 32], cells, rule, signs,
                                                        r);
        cuda_norm_give(to, y);
    }
}

/* The second pass of a warp: computes the results in the opposite order. */
template <class T, int ACTIVE, bool WITH_Z, bool WHOLE, int AHEAD, int LANES>
struct forward_results {
    enum { FULL = cuda_norm_full<WHOLE>::ROWS };

    const cuda_norm_resident_job &job;
    const cuda_norm_lane<T> &lane;
    const cuda_norm_units &of;
    const cuda_norm_ring<T> x, z;
    uint32_t *window;
    cuda_norm_piece at, next_x, next_z;
    int32_t slot, slot_z;

    /* Begins after `done` pieces, and starts the first copies of z. */
    __device__ inline void begin(int32_t done)
    {
        at = cuda_norm_piece_of<WHOLE>(job.shape, lane, of, of.count - 1, true);
        slot = slot_z = done ? (done - 1) % x.pieces : 0;
        next_x = next_z = at;
        for (int32_t k = 0; k < x.pieces && k < done && next_x.turn >= 0; k++)
            cuda_norm_back<WHOLE>(next_x, job.shape, lane, of);
        for (int k = 0; k < AHEAD && WITH_Z; k++) {
            fetch_z();
            commit();
        }
    }
    __device__ inline void fetch_z()
    {
        if (next_z.turn >= 0) {
            cuda_norm_fetch<WHOLE>(cuda_norm_ring_at(z, slot_z), job.beside, next_z, job.shape,
                                   lane.g);
            cuda_norm_back<WHOLE>(next_z, job.shape, lane, of);
            slot_z = cuda_norm_turn_back(slot_z, z.pieces);
        }
        commit();
    }
    /* Computes one piece. Each piece commits one group of copies of z and one of x. */
    __device__ inline void give(const cuda_norm_forward_cells<LANES> &cells,
                                const cuda_norm_rule &rule)
    {
        cuda_vector<T> *from = cuda_norm_ring_at(x, slot);
        const cuda_vector<T> *beside = cuda_norm_ring_at(z, slot);
        T *to = (T *)job.out + at.at;
        unsigned signs[LANES] = {};

        if (WITH_Z)
            fetch_z();
        wait<WITH_Z ? 2 * AHEAD : AHEAD>();
        if (cuda_norm_is_full<WHOLE>(at, job.shape, lane.g))
            give_piece<T, ACTIVE, WITH_Z, FULL>(job, from, beside, to, FULL, cells, rule, signs);
        else
            give_piece<T, ACTIVE, WITH_Z, 0>(
                job, from, beside, to, cuda_norm_rows_of<WHOLE>(at, job.shape), cells, rule, signs);
        if (next_x.turn >= 0) {
            cuda_norm_fetch<WHOLE>(from, job.x, next_x, job.shape, lane.g);
            cuda_norm_back<WHOLE>(next_x, job.shape, lane, of);
        }
        commit();
        if (ACTIVE) {
            cuda_norm_put_signs<WHOLE>(window, signs, at, job.shape, lane);
            if (cuda_norm_is_first<WHOLE>(at, job.shape, lane.g))
                cuda_norm_give_signs<WHOLE>(job.reserve, window, at, job.shape, lane);
        }
        slot = cuda_norm_turn_back(slot, x.pieces);
        cuda_norm_back<WHOLE>(at, job.shape, lane, of);
    }
};

/* Returns the cell of a channel before its sums are known. x is read before the blocks synchronize,
 * because y may alias x. */
template <class T>
__device__ static inline cuda_norm_cell cell_of(const cuda_norm_resident_job &job, int32_t channel,
                                                float &shift)
{
    cuda_norm_cell cell = {};

    cell.scale = job.scale[channel];
    cell.bias = job.bias ? job.bias[channel] : 0;
    shift = shift_of<T>(job, channel);
    return cell;
}

/* Stores the values that training keeps of a channel. */
template <class T>
__device__ static inline void keep(const cuda_norm_resident_job &job, int32_t channel,
                                   const cuda_norm_moments &moments)
{
    void *const data[] = {job.running_mean, job.running_var, job.mean, job.inv_std};
    const int64_t at[] = {channel, channel, channel, channel};

    cuda_norm_keep<T>(data, at, moments, job.count, job.factor, 0);
}

template <class T, int ACTIVE, bool WITH_Z, bool WHOLE>
__global__ void __launch_bounds__(CUDA_THREADS, 1)
    norm_resident_forward(const __grid_constant__ cuda_norm_resident_job job)
{
    enum { LANES = cuda_vector<T>::LANES };
    enum { AHEAD = WITH_Z ? CUDA_NORM_AHEAD_BESIDE : CUDA_NORM_AHEAD, RINGS = WITH_Z ? 2 : 1 };
    CUDA_SHARED(shared);
    const cuda_norm_resident &shape = job.shape;
    const cuda_norm_lane<T> lane = cuda_norm_lane_of<T>(shape);
    const cuda_norm_ring<T> x = cuda_norm_ring_of<T>(shape, shared, lane, 0);
    const cuda_norm_ring<T> z = cuda_norm_ring_of<T>(shape, shared, lane, RINGS - 1);
    forward_rest *rest = (forward_rest *)(shared + RINGS * CUDA_NORM_WARPS * x.pieces * x.size);
    uint32_t *windows = (uint32_t *)(rest + 1);
    uint32_t *window = windows + lane.warp * cuda_norm_window<WHOLE>(shape);
    const cuda_norm_units of = cuda_norm_units_of(shape, lane);
    const cuda_norm_rule rule = cuda_norm_rule_of<ACTIVE>(job.f);
    const int32_t channel = cuda_norm_finished(shape, lane);
    double first[LANES] = {}, second[LANES] = {};
    cuda_norm_forward_cells<LANES> cells;
    cuda_norm_moments moments = {};
    cuda_norm_cell cell;
    double2 total;
    float shift;
    int32_t done;

    if (lane.block >= shape.blocks)
        return;
    done = sum_units<T, WHOLE, AHEAD>(job, x, lane, of, cells.shift, first, second);
    cell = cell_of<T>(job, channel, shift);

    forward_results<T, ACTIVE, WITH_Z, WHOLE, AHEAD, LANES> results = {job, lane, of, x, z, window,
                                                                       {},  {},   {}, 0, 0};
    results.begin(done);
    cuda_norm_give_partial<T>(job, (double2 *)windows, lane, first, second);
    if (ACTIVE && WHOLE) {
        for (int32_t i = lane.lane; i < shape.words; i += 32)
            window[i] = 0;
    }
    total = cuda_norm_join_blocks<T>(job, rest->joined, lane);
    if ((int32_t)threadIdx.x < shape.slab) {
        moments = cuda_norm_moments_of(total.x, total.y, (double)shift, job.count, job.epsilon);
        cell.mean = moments.mean;
        cell.inv_std = moments.inv_std;
        cuda_norm_forward_coefficients::make(&rest->coefficients[0][threadIdx.x],
                                             CUDA_NORM_SLAB_MAX, cell);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        cells.shift[l] = rest->coefficients[0][lane.x * LANES + l];
        cells.factor[l] = rest->coefficients[1][lane.x * LANES + l];
        cells.bias[l] = rest->coefficients[2][lane.x * LANES + l];
    }
    if (lane.block == 0 && (int32_t)threadIdx.x < shape.slab)
        keep<T>(job, channel, moments);
    while (results.at.turn >= 0)
        results.give(cells, rule);
}

/* The kernels with activation: [clipped][with z][whole]. */
template <class T>
static void (*const active[2][2][2])(cuda_norm_resident_job) = {
    {{norm_resident_forward<T, CUDA_NORM_RELU, false, false>,
      norm_resident_forward<T, CUDA_NORM_RELU, false, true>},
     {norm_resident_forward<T, CUDA_NORM_RELU, true, false>,
      norm_resident_forward<T, CUDA_NORM_RELU, true, true>}},
    {{norm_resident_forward<T, CUDA_NORM_RELU_CLIPPED, false, false>,
      norm_resident_forward<T, CUDA_NORM_RELU_CLIPPED, false, true>},
     {norm_resident_forward<T, CUDA_NORM_RELU_CLIPPED, true, false>,
      norm_resident_forward<T, CUDA_NORM_RELU_CLIPPED, true, true>}},
};

template <class T> static int32_t run(const cuda_call *call, cuda_norm_resident_job *job)
{
    void (*kernel)(cuda_norm_resident_job) =
        norm_resident_forward<T, CUDA_NORM_AS_IS, false, false>;

    if (job->reserve)
        kernel = active<T>[job->f.mode == CUDA_CLIPPED_RELU][job->beside != nullptr]
                          [job->shape.is_whole];
    return cuda_norm_resident_launch(call, kernel, job);
}

int32_t cuda_norm_resident_forward(const cuda_call *call, int32_t type, cuda_norm_resident_job *job)
{
    return cuda_norm_by_type(type, [=](auto x) { return run<decltype(x)>(call, job); });
}
