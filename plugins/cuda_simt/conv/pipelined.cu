/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tiles of implicit GEMM of float, the accepted problems, the number of splits and the
 * expected time. */
#include "pipelined_gemm.h"

/* The tiles. `rate` is the measured number of multiply-adds per cycle of a full multiprocessor, of
 * 128 possible (H200). */
static const struct {
    void (*kernel)(pipelined_job), (*linear)(pipelined_job);
    int32_t m, n, threads, blocks, k_step;
    double rate;
} tiles[PIPELINED_TILES] = {
    {pipelined_kernel<shape<8, 8, 4, 2, 2, 16, 2>, false>,
     pipelined_kernel<shape<8, 8, 4, 2, 2, 16, 2>, true>, 128, 128, 256, 2, 16, 80},
    {pipelined_kernel<shape<8, 8, 4, 1, 3, 8, 4>, false>,
     pipelined_kernel<shape<8, 8, 4, 1, 3, 8, 4>, true>, 128, 64, 128, 3, 8, 66},
    {pipelined_kernel<shape<8, 8, 2, 1, 6, 8, 4>, false>,
     pipelined_kernel<shape<8, 8, 2, 1, 6, 8, 4>, true>, 64, 64, 64, 6, 8, 68},
};

/* Offsets, and sums of two offsets, fit into 31 bits. */
#define REACH         (INT64_C(1) << 30)
#define WORKSPACE_MAX (INT64_C(256) << 20)
#define LEAST_STEPS   16

static int64_t size_of(int64_t n)
{
    return n < 0 ? -n : n;
}

bool pipelined_reaches(const conv &conv)
{
    int64_t a = conv.images * conv.a_image + conv.channels * conv.groups * conv.a.step;
    int64_t b = conv.n * size_of(conv.tap_n) + conv.channels * size_of(conv.tap_channel);
    int64_t c = conv.images * conv.position_image + conv.n * conv.groups * conv.position.step;

    if (!conv.narrow)
        return false;
    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++) {
        const conv_dim &dim = conv.dim[d];

        if (dim.taps > MASK_BITS)
            return false;
        a += (dim.a_extent + dim.pad + dim.taps * dim.dilation) * size_of(dim.a);
        b += dim.taps * size_of(dim.tap);
        c += dim.positions * size_of(dim.position);
    }
    return a < REACH && b < REACH && c < REACH;
}

/* Returns true if every 4 positions from a multiple of 4 on are adjacent in A, under each tap. */
static bool positions_are_wide(const conv &conv)
{
    int64_t along = 1;

    for (int d = CONV_DIMS_MAX - 1; d >= CONV_FIRST; d--) {
        const conv_dim &dim = conv.dim[d];

        if (dim.taps != 1 || dim.pad != 0 || dim.stride != 1 || dim.a_extent != dim.positions ||
            (dim.positions > 1 && dim.a != along))
            return false;
        along *= dim.positions;
    }
    return along % 4 == 0 && conv.a_image % 4 == 0 && conv.a.step % 4 == 0;
}

static bool channels_are_wide(const conv &conv, int64_t step, int64_t image, bool by_position)
{
    bool wide = step == 1 && image % 4 == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        wide = wide && (by_position ? conv.dim[d].position : conv.dim[d].a) % 4 == 0;
    return wide;
}

static bool filters_are_wide(const conv &conv)
{
    bool wide = conv.tap_n == 1 && conv.n % 4 == 0 && conv.tap_channel % 4 == 0 &&
                conv.tap_group % 4 == 0 && conv.tap_first % 4 == 0;

    for (int d = CONV_FIRST; d < CONV_DIMS_MAX; d++)
        wide = wide && conv.dim[d].tap % 4 == 0;
    return wide;
}

static void fill_layout(pipelined_job *job)
{
    const conv &conv = job->conv;
    bool is_wgrad = conv_job_is_wgrad(*job);
    bool channels = conv.a.step == 1 && conv.channels > 1;
    bool c_channels =
        conv.n % 4 == 0 && channels_are_wide(conv, conv.position.step, conv.position_image, true);

    job->channels_inside = channels;
    job->a_is_m_major = is_wgrad == channels;
    job->b_is_n_major = (is_wgrad ? conv.position.step : conv.tap_n) == 1;
    job->c_is_m_major = (is_wgrad ? conv.tap_n : conv.position.step) != 1;
    job->a_is_wide = is_wgrad ? channels && conv.channels % 4 == 0 &&
                                    channels_are_wide(conv, conv.a.step, conv.a_image, false)
                              : positions_are_wide(conv);
    job->b_is_wide = is_wgrad ? c_channels : filters_are_wide(conv);
    job->c_is_wide = is_wgrad ? filters_are_wide(conv) : c_channels;
}

/* Returns true if the positions of A's tensor and of the tensor by position each have one constant
 * stride. This requires a filter of one tap, and neither padding nor skipped elements. */
static bool positions_are_linear(const conv &conv, int64_t *a, int64_t *by_position)
{
    const conv_dim &last = conv.dim[CONV_DIMS_MAX - 1];
    int64_t count = 1;

    *a = last.a;
    *by_position = last.position;
    for (int d = CONV_DIMS_MAX - 1; d >= CONV_FIRST; d--) {
        const conv_dim &dim = conv.dim[d];

        if (dim.taps != 1 || dim.pad != 0 || dim.stride != 1 || dim.a_extent != dim.positions ||
            (dim.positions > 1 && (dim.a != count * *a || dim.position != count * *by_position)))
            return false;
        count *= dim.positions;
    }
    return conv.images == 1 ||
           (conv.a_image == count * *a && conv.position_image == count * *by_position);
}

