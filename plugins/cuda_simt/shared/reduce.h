/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions on the host: the choice of the kernels of reduce_kernels.h, their tiles and splits. */
#ifndef CUDA_SIMT_SHARED_REDUCE_H
#define CUDA_SIMT_SHARED_REDUCE_H

#include "reduce_rows.h"

/* A form of a reduction. */
struct cuda_reduce_form {
    cuda_walk reduced;
    cuda_tile tile;
    int64_t splits, blocks; /* blocks along x */
};

struct cuda_reduce_plan {
    cuda_walk kept;
    cuda_reduce_form elements, vectors;
    int32_t can_vectors; /* usable if the operands begin at multiples of 16 bytes */
    int32_t is_across;   /* 1 if the vectors are of results */
};

/* Chooses the tile of a block. It puts threads along the reduced dims if these are contiguous, and
 * only few of them if each has little to do. */
static inline cuda_tile cuda_tile_choose(int64_t kept, int64_t reduced, int along)
{
    cuda_tile tile = {0, along};
    int32_t log_y = 0, most_y = 8;

    for (int32_t log_x = 0; !along && log_x < 5 && INT64_C(1) << log_x < kept; log_x++)
        most_y--;
    while (log_y < most_y && (INT64_C(4) << log_y) < reduced)
        log_y++;
    tile.log_x = 8 - log_y;
    return tile;
}

/* Chooses the blocks and splits. The blocks fill the device several times, so that the last ones
 * cost little, but each must have enough to do. The number of splits is limited, so that they are
 * joined soon. `kept` counts results, or vectors of them. */
static inline void cuda_reduce_form_make(cuda_reduce_form *form, int64_t kept, int along,
                                         int32_t most_splits, const struct anydnn_plugin_plan *plan)
{
    int64_t wanted, most, joined = (int64_t)plan->context->multiprocessors * most_splits;

    form->tile = cuda_tile_choose(kept, form->reduced.count, along);
    form->blocks = cuda_blocks(kept, INT64_C(1) << form->tile.log_x);
    wanted = cuda_blocks((int64_t)plan->context->multiprocessors * 32, form->blocks);
    most = form->reduced.count / ((CUDA_THREADS >> form->tile.log_x) * INT64_C(8));
    most = most < joined ? most : joined;
    form->splits = wanted < most ? wanted : most;
    if (form->splits < 1 || !plan->context->has_pools)
        form->splits = 1;
}

/* Returns 1 if every input can be read in vectors along the reduced dims. */
static inline int cuda_reduce_is_along(const cuda_reduce_plan *state, const cuda_walk *reduced,
                                       int can, int tensors, int lanes)
{
    for (int t = 0; t < tensors; t++) {
        can = can && cuda_walk_unit(reduced, t);
        for (int32_t d = 0; d < state->kept.ndims; d++)
            can = can && (state->kept.dims[d] == 1 || state->kept.strides[d][t] % lanes == 0);
    }
    return can;
}

/* Returns 1 if every input can be read in vectors of results. */
static inline int cuda_reduce_is_across(const cuda_reduce_plan *state, const cuda_walk *reduced,
                                        int tensors, int lanes)
{
    int can = state->kept.ndims == 1 && state->kept.count % lanes == 0;

    for (int t = 0; t < tensors; t++) {
        can = can && cuda_walk_unit(&state->kept, t);
        for (int32_t d = 0; d < reduced->ndims; d++)
            can = can && (reduced->dims[d] == 1 || reduced->strides[d][t] % lanes == 0);
    }
    return can;
}

/* Prepares a reduction. `tensor` has IN, EXTRA and OUT tensors. `reduced` has the reduced dims as
 * bits. */
