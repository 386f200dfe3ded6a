/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the marks, the stream and the workspace for the runs of a search. */
#include "dispatch/autotune/bench_env.h"
#include "dispatch/autotune/trial.h"
#include "dispatch/handle/guard.h"

#include <stdlib.h>
#include <string.h>

#include "problem/operation.h"
#include "sys/error.h"

anydnnStatus_t adn_bench_env_failed(const struct adn_bench_env *env, const char *what,
                                    int32_t result)
{
    return adn_guard_failed(env->choices->entry, env->choices->handle, what, result);
}

int32_t adn_bench_env_alloc(const struct adn_bench_env *env, uint64_t bytes, void **memory)
{
    int32_t result = adn_space_memory_alloc(env->choices->handle->space, env->device,
                                            bytes + 2 * env->guard, memory);

    if (result == 0)
        *memory = (char *)*memory + env->guard;
    return result;
}

void adn_bench_env_release(const struct adn_bench_env *env, void *memory)
{
    env->space->memory_free(env->device, (char *)memory - env->guard);
}

static anydnnStatus_t make_marks(struct adn_bench_env *env)
{
    for (int i = 0; i < 2; i++) {
        void *mark = NULL;
        int32_t result = adn_space_mark_create(env->choices->handle->space, env->device, &mark);

        if (result != 0)
            return adn_bench_env_failed(env, "cannot create a mark for timing", result);
        env->marks[i] = mark;
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Creates a stream for the runs under `fastest`. Work that the application enqueues meanwhile
 * cannot run between two marks there, as it could on the default stream. The new stream waits for
 * earlier work on the handle's stream. */
static anydnnStatus_t make_stream(struct adn_bench_env *env)
{
    anydnnHandle_t handle = env->choices->handle;
    int32_t result;

    if (!env->choices->fastest || !env->space->stream_create)
        return ANYDNN_STATUS_SUCCESS;
    result = adn_space_stream_create(handle->space, env->device, &env->stream);
    if (result == 0) {
        env->operands.stream = env->stream;
        result = env->space->mark_record(env->device, handle->stream, env->marks[0]);
    }
    if (result == 0)
        result = env->space->stream_wait(env->device, env->stream, env->marks[0]);
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : adn_bench_env_failed(env, "cannot create a stream for timing", result);
}

/* ---- workspace */

static void free_workspace(struct adn_bench_env *env)
{
    if (env->own && env->operands.workspace)
        adn_bench_env_release(env, env->operands.workspace);
    env->operands.workspace = NULL;
    env->operands.workspace_bytes = 0;
}

int adn_bench_env_workspace(struct adn_bench_env *env, uint64_t bytes)
{
    void *memory = NULL;

    if (!env->own || bytes <= env->operands.workspace_bytes)
        return 0;
    free_workspace(env);
    if (adn_bench_env_alloc(env, bytes, &memory) != 0)
        return -1;
    env->operands.workspace = memory;
    env->operands.workspace_bytes = bytes;
    return 0;
}

/* ---- begin and end */

/* Sets the factors of a timed call. A summand that the problem has is read, although its factor is
 * 0 by default. Kernels that read it may take much longer. */
static void set_factors(const struct adn_problem *problem, const struct adn_values *values,
                        double scale[4])
{
    int summand = problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD
                      ? slot_convolution_bias_activation_forward_z
                  : problem->operation == ANYDNN_PLUGIN_MATMUL ? slot_matmul_c
                                                               : -1;

    memcpy(scale, values->scale, sizeof(values->scale));
    if (summand >= 0 && ((problem->present & ~problem->absent) >> summand & 1))
        scale[1] = 1;
}

anydnnStatus_t adn_bench_env_enter(struct adn_bench_env *env, struct adn_choices *choices,
                                   const struct anydnn_plugin_operands *given)
{
    struct adn_values values;
    anydnnStatus_t status;

    memset(env, 0, sizeof(*env));
    env->choices = choices;
    env->space = choices->handle->space->functions;
    env->device = choices->handle->device;
    env->own = !given;
    if (env->own && choices->handle->global->settings->tune_check != ADN_TUNE_CHECK_NO)
        env->guard = ADN_BENCH_ENV_GUARD;
    adn_values_init(&values, choices->problem.operation);
    if (given)
        env->operands = *given;
    env->operands.struct_size = sizeof(env->operands);
    set_factors(&choices->problem, &values, env->operands.scale);
    if (!given)
        memcpy(env->operands.number, values.number, sizeof(values.number));
    env->operands.stream = choices->handle->stream;
    status = make_marks(env);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = make_stream(env);
    if (status == ANYDNN_STATUS_SUCCESS && env->own)
        status = adn_bench_env_operands(env);
    if (status == ANYDNN_STATUS_SUCCESS)
        adn_trial_begin(env);
    return status;
}

void adn_bench_env_leave(struct adn_bench_env *env)
{
    /* Enqueued work must not use the memory that is freed here. */
    env->space->synchronize(env->device, env->operands.stream);
    adn_trial_end(env);
    free_workspace(env);
    adn_bench_env_free_operands(env);
    for (int i = 0; i < 2; i++)
        if (env->marks[i])
            env->space->mark_destroy(env->device, env->marks[i]);
    if (env->stream)
        env->space->stream_destroy(env->device, env->stream);
}
