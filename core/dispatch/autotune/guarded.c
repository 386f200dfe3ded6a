/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch/autotune/guarded.h"

/* The content of a guard zone. */
#define GUARD      ADN_BENCH_ENV_GUARD
#define GUARD_BYTE 0xa5
/* The content of outputs and workspace before a run: NaN in every floating type. */
#define POISON 0xff

void adn_guarded_drop(const struct adn_bench_env *env, struct adn_guarded *guarded)
{
    if (guarded->memory)
        adn_bench_env_release(env, guarded->memory);
    *guarded = (struct adn_guarded){NULL, 0};
}

int adn_guarded_make(const struct adn_bench_env *env, struct adn_guarded *guarded, uint64_t bytes)
{
    if (guarded->memory && guarded->bytes == bytes)
        return 0;
    adn_guarded_drop(env, guarded);
    if (adn_bench_env_alloc(env, bytes, &guarded->memory) != 0) {
        guarded->memory = NULL;
        return -1;
    }
    guarded->bytes = bytes;
    return 0;
}

int32_t adn_guarded_poison(const struct adn_bench_env *env, const struct adn_guarded *guarded)
{
    void *stream = env->operands.stream;
    int32_t result;

    if (!guarded->memory)
        return 0;
    result = env->space->memory_set(env->device, stream, (char *)guarded->memory - GUARD,
                                    GUARD_BYTE, GUARD);
    if (result == 0)
        result = env->space->memory_set(
            env->device, stream, (char *)guarded->memory + guarded->bytes, GUARD_BYTE, GUARD);
    if (result == 0 && guarded->bytes > 0)
        result =
            env->space->memory_set(env->device, stream, guarded->memory, POISON, guarded->bytes);
    return result;
}

int32_t adn_bench_env_fetch(const struct adn_bench_env *env, void *to, const void *from,
                            uint64_t bytes)
{
    return env->space->memory_copy(env->device, env->operands.stream, to, from, bytes,
                                   ANYDNN_PLUGIN_COPY_FROM);
}

int adn_guarded_is_hurt(const struct adn_bench_env *env, const struct adn_guarded *guarded,
                        int *distance)
{
    unsigned char zone[GUARD];

    for (int behind = 0; behind < 2 && guarded->memory; behind++) {
        const char *from =
            (const char *)guarded->memory + (behind ? (int64_t)guarded->bytes : -(int64_t)GUARD);

        if (adn_bench_env_fetch(env, zone, from, GUARD) != 0)
            return 0;
        for (int i = 0; i < GUARD; i++) {
            int at = behind ? i : GUARD - 1 - i;

            *distance = behind ? at : at - GUARD;
            if (zone[at] != GUARD_BYTE)
                return 1;
        }
    }
    return 0;
}
