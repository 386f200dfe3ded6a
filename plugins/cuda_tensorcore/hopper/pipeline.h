/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the pipeline between the producer warpgroup and the consumer warpgroups of every
 * kernel of the family hopper: its state (stage and phase) and its barriers. */
#ifndef CUDA_TENSORCORE_HOPPER_PIPELINE_H
#define CUDA_TENSORCORE_HOPPER_PIPELINE_H

#include "../common/launch.h"
#include "params.h"
#include "ptx.h"

/* The registers per thread of the producer and of the consumers. A launch gives each thread 168. */
#define TC_PRODUCER_REGISTERS 40
#define TC_CONSUMER_REGISTERS 232

/* The current stage of the pipeline, and the parity of its phase. */
template <class S> struct tc_hopper_pipeline_state {
    int32_t stage = 0;
    uint32_t phase = 0;

    __device__ void next()
    {
        if (++stage == S::STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }

    /* Skips the stages of another consumer's tile. */
    __device__ void skip(int32_t count)
    {
        for (stage += count % (2 * S::STAGES); stage >= S::STAGES; stage -= S::STAGES)
            phase ^= 1;
    }
};

/* The barriers of the pipeline: filled stages, empty stages, and the consumer whose turn it is
 * to multiply. */
template <class S> struct tc_hopper_barriers {
    uint32_t first;

    __device__ uint32_t full(int32_t stage) const
    {
        return first + stage * 8;
    }
    __device__ uint32_t empty(int32_t stage) const
    {
        return first + (S::STAGES + stage) * 8;
    }
    __device__ uint32_t turn(int32_t consumer) const
    {
        return first + (2 * S::STAGES + consumer) * 8;
    }

    __device__ void init() const
    {
        for (int32_t stage = 0; stage < S::STAGES; stage++) {
            tc_barrier_init(full(stage), 1);
            tc_barrier_init(empty(stage), S::WARPS_OF_A_STAGE);
        }
        for (int32_t consumer = 0; consumer < S::CONSUMERS; consumer++)
            tc_barrier_init(turn(consumer), TC_WARPGROUP);
        tc_barrier_init_done();
    }
};

/* ------------------------------------------------------------------ on the host */

static inline int32_t tc_hopper_refused(const struct cuda_call *, const tc_step *,
                                        const tc_arguments &)
{
    return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                    "the driver did not create tensor maps of the operands");
}

/* Runs a step of fprop or dgrad, whose parameters are a tc_hopper_params_of. */
template <class JOB>
static int32_t tc_hopper_run(const struct cuda_call *call, const tc_step *step,
                             const tc_arguments &args)
{
    JOB job;

    memcpy(&job, step->parameters, sizeof job);
    if (!tc_hopper_bind(&job, job.of, job.c, args))
        return tc_hopper_refused(call, step, args);
    return tc_launch(call, step, 0, job);
}

#endif