template <class Op>
static void cuda_reduce_prepare(cuda_reduce_plan *state, const struct anydnn_plugin_plan *plan,
                                const struct anydnn_plugin_tensor *const tensor[], uint32_t reduced,
                                int order)
{
    enum { LANES = cuda_vector<typename Op::T>::LANES };
    cuda_walk *walk = &state->elements.reduced;
    int along, can;

    cuda_walk_make(&state->kept, tensor, Op::IN + Op::EXTRA + Op::OUT, ~reduced, KIT_WALK_SORTED);
    cuda_walk_make(walk, tensor, Op::IN + Op::EXTRA, reduced, order);
    along = state->kept.count == 1 ||
            walk->strides[walk->ndims - 1][0] <= state->kept.strides[state->kept.ndims - 1][0];
    cuda_reduce_form_make(&state->elements, state->kept.count, along, CUDA_REDUCE_SPLITS, plan);
    can = cuda_walk_vectors(&state->vectors.reduced, walk, Op::IN, LANES);
    state->can_vectors = along && cuda_reduce_is_along(state, walk, can, Op::IN, LANES);
    if (state->can_vectors) {
        cuda_reduce_form_make(&state->vectors, state->kept.count, 1, CUDA_REDUCE_SPLITS, plan);
    } else if (cuda_reduce_is_across(state, walk, Op::IN, LANES)) {
        state->can_vectors = state->is_across = 1;
        state->vectors.reduced = *walk;
        cuda_reduce_form_make(&state->vectors, state->kept.count / LANES, 0,
                              Op::RUNS == 1 ? CUDA_REDUCE_ACROSS : CUDA_REDUCE_SPLITS, plan);
    }
}

/* Joins the partial sums of a job. Each thread takes about two of a result's partial sums, so that
 * all loads are in flight at once. */
template <class Op>
static int32_t cuda_reduce_join_run(const cuda_call *call, cuda_reduce_job<Op> *job)
{
    job->log_joiners = 5;
    while (job->log_joiners < 8 && INT64_C(2) << job->log_joiners < job->splits)
        job->log_joiners++;
    return cuda_launch(call, cuda_reduce_join<Op>,
                       cuda_blocks(job->kept.count, CUDA_THREADS >> job->log_joiners), 1, *job);
}

template <class Op>
static int cuda_reduce_by_rows(const cuda_reduce_plan *state, const cuda_reduce_job<Op> *job)
{
    return !state->is_across && cuda_reduce_is_rows(&state->vectors.reduced) &&
           Op::takes_runs(job->params);
}

/* Launches a reduction. `job` has pointers, factors and parameters. */
template <class Op>
static int32_t cuda_reduce_run(const cuda_reduce_plan *state, const cuda_call *call,
                               cuda_reduce_job<Op> *job)
{
    void (*kernel)(cuda_reduce_job<Op>) = cuda_reduce<Op, false>;
    const cuda_reduce_form *form = &state->elements;
    int32_t status = ANYDNN_PLUGIN_STATUS_SUCCESS, dropped;
    uintptr_t addresses = 0;
    void *partial_sums = nullptr;

    for (int t = 0; t < Op::IN; t++)
        addresses |= (uintptr_t)job->data[t];
    if constexpr (Op::BY_VECTORS) {
        if (state->can_vectors && addresses % sizeof(uint4) == 0) {
            kernel = state->is_across ? cuda_reduce_across<Op> : cuda_reduce<Op, true>;
            form = &state->vectors;
            if constexpr (Op::RUNS > 0)
                kernel = cuda_reduce_by_rows(state, job) ? cuda_reduce_rows<Op> : kernel;
        }
    }
    job->kept = state->kept;
    job->reduced = form->reduced;
    job->tile = form->tile;
    job->splits = form->splits;
    job->chunk = cuda_blocks(job->reduced.count, job->splits);
    if (job->splits > 1)
        status = cuda_scratch_take(call->device, call->stream,
                                   sizeof(typename Op::sum) * job->splits * job->kept.count,
                                   &partial_sums);
    job->partial_sums = (typename Op::sum *)partial_sums;
    if (!status)
        status = cuda_launch(call, kernel, form->blocks, job->splits, *job);
    if (!status && partial_sums)
        status = cuda_reduce_join_run(call, job);
    dropped = partial_sums ? cuda_scratch_drop(call->device, call->stream, partial_sums)
                           : ANYDNN_PLUGIN_STATUS_SUCCESS;
    return status ? status : dropped;
}

#endif
