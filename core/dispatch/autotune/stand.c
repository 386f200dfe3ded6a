/* SPDX-License-Identifier: Apache-2.0 */
/* Marks, operands and workspace for the runs of a search. */
#include "dispatch/autotune/stand.h"
#include "dispatch/handle/guard.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "numerics/numerics.h"
#include "sys/error.h"

/* Four of these bytes are 0.0115 as float, two 1.06 as half, one 60 as an integer: ordinary numbers
 * of every type, none of them slow as subnormals are. */
#define FILLING 0x3c
/* Bytes that are drawn; the rest of an operand repeats them. */
#define DRAWN (256 * 1024)

static anydnnStatus_t space_failed(const struct adn_stand *stand, const char *what, int32_t result)
{
    const struct adn_choices *choices = stand->choices;
    anydnnStatus_t status = adn_guard_poisoned(choices->entry, choices->handle);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    return adn_fail(adn_plan_status(result), "%s: device %s %s: %s", choices->entry,
                    choices->handle->device_name, what, adn_load_error_text());
}

static anydnnStatus_t make_marks(struct adn_stand *stand)
{
    for (int i = 0; i < 2; i++) {
        void *mark = NULL;
        int32_t result = adn_space_mark_create(stand->choices->handle->space, stand->device, &mark);

        if (result != 0)
            return space_failed(stand, "gives no mark to take the time with", result);
        stand->marks[i] = mark;
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Nothing that the application enqueues meanwhile, on whatever stream, comes between two marks
 * here, as it would on the default stream; and what it enqueued on the handle's has ended before.
 */
static anydnnStatus_t make_stream(struct adn_stand *stand)
{
    anydnnHandle_t handle = stand->choices->handle;
    int32_t result;

    if (!stand->choices->fastest || !stand->space->stream_create)
        return ANYDNN_STATUS_SUCCESS;
    result = adn_space_stream_create(handle->space, stand->device, &stand->stream);
    if (result == 0) {
        stand->operands.stream = stand->stream;
        result = stand->space->mark_record(stand->device, handle->stream, stand->marks[0]);
    }
    if (result == 0)
        result = stand->space->stream_wait(stand->device, stand->stream, stand->marks[0]);
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : space_failed(stand, "gives no stream to take the time on", result);
}

/* ---- what is in the operands */

/* Standard normal numbers by Box and Muller (1958), uniform ones by Park and Miller (1988): devices
 * run slower on numbers whose bits vary than on equal ones. */
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

/* Drawn numbers first, then copies of all that is there, twice as long each time. */
static int32_t fill_drawn(const struct adn_stand *stand, int32_t type, void *to, uint64_t bytes)
{
    uint64_t done = bytes < DRAWN ? bytes : DRAWN;
    void *numbers = malloc(done > 0 ? done : 1);
    void *stream = stand->operands.stream;
    int32_t result;

    if (!numbers)
        return ANYDNN_STATUS_ALLOC_FAILED;
    draw(type, numbers, done / (uint64_t)adn_type_size(type));
    result =
        stand->space->memory_copy(stand->device, stream, to, numbers, done, ANYDNN_PLUGIN_COPY_TO);
    free(numbers);
    while (result == 0 && done < bytes) {
        uint64_t more = bytes - done < done ? bytes - done : done;

        result = stand->space->memory_copy(stand->device, stream, (char *)to + done, to, more,
                                           ANYDNN_PLUGIN_COPY_WITHIN);
        done += more;
    }
    return result;
}

static int32_t fill(const struct adn_stand *stand, int32_t slot)
{
    const struct adn_problem *problem = &stand->choices->problem;
    int32_t type = problem->tensor[slot].type;
    void *to = stand->operands.data[slot];
    uint64_t bytes = (uint64_t)adn_shape_bytes(&problem->tensor[slot]);

    if (stand->choices->fastest && adn_type_digits(type) > 0)
        return fill_drawn(stand, type, to, bytes);
    return stand->space->memory_set(stand->device, stand->operands.stream, to, FILLING, bytes);
}

static int is_read(const struct adn_operation *info, int32_t slot)
{
    return (info->slot[slot].flags & ADN_SLOT_IN) != 0;
}

int32_t adn_stand_restore(struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int32_t result = 0;

    for (int32_t i = 0; i < info->slot_count && stand->own && result == 0; i++)
        if ((problem->present >> i & 1) && problem->alias[i] != 0 && !is_read(info, i))
            result = fill(stand, problem->alias[i] - 1);
    return result;
}

/* ---- memory */

/* Others lie on an operand, or are not read and stand for one. */
static int has_memory(const struct adn_problem *problem, int32_t slot)
{
    return (problem->present >> slot & 1) && !(problem->absent >> slot & 1) &&
           problem->alias[slot] == 0;
}

static anydnnStatus_t make_host_operand(struct adn_stand *stand, int32_t slot)
{
    const struct adn_choices *choices = stand->choices;

    stand->operands.data[slot] = malloc((size_t)adn_shape_bytes(&choices->problem.tensor[slot]));
    if (!stand->operands.data[slot])
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    adn_problem_fill_host(&choices->problem, slot, stand->operands.data[slot]);
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t make_operand(struct adn_stand *stand, int32_t slot)
{
    const struct adn_choices *choices = stand->choices;
    const struct adn_problem *problem = &choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    int64_t bytes = adn_shape_bytes(&problem->tensor[slot]);
    int32_t result = bytes < 0
                         ? ANYDNN_STATUS_ALLOC_FAILED
                         : adn_space_memory_alloc(choices->handle->space, stand->device,
                                                  (uint64_t)bytes, &stand->operands.data[slot]);

    if (result != 0) {
        stand->operands.data[slot] = NULL;
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: device %s has no %" PRId64 " bytes left for operand %s%s%s",
                        choices->entry, choices->handle->device_name, bytes, info->slot[slot].role,
                        adn_load_error_text()[0] ? ": " : "", adn_load_error_text());
    }
    result = is_read(info, slot) ? fill(stand, slot) : 0;
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : space_failed(stand, "cannot fill an operand", result);
}

static anydnnStatus_t make_operands(struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    for (int32_t i = 0; i < info->slot_count && status == ANYDNN_STATUS_SUCCESS; i++)
        if (has_memory(problem, i))
            status = adn_problem_on_host(problem, i) ? make_host_operand(stand, i)
                                                     : make_operand(stand, i);
    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && problem->alias[i] != 0)
            stand->operands.data[i] = stand->operands.data[problem->alias[i] - 1];
    for (int32_t i = 0; i < info->slot_count; i++)
        if (problem->absent >> i & 1)
            stand->operands.data[i] = stand->operands.data[adn_problem_stand_in(problem, i)];
    return status;
}

static void free_workspace(struct adn_stand *stand)
{
    if (stand->own && stand->operands.workspace)
        stand->space->memory_free(stand->device, stand->operands.workspace);
    stand->operands.workspace = NULL;
    stand->operands.workspace_bytes = 0;
}

int adn_stand_workspace(struct adn_stand *stand, uint64_t bytes)
{
    void *memory = NULL;

    if (!stand->own || bytes <= stand->operands.workspace_bytes)
        return 0;
    free_workspace(stand);
    if (adn_space_memory_alloc(stand->choices->handle->space, stand->device, bytes, &memory) != 0)
        return -1;
    stand->operands.workspace = memory;
    stand->operands.workspace_bytes = bytes;
    return 0;
}

/* ---- coming and going */

anydnnStatus_t adn_stand_enter(struct adn_stand *stand, struct adn_choices *choices,
                               const struct anydnn_plugin_operands *given)
{
    struct adn_values values;
    anydnnStatus_t status;

    memset(stand, 0, sizeof(*stand));
    stand->choices = choices;
    stand->space = choices->handle->space->functions;
    stand->device = choices->handle->device;
    stand->own = !given;
    adn_values_init(&values, choices->problem.operation);
    if (given)
        stand->operands = *given;
    stand->operands.struct_size = sizeof(stand->operands);
    memcpy(stand->operands.scale, values.scale, sizeof(values.scale));
    if (!given)
        memcpy(stand->operands.number, values.number, sizeof(values.number));
    stand->operands.stream = choices->handle->stream;
    status = make_marks(stand);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = make_stream(stand);
    if (status == ANYDNN_STATUS_SUCCESS && stand->own)
        status = make_operands(stand);
    return status;
}

void adn_stand_leave(struct adn_stand *stand)
{
    const struct adn_problem *problem = &stand->choices->problem;

    /* Nothing that was enqueued may still use what goes now. */
    stand->space->synchronize(stand->device, stand->operands.stream);
    free_workspace(stand);
    for (int i = 0; stand->own && i < ADN_SLOTS; i++) {
        if (!stand->operands.data[i] || !has_memory(problem, i))
            continue;
        if (adn_problem_on_host(problem, i))
            free(stand->operands.data[i]);
        else
            stand->space->memory_free(stand->device, stand->operands.data[i]);
    }
    for (int i = 0; i < 2; i++)
        if (stand->marks[i])
            stand->space->mark_destroy(stand->device, stand->marks[i]);
    if (stand->stream)
        stand->space->stream_destroy(stand->device, stand->stream);
}
