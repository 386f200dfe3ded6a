/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the operands of a search: their memory, their contents, and the sets of them that runs use
 * in turn. */
#include "dispatch/autotune/bench_env.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/unread.h"
#include "sys/error.h"

/* Four of these bytes are 0.0115 as float, two are 1.06 as half, and one is 60 as an integer. These
 * are ordinary numbers; none is subnormal, which would be slow. */
#define FILLING 0x3c
/* The total size of all sets. It is at least twice the largest device cache (50 MiB on an H100, 126
 * MiB on a B200). The smallest operands stay below it, since SETS_MAX limits the number of sets. */
#define TOGETHER (256LL << 20)
#define SETS_MAX 1024
#define ALIGNED  256

/* Draws standard normal numbers (Box and Muller 1958) from uniform ones (Park and Miller 1988).
 * Devices run slower on numbers whose bits vary than on equal numbers. */
static void draw(int32_t type, void *to, uint64_t count)
{
    size_t size = (size_t)adn_type_size(type);
    uint64_t state = 1;
    double uniform[2];

    for (uint64_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) {
            state = state * 16807 % 2147483647;
            uniform[k] = (double)state / 2147483647;
        }
        adn_element_store(type, (char *)to + i * size,
                          sqrt(-2 * log(uniform[0])) * cos(6.283185307179586 * uniform[1]));
    }
}

