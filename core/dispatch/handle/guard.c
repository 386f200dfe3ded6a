/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for misplaced operands, lost devices, and backends that did not survive a fork. */
#include "dispatch/handle/guard.h"

#include <inttypes.h>
#include <stdio.h>

#include "desc/names.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "sys/error.h"
#include "sys/process.h"

anydnnStatus_t adn_guard_elements(const char *entry, const struct adn_problem *problem,
                                  const struct anydnn_plugin_operands *operands)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (int32_t i = 0; i < info->slot_count; i++) {
        int64_t element;

        if (!(problem->present >> i & 1))
            continue;
        element = adn_type_size(problem->tensor[i].type);
        if ((uintptr_t)operands->data[i] % (uintptr_t)element != 0)
            return adn_fail(
                ANYDNN_STATUS_BAD_PARAM,
                "%s: operand %s is at %p; elements of type %s must be aligned to %" PRId64 " bytes",
                entry, info->slot[i].role, operands->data[i],
                adn_type_name(problem->tensor[i].type), element);
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_guard_owners(const char *entry, anydnnHandle_t handle,
                                const struct adn_problem *problem,
                                const struct anydnn_plugin_operands *operands)
{
    const struct adn_space *space = handle->space;
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    if (space->host)
        return ANYDNN_STATUS_SUCCESS;
    for (int32_t i = 0; i < info->slot_count; i++) {
        int32_t owner = ANYDNN_PLUGIN_POINTER_UNKNOWN;

        if (!(problem->present >> i & 1) || !operands->data[i] || adn_problem_on_host(problem, i))
            continue;
        if (ADN_BACKEND_CALL(
                space->functions->pointer_owner(handle->device, operands->data[i], &owner)) == 0 &&
            owner == ANYDNN_PLUGIN_POINTER_HOST)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: operand %s (%p) is host memory, but the handle's device is %s; "
                            "allocate it with anydnnMemAlloc, or create the handle with "
                            "anydnnCreateOnDevice(&handle, \"cpu\")",
                            entry, info->slot[i].role, operands->data[i], handle->device_name);
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_guard_fork(const char *entry, const struct adn_plan *plan)
{
    if (plan->staged_on)
        return adn_fail(
            ANYDNN_STATUS_NOT_INITIALIZED,
            "%s: the call is staged on %s by %s; device memory does not survive fork(), and this "
            "handle was created before it; create a handle in the child, or call exec()",
            entry, plan->staged_on, plan->backend->name);
    return adn_fail(ANYDNN_STATUS_NOT_INITIALIZED,
                    "%s: backend %s does not survive fork(), and this handle was created before "
                    "it; create a handle in the child with a backend that does, or call exec()",
                    entry, plan->backend->name);
}

anydnnStatus_t adn_guard_poisoned(const char *entry, anydnnHandle_t handle)
{
    struct adn_space *space = handle->space;

    if (!space->poisoned && space->functions->poisoned(handle->device))
        adn_process_attention = space->poisoned = 1;
    if (!space->poisoned)
        return ANYDNN_STATUS_SUCCESS;
    return adn_fail(
        ANYDNN_STATUS_SPACE_POISONED,
        "%s: an error made device %s unusable for this process; use it in a new process", entry,
        handle->device_name);
}

anydnnStatus_t adn_guard_failed(const char *entry, anydnnHandle_t handle, const char *what,
                                int32_t result)
{
    anydnnStatus_t status;
    char said[1024];

    snprintf(said, sizeof(said), "%s", adn_load_error_text());
    status = adn_guard_poisoned(entry, handle);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    return adn_fail(adn_plan_status(result), "%s: device %s%s%s: %s", entry, handle->device_name,
                    what ? " " : "", what ? what : "", said);
}

anydnnStatus_t adn_guard_lost(const char *entry, anydnnHandle_t handle)
{
    if (handle->space->poisoned)
        return adn_guard_poisoned(entry, handle);
    if (handle->space->host || handle->fork_number == adn_process_fork_number)
        return ANYDNN_STATUS_SUCCESS;
    return adn_fail(ANYDNN_STATUS_NOT_INITIALIZED,
                    "%s: device %s does not survive fork(), and this handle was created before it; "
                    "use it in the parent, or call exec()",
                    entry, handle->device_name);
}
