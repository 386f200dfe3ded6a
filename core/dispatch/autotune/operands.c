/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the operands of a search: their memory, their contents, and the sets of them that runs use
 * in turn. */
#include "dispatch/autotune/stand.h"

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
static int64_t stride_of(const struct adn_stand *stand, int32_t slot)
{
    int64_t bytes = adn_shape_bytes(&stand->choices->problem.tensor[slot]);

    return bytes < 0 ? bytes : (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* Returns the bytes of an operand in all sets. */
static uint64_t bytes_of(const struct adn_stand *stand, int32_t slot)
{
    return (uint64_t)(stand->sets - 1) * (uint64_t)stride_of(stand, slot) +
           (uint64_t)adn_shape_bytes(&stand->choices->problem.tensor[slot]);
}

/* Returns how many bytes are drawn for operands of a type: as many as the largest one holds. */
static uint64_t drawn_bytes(const struct adn_stand *stand, int32_t type)
{
    const struct adn_problem *problem = &stand->choices->problem;
    uint64_t most = 0;

    for (int32_t i = 0; i < adn_problem_operation(problem->operation)->slot_count; i++)
        if ((problem->present >> i & 1) && problem->tensor[i].type == type &&
            bytes_of(stand, i) > most)
            most = bytes_of(stand, i);
    return most < ADN_STAND_DRAWN ? most : ADN_STAND_DRAWN;
}

/* Returns the drawn numbers of a type, which are drawn at the first call for it, or NULL if memory
 * is out. */
static const void *numbers_of(struct adn_stand *stand, int32_t type)
{
    uint64_t bytes = drawn_bytes(stand, type);

    if (stand->numbers && stand->numbers_type == type)
        return stand->numbers;
    free(stand->numbers);
    stand->numbers = malloc(bytes > 0 ? bytes : 1);
    stand->numbers_type = type;
    if (stand->numbers)
        draw(type, stand->numbers, bytes / (uint64_t)adn_type_size(type));
    return stand->numbers;
}

double *adn_stand_drawn(struct adn_stand *stand, int32_t type)
{
    size_t size = (size_t)adn_type_size(type);
    size_t count = (size_t)drawn_bytes(stand, type) / size;
    const char *bytes = numbers_of(stand, type);
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
static int32_t fill_drawn(struct adn_stand *stand, int32_t type, void *to, uint64_t bytes)
{
    uint64_t done = bytes < ADN_STAND_DRAWN ? bytes : ADN_STAND_DRAWN;
    const void *numbers = numbers_of(stand, type);
    void *stream = stand->operands.stream;
    int32_t result;

    if (!numbers)
        return ANYDNN_STATUS_ALLOC_FAILED;
    result =
        stand->space->memory_copy(stand->device, stream, to, numbers, done, ANYDNN_PLUGIN_COPY_TO);
    while (result == 0 && done < bytes) {
        uint64_t more = bytes - done < done ? bytes - done : done;

        result = stand->space->memory_copy(stand->device, stream, (char *)to + done, to, more,
                                           ANYDNN_PLUGIN_COPY_WITHIN);
        done += more;
    }
    return result;
}

/* Fills an operand in all sets. */
static int32_t fill(struct adn_stand *stand, int32_t slot)
{
    const struct adn_problem *problem = &stand->choices->problem;
    int32_t type = problem->tensor[slot].type;
    void *to = stand->first[slot];
    uint64_t bytes = bytes_of(stand, slot);

    if ((stand->choices->fastest || stand->guard > 0) && adn_type_digits(type) > 0)
        return fill_drawn(stand, type, to, bytes);
    return stand->space->memory_set(stand->device, stand->operands.stream, to, FILLING, bytes);
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

static anydnnStatus_t make_host_operand(struct adn_stand *stand, int32_t slot)
{
    const struct adn_choices *choices = stand->choices;

    stand->first[slot] = malloc((size_t)adn_shape_bytes(&choices->problem.tensor[slot]));
    if (!stand->first[slot])
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    adn_problem_fill_host(&choices->problem, slot, stand->first[slot]);
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t make_operand(struct adn_stand *stand, int32_t slot)
{
    const struct adn_choices *choices = stand->choices;
    const struct adn_problem *problem = &choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int64_t bytes = adn_shape_bytes(&problem->tensor[slot]);
    int32_t result = bytes < 0 ? ANYDNN_STATUS_ALLOC_FAILED
                               : adn_stand_alloc(stand, bytes_of(stand, slot), &stand->first[slot]);

    if (result != 0) {
        stand->first[slot] = NULL;
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: device %s has no %" PRId64 " bytes left for operand %s%s%s",
                        choices->entry, choices->handle->device_name, bytes, info->slot[slot].role,
                        adn_load_error_text()[0] ? ": " : "", adn_load_error_text());
    }
    result = is_read(info, slot) ? fill(stand, slot) : 0;
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : adn_stand_failed(stand, "cannot fill an operand", result);
}

/* Sets the pointers of the current set: its operands, their aliases, and the substitutes for absent
 * operands. */
static void place(struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    void **data = stand->operands.data;

    for (int32_t i = 0; i < info->slot_count; i++)
        if (has_memory(problem, i))
            data[i] = adn_problem_on_host(problem, i)
                          ? stand->first[i]
                          : (char *)stand->first[i] + stand->set * stride_of(stand, i);
    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && problem->alias[i] != 0)
            data[i] = data[problem->alias[i] - 1];
    for (int32_t i = 0; i < info->slot_count; i++)
        if (problem->absent >> i & 1)
            data[i] = data[adn_problem_stand_in(problem, i)];
}

/* ---- sets */

/* Returns how many sets exceed the caches of a device. The host has one set, because its caches are
 * small relative to the data and filling memory takes long there. */
static int32_t count_sets(const struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int64_t bytes = 0;

    if (!stand->choices->fastest || stand->choices->handle->space->host)
        return 1;
    for (int32_t i = 0; i < info->slot_count && bytes < TOGETHER; i++)
        if (has_memory(problem, i) && !adn_problem_on_host(problem, i)) {
            if (stride_of(stand, i) < 0)
                return 1;
            bytes += stride_of(stand, i);
        }
    if (bytes == 0 || bytes >= TOGETHER)
        return 1;
    bytes = (TOGETHER + bytes - 1) / bytes;
    return bytes < SETS_MAX ? (int32_t)bytes : SETS_MAX;
}

static anydnnStatus_t make_sets(struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    for (int32_t i = 0; i < info->slot_count && status == ANYDNN_STATUS_SUCCESS; i++)
        if (has_memory(problem, i))
            status = adn_problem_on_host(problem, i) ? make_host_operand(stand, i)
                                                     : make_operand(stand, i);
    return status;
}

/* Makes the operands, with fewer sets if memory does not suffice for all. */
anydnnStatus_t adn_stand_operands(struct adn_stand *stand)
{
    anydnnStatus_t status;

    stand->sets = count_sets(stand);
    while ((status = make_sets(stand)) == ANYDNN_STATUS_ALLOC_FAILED && stand->sets > 1) {
        stand->space->synchronize(stand->device, stand->operands.stream); /* may still fill */
        adn_stand_free_operands(stand);
        adn_load_error_clear();
        stand->sets /= 2;
    }
    if (status == ANYDNN_STATUS_SUCCESS)
        place(stand);
    return status;
}

void adn_stand_free_operands(struct adn_stand *stand)
{
    free(stand->numbers);
    stand->numbers = NULL;
    for (int32_t i = 0; stand->own && i < ADN_SLOTS; i++) {
        if (!stand->first[i])
            continue;
        if (adn_problem_on_host(&stand->choices->problem, i))
            free(stand->first[i]);
        else
            adn_stand_release(stand, stand->first[i]);
        stand->first[i] = NULL;
    }
}

void adn_stand_turn(struct adn_stand *stand)
{
    if (stand->sets <= 1)
        return;
    stand->set = (stand->set + 1) % stand->sets;
    place(stand);
}

void adn_stand_first(struct adn_stand *stand)
{
    stand->set = 0;
    place(stand);
}

int32_t adn_stand_restore(struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int32_t result = 0;

    for (int32_t i = 0; i < info->slot_count && stand->own && result == 0; i++)
        if ((problem->present >> i & 1) && problem->alias[i] != 0 && !is_read(info, i)) {
            result = fill(stand, problem->alias[i] - 1);
            stand->set = stand->sets - 1; /* the set filled last is in the cache */
        }
    return result;
}