/* Returns true if the k of every step have constant strides: they are channels under one tap, or
 * positions. */
static bool fill_linear(pipelined_job *job, const conv_gemm &gemm, int64_t k_step)
{
    const conv &conv = job->conv;
    int64_t a = conv.a.step, b = conv.tap_channel;
    bool is_linear;

    if (conv_job_is_wgrad(*job))
        is_linear = gemm.k % k_step == 0 && positions_are_linear(conv, &a, &b);
    else
        is_linear = conv.channels % k_step == 0 && (job->channels_inside || conv_taps(&conv) == 1);
    job->k_a = (int32_t)a;
    job->k_b = (int32_t)b;
    return is_linear && (job->a_is_m_major || a == 1) && (job->b_is_n_major || b == 1);
}

/* Fills in the members that follow from the tile and the number of splits. Returns the cycles, or
 * -1 if a limit is exceeded. */
static double try_splits(pipelined_state *state, const conv_gemm &gemm, int32_t splits,
                         int32_t multiprocessors)
{
    pipelined_job *job = &state->job;
    const auto &tile = tiles[state->tile];
    int64_t units = job->conv.groups * job->conv.classes;
    int64_t steps = cuda_ceil_div(gemm.k, (int64_t)tile.k_step);
    int64_t m_tiles = cuda_ceil_div(gemm.m, (int64_t)tile.m);
    int64_t n_tiles = cuda_ceil_div(job->conv.n, (int64_t)tile.n), waves;
    double blocks, whole, step = tile.m * tile.n * tile.k_step / (tile.rate / tile.blocks);

    job->k_per_split = (int32_t)cuda_ceil_div(steps, (int64_t)splits);
    job->splits = (int32_t)cuda_ceil_div(steps, (int64_t)job->k_per_split);
    job->m_tiles = (int32_t)m_tiles;
    job->n_tiles = (int32_t)n_tiles;
    state->workspace =
        job->splits == 1 ? 0 : job->splits * units * gemm.m * job->conv.n * (int64_t)sizeof(float);
    blocks = (double)m_tiles * (double)n_tiles * (double)units * job->splits;
    if (blocks > (double)CUDA_BLOCKS_MAX || state->workspace > WORKSPACE_MAX)
        return -1;
    state->is_full = blocks >= (double)multiprocessors * tile.blocks;
    waves = (int64_t)(blocks / multiprocessors / tile.blocks);
    whole =
        blocks / multiprocessors - (double)waves * tile.blocks; /* of the last wave, in blocks */
    /* A partial wave takes as long as its fullest multiprocessor, and hides less latency. */
    whole = whole > 0 ? 0.35 + 0.65 * (double)(int64_t)(whole + 0.999) / tile.blocks : 0;
    return 3000 + ((double)waves + whole) * (job->k_per_split * step + 1200 * tile.blocks) +
           (state->workspace ? 4000 + 2.0 * (double)state->workspace / (20.0 * multiprocessors)
                             : 0);
}

void pipelined_prepare(pipelined_state *state, const conv_job &job, int32_t tile,
                       int32_t multiprocessors, int splits)
{
    conv_gemm gemm = conv_gemm_of(&job.conv);
    int64_t steps = cuda_ceil_div(gemm.k, (int64_t)tiles[tile].k_step);
    pipelined_state tried = {};

    *state = {};
    if (!pipelined_reaches(job.conv) || gemm.k == 0)
        return;
    *(conv_job *)&tried.job = job;
    tried.tile = tile;
    tried.is_possible = 1;
    tried.job.m = (int32_t)gemm.m;
    fill_layout(&tried.job);
    tried.is_linear = fill_linear(&tried.job, gemm, tiles[tile].k_step);
    for (int32_t n = 1; n == 1 || (splits && steps / n >= LEAST_STEPS && n <= 512);
         n = n < 8 ? n + 1 : n + n / 8) {
        tried.cycles = try_splits(&tried, gemm, n, multiprocessors);
        if (tried.cycles >= 0 && (!state->is_possible || tried.cycles < state->cycles))
            *state = tried;
    }
}

static bool is_aligned(const void *pointer)
{
    return (uintptr_t)pointer % 16 == 0;
}

int32_t pipelined_run(const pipelined_state *state, const cuda_call *call, const conv_job &job)
{
    const auto &tile = tiles[state->tile];
    pipelined_job own = state->job;
    int32_t status;
    bool plain = !job.output.bias && job.output.blend.alpha == 1 && job.output.blend.beta == 0;

    own.a = job.a;
    own.b = job.b;
    own.output = job.output;
    own.partial = job.partial;
    own.one = 1;
    own.a_is_wide = own.a_is_wide && is_aligned(own.a);
    own.b_is_wide = own.b_is_wide && is_aligned(own.b);
    own.c_is_wide = own.partial ? own.conv.n % 4 == 0 && is_aligned(own.partial)
                                : own.c_is_wide && plain && is_aligned(own.output.data);
    status = cuda_launch_threads(call, state->is_linear ? tile.linear : tile.kernel,
                                 (int64_t)own.m_tiles * own.n_tiles * own.splits * own.conv.groups *
                                     own.conv.classes,
                                 1, tile.threads, own);
    return status || !own.partial ? status : conv_reduce_splits(call, own);
}
