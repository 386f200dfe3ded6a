/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization without means of packed NHWC, in windows of 5 x 5. A thread has 4 channels
 * at 2 neighbouring positions and iterates down an image. The threads of a block exchange values in
 * shared memory for the sums along w. The sums of this row and the four before are in registers.
 * Each tensor is thus moved once, except at the borders between blocks. */
#include "divisive_channels.h"

/* The blocks that a multiprocessor should get, and the rows below which an image is not divided for
 * that. */
#define BLOCKS     4
#define LEAST_ROWS 16

/* The rows in flight. */
#define FORWARD_AHEAD 4

/* Computes y. A row's y is complete two rows after its x is read. */
template <class T, bool USUAL>
__global__ void __launch_bounds__(THREADS, sizeof(T) == 2 ? 4 : 3)
    divisive_channels_forward(divisive_channels p)
{
    enum { AHEAD = FORWARD_AHEAD };
    __shared__ shared_row rows[2];
    __shared__ coming_row<T> coming[AHEAD];
    if (USUAL)
        make_usual(p);
    divisive_column at = column_of(p);
    int end = end_of(p, at, REACH);
    float ring[ROWS][LRN_RUN] = {};
    pair<T> x[ROWS];

    clear_ends(at, rows[0]);
    clear_ends(at, rows[1]);
    for (int h = at.begin - REACH; h < at.begin - REACH + AHEAD; h++) {
        send_for<T>(p, at, p.x, h, end, coming[h & (AHEAD - 1)]);
        commit();
    }
    for (int first = at.begin - REACH; first < at.end + REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, to = h - REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], y[LRN_RUN];
            const pair<T> &here = x[(r + ROWS - REACH) % ROWS];

            wait<AHEAD - 1>();
            take(coming[h & (AHEAD - 1)], &x[r]);
            send_for<T>(p, at, p.x, h + AHEAD, end, coming[h & (AHEAD - 1)]);
            commit();
            take_row<T>(p, at, rows[h & 1], x[r], ring[r]);
            if (to < at.begin || to >= at.end)
                continue;
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                y[i] = element_of(here, i) * power[i][0];
            write_pair<T>(p, at, to, y);
        }
    }
}

/* Starts copying row h of x and row h - REACH of dy. */
template <class T>
__device__ static inline void send_for_both(const divisive_channels &p, const divisive_column &at,
                                            int h, coming_row<T> (&to)[2])
{
    send_for<T>(p, at, p.x, h, end_of(p, at, 2 * REACH), to[0]);
    send_for<T>(p, at, p.dy, h - REACH, end_of(p, at, REACH), to[1]);
    commit();
}

/* Computes dx. A row's dx is complete two rows after its sums, which are two rows behind x. At
 * positions outside the image, dy is zero, so its factor is zero too. */
template <class T, bool USUAL>
__global__ void __launch_bounds__(THREADS, sizeof(T) == 2 ? 3 : 2)
    divisive_channels_backward(divisive_channels p)
{
    enum { AHEAD = backward_ahead<T>::ROWS_AHEAD };
    __shared__ shared_row squares, factors;
    __shared__ coming_row<T> coming[AHEAD][2];
    __shared__ float4 direct[ROWS][POSITIONS][THREADS];
    if (USUAL)
        make_usual(p);
    divisive_column at = column_of(p);
    float ring[ROWS][LRN_RUN] = {}, shared[ROWS][LRN_RUN] = {};
    pair<T> x[ROWS] = {};

    clear_ends(at, squares);
    clear_ends(at, factors);
    for (int h = at.begin - 2 * REACH; h < at.begin - 2 * REACH + AHEAD; h++)
        send_for_both<T>(p, at, h, coming[h & (AHEAD - 1)]);
    for (int first = at.begin - 2 * REACH; first < at.end + 2 * REACH; first += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int h = first + r, middle = h - REACH, to = middle - REACH;
            float sum[LRN_RUN][1], power[LRN_RUN][1], inverse[LRN_RUN][1], factor[LRN_RUN];
            pair<T> dy;
            const pair<T> &here = x[(r + ROWS - REACH) % ROWS], &back = x[(r + 1) % ROWS];

            wait<AHEAD - 1>();
            take(coming[h & (AHEAD - 1)][0], &x[r]);
            take_row<T>(p, at, squares, x[r], ring[r]);
            sum_rows(ring, sum);
            lrn_powers<1>(p.f, sum, power, inverse);
            take(coming[h & (AHEAD - 1)][1], &dy);
            send_for_both<T>(p, at, h + AHEAD, coming[h & (AHEAD - 1)]);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++) {
                power[i][0] *= element_of(dy, i);
                factor[i] = power[i][0] * (element_of(here, i) * inverse[i][0]);
            }
            keep(direct[r], power);
            sum_row(at, factors, factor, shared[r]);
            if (to < at.begin || to >= at.end)
                continue;
            sum_rows(shared, sum);
            fetch(direct[(r + ROWS - REACH) % ROWS], factor);
#pragma unroll
            for (int i = 0; i < LRN_RUN; i++)
                factor[i] -= p.through * element_of(back, i) * sum[i][0];
            write_pair<T>(p, at, to, factor);
        }
    }
}