/* Returns the distance in bytes between an operand's copies in consecutive sets. */
static int64_t stride_of(const struct adn_bench_env *env, int32_t slot)
{
    int64_t bytes = adn_shape_bytes(&env->choices->problem.tensor[slot]);

    return bytes < 0 ? bytes : (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* Returns the bytes of an operand in all sets. */
static uint64_t bytes_of(const struct adn_bench_env *env, int32_t slot)
{
    return (uint64_t)(env->sets - 1) * (uint64_t)stride_of(env, slot) +
           (uint64_t)adn_shape_bytes(&env->choices->problem.tensor[slot]);
}

/* Returns how many bytes are drawn for operands of a type: as many as the largest one holds. */
static uint64_t drawn_bytes(const struct adn_bench_env *env, int32_t type)
{
    const struct adn_problem *problem = &env->choices->problem;
    uint64_t most = 0;

    for (int32_t i = 0; i < adn_problem_operation(problem->operation)->slot_count; i++)
        if ((problem->present >> i & 1) && problem->tensor[i].type == type &&
            bytes_of(env, i) > most)
            most = bytes_of(env, i);
    return most < ADN_BENCH_ENV_DRAWN ? most : ADN_BENCH_ENV_DRAWN;
}

/* Returns the drawn numbers of a type, which are drawn at the first call for it, or NULL if memory
 * is out. */
static const void *numbers_of(struct adn_bench_env *env, int32_t type)
{
    uint64_t bytes = drawn_bytes(env, type);

    if (env->numbers && env->numbers_type == type)
        return env->numbers;
    free(env->numbers);
    env->numbers = malloc(bytes > 0 ? bytes : 1);
    env->numbers_type = type;
    if (env->numbers)
        draw(type, env->numbers, bytes / (uint64_t)adn_type_size(type));
    return env->numbers;
}

double *adn_bench_env_drawn(struct adn_bench_env *env, int32_t type)
{
    size_t size = (size_t)adn_type_size(type);
    size_t count = (size_t)drawn_bytes(env, type) / size;
    const char *bytes = numbers_of(env, type);
    double *numbers = reallocarray(NULL, count > 0 ? count : 1, sizeof(*numbers));

    if (!bytes || !numbers) {
        free(numbers);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        numbers[i] = adn_element_load(type, bytes + i * size);
    return numbers;
}

/* Fills memory with drawn numbers, then copies what is there, doubling the filled part each time.
 */
static int32_t fill_drawn(struct adn_bench_env *env, int32_t type, void *to, uint64_t bytes)
{
    uint64_t done = bytes < ADN_BENCH_ENV_DRAWN ? bytes : ADN_BENCH_ENV_DRAWN;
    const void *numbers = numbers_of(env, type);
    void *stream = env->operands.stream;
    int32_t result;

    if (!numbers)
        return ANYDNN_STATUS_ALLOC_FAILED;
    result = env->space->memory_copy(env->device, stream, to, numbers, done, ANYDNN_PLUGIN_COPY_TO);
    while (result == 0 && done < bytes) {
        uint64_t more = bytes - done < done ? bytes - done : done;

        result = env->space->memory_copy(env->device, stream, (char *)to + done, to, more,
                                         ANYDNN_PLUGIN_COPY_WITHIN);
        done += more;
    }
    return result;
}

/* Fills an operand in all sets. */
static int32_t fill(struct adn_bench_env *env, int32_t slot)
{
    const struct adn_problem *problem = &env->choices->problem;
    int32_t type = problem->tensor[slot].type;
    void *to = env->first[slot];
    uint64_t bytes = bytes_of(env, slot);

    if ((env->choices->fastest || env->guard > 0) && adn_type_digits(type) > 0)
        return fill_drawn(env, type, to, bytes);
    return env->space->memory_set(env->device, env->operands.stream, to, FILLING, bytes);
}

static int is_read(const struct adn_operation *info, int32_t slot)
{
    return (info->slot[slot].flags & ADN_SLOT_IN) != 0;
}

/* ---- memory */

/* Returns 1 if the operand has memory of its own. Other operands alias one, or are not read and use
 * a substitute's pointer. */
static int has_memory(const struct adn_problem *problem, int32_t slot)
{
    return (problem->present >> slot & 1) && !(problem->absent >> slot & 1) &&
           problem->alias[slot] == 0;
}

static anydnnStatus_t make_host_operand(struct adn_bench_env *env, int32_t slot)
{
    const struct adn_choices *choices = env->choices;

    env->first[slot] = malloc((size_t)adn_shape_bytes(&choices->problem.tensor[slot]));
    if (!env->first[slot])
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    adn_problem_fill_host(&choices->problem, slot, env->first[slot]);
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t make_operand(struct adn_bench_env *env, int32_t slot)
{
    const struct adn_choices *choices = env->choices;
    const struct adn_problem *problem = &choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int64_t bytes = adn_shape_bytes(&problem->tensor[slot]);
    int32_t result = bytes < 0 ? ANYDNN_STATUS_ALLOC_FAILED
                               : adn_bench_env_alloc(env, bytes_of(env, slot), &env->first[slot]);

    if (result != 0) {
        env->first[slot] = NULL;
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: device %s cannot allocate %" PRId64 " bytes for operand %s%s%s",
                        choices->entry, choices->handle->device_name, bytes, info->slot[slot].role,
                        adn_load_error_text()[0] ? ": " : "", adn_load_error_text());
    }
    result = is_read(info, slot) ? fill(env, slot) : 0;
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : adn_bench_env_failed(env, "cannot fill an operand", result);
}

/* Sets the pointers of the current set: its operands, their aliases, and the substitutes for absent
 * operands. */
static void place(struct adn_bench_env *env)
{
    const struct adn_problem *problem = &env->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    void **data = env->operands.data;

    for (int32_t i = 0; i < info->slot_count; i++)
        if (has_memory(problem, i))
            data[i] = adn_problem_on_host(problem, i)
                          ? env->first[i]
                          : (char *)env->first[i] + env->set * stride_of(env, i);
    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && problem->alias[i] != 0)
            data[i] = data[problem->alias[i] - 1];
    for (int32_t i = 0; i < info->slot_count; i++)
        if (problem->absent >> i & 1)
            data[i] = data[adn_problem_substitute(problem, i)];
}

/* ---- sets */

/* Returns how many sets exceed the caches of a device. The host has one set, because its caches are
 * small relative to the data and filling memory takes long there. */
static int32_t count_sets(const struct adn_bench_env *env)
{
    const struct adn_problem *problem = &env->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int64_t bytes = 0;

    if (!env->choices->fastest || env->choices->handle->space->host)
        return 1;
    for (int32_t i = 0; i < info->slot_count && bytes < TOGETHER; i++)
        if (has_memory(problem, i) && !adn_problem_on_host(problem, i)) {
            if (stride_of(env, i) < 0)
                return 1;
            bytes += stride_of(env, i);
        }
    if (bytes == 0 || bytes >= TOGETHER)
        return 1;
    bytes = (TOGETHER + bytes - 1) / bytes;
    return bytes < SETS_MAX ? (int32_t)bytes : SETS_MAX;
}

static anydnnStatus_t make_sets(struct adn_bench_env *env)
{
    const struct adn_problem *problem = &env->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    for (int32_t i = 0; i < info->slot_count && status == ANYDNN_STATUS_SUCCESS; i++)
        if (has_memory(problem, i))
            status =
                adn_problem_on_host(problem, i) ? make_host_operand(env, i) : make_operand(env, i);
    return status;
}

/* Makes the operands, with fewer sets if memory does not suffice for all. */
anydnnStatus_t adn_bench_env_operands(struct adn_bench_env *env)
{
    anydnnStatus_t status;

    env->sets = count_sets(env);
    while ((status = make_sets(env)) == ANYDNN_STATUS_ALLOC_FAILED && env->sets > 1) {
        env->space->synchronize(env->device, env->operands.stream); /* may still fill */
        adn_bench_env_free_operands(env);
        adn_load_error_clear();
        env->sets /= 2;
    }
    if (status == ANYDNN_STATUS_SUCCESS)
        place(env);
    return status;
}

void adn_bench_env_free_operands(struct adn_bench_env *env)
{
    free(env->numbers);
    env->numbers = NULL;
    for (int32_t i = 0; env->own && i < ADN_SLOTS; i++) {
        if (!env->first[i])
            continue;
        if (adn_problem_on_host(&env->choices->problem, i))
            free(env->first[i]);
        else
            adn_bench_env_release(env, env->first[i]);
        env->first[i] = NULL;
    }
}

void adn_bench_env_turn(struct adn_bench_env *env)
{
    if (env->sets <= 1)
        return;
    env->set = (env->set + 1) % env->sets;
    place(env);
}

void adn_bench_env_first(struct adn_bench_env *env)
{
    env->set = 0;
    place(env);
}

int32_t adn_bench_env_restore(struct adn_bench_env *env)
{
    const struct adn_problem *problem = &env->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int32_t result = 0;

    for (int32_t i = 0; i < info->slot_count && env->own && result == 0; i++)
        if ((problem->present >> i & 1) && problem->alias[i] != 0 && !is_read(info, i)) {
            result = fill(env, problem->alias[i] - 1);
            env->set = env->sets - 1; /* the set filled last is in the cache */
        }
    return result;
}