/* ------------------------------------------------------------------ on the host */

int divisive_channels_take(const struct divisive_tiles *tiles, int backward)
{
    uintptr_t addresses = (uintptr_t)tiles->x | (uintptr_t)tiles->out;

    if (backward)
        addresses |= (uintptr_t)tiles->dy;
    return !tiles->along_rows && tiles->dims[DIVISIVE_DEPTH] == 1 &&
           addresses % sizeof(uint4) == 0 && tiles->dims[DIVISIVE_ROW] % CHANNELS == 0 &&
           tiles->dims[DIVISIVE_ACROSS] < INT32_MAX / 2 &&
           tiles->dims[DIVISIVE_ALONG] < INT32_MAX / 2 &&
           tiles->dims[DIVISIVE_ROW] < INT32_MAX / 2 && tiles->before[DIVISIVE_ALONG] == REACH &&
           tiles->after[DIVISIVE_ALONG] == REACH && tiles->out != tiles->x &&
           tiles->out != tiles->dy;
}

/* Divides rows into blocks, and then channels and, if there are still too few blocks, the height.
 * Several blocks of a row overlap by `halo` pairs. Returns the number of blocks. */
static int64_t shape_blocks(struct divisive_channels *channels, int64_t images, int backward,
                            int32_t multiprocessors)
{
    int64_t blocks;
    int pairs;

    channels->log_pairs = LEAST_PAIRS;
    while (channels->log_pairs < MOST_PAIRS && POSITIONS << channels->log_pairs < channels->wide)
        channels->log_pairs++;
    pairs = 1 << channels->log_pairs;
    channels->halo = POSITIONS * pairs >= channels->wide ? 0 : (1 + backward) * REACH / POSITIONS;
    channels->blocks_w =
        (uint32_t)cuda_blocks(channels->wide, POSITIONS * (pairs - 2 * channels->halo));
    channels->blocks_c = (uint32_t)cuda_blocks(channels->channels, CHANNELS * (THREADS / pairs));
    channels->rows = channels->high;
    blocks = images * channels->blocks_w * channels->blocks_c;
    while (channels->rows >= 2 * LEAST_ROWS &&
           blocks * cuda_blocks(channels->high, channels->rows) < (int64_t)BLOCKS * multiprocessors)
        channels->rows = (channels->rows + 1) / 2;
    channels->blocks_h = (uint32_t)cuda_blocks(channels->high, channels->rows);
    return blocks * channels->blocks_h;
}

/* Launches the kernel for the factors. In 16 bits, the usual backward kernel would spill registers:
 * without tests between its rows, the compiler interleaves them. */
template <class T>
static int32_t run(const struct divisive_channels *channels, int64_t blocks, int backward,
                   const cuda_call *call)
{
    enum { USUAL_BACKWARD = sizeof(T) == sizeof(float) };
    int usual = channels->f.three_quarters && lrn_is_plain(channels->blend);
    void (*forward)(divisive_channels) =
        usual ? divisive_channels_forward<T, true> : divisive_channels_forward<T, false>;
    void (*back)(divisive_channels) = usual ? divisive_channels_backward<T, USUAL_BACKWARD>
                                            : divisive_channels_backward<T, false>;

    return cuda_launch_threads(call, backward ? back : forward, blocks, 1, THREADS, *channels);
}

int32_t divisive_channels_run(const struct divisive_tiles *tiles, int32_t type, int backward,
                              const cuda_call *call)
{
    struct divisive_channels channels = {tiles->x,
                                         tiles->dy,
                                         tiles->out,
                                         tiles->blend,
                                         tiles->f,
                                         tiles->through,
                                         (int32_t)tiles->dims[DIVISIVE_ACROSS],
                                         (int32_t)tiles->dims[DIVISIVE_ALONG],
                                         (int32_t)tiles->dims[DIVISIVE_ROW],
                                         tiles->dims[DIVISIVE_ALONG] * tiles->dims[DIVISIVE_ROW]};
    int64_t blocks =
        shape_blocks(&channels, tiles->dims[DIVISIVE_IMAGE], backward, tiles->multiprocessors);

    return type == ANYDNN_PLUGIN_FLOAT  ? run<float>(&channels, blocks, backward, call)
           : type == ANYDNN_PLUGIN_HALF ? run<cuda_half>(&channels, blocks, backward, call)
                                        : run<cuda_bfloat16>(&channels, blocks, backward, call);
}
