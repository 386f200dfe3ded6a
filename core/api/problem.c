/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of problems as objects, which tools and other languages use. */
#include "problem/problem.h"
#include "desc/desc.h"
#include "desc/names.h"
#include "dispatch/dispatch.h"
#include "dispatch/handle/handle.h"
#include "dispatch/resolve/explain.h"
#include "numerics/numerics.h"
#include "problem/check_problem.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/text.h"

#include <stdlib.h>
#include <string.h>

#include "sys/callback.h"
#include "sys/error.h"

#define SUCCESS       ANYDNN_STATUS_SUCCESS
#define PROBLEM_MAGIC 0x616e7970u

struct anydnnProblemStruct {
    uint32_t magic;
    struct adn_problem problem;
    struct adn_values values;
    unsigned char value[32]; /* the value of set_tensor, as an element of y's type */
};

static anydnnStatus_t check(const char *entry, anydnnProblem_t problem)
{
    if (problem && problem->magic == PROBLEM_MAGIC)
        return SUCCESS;
    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "%s: the problem is %s; create one with anydnnProblemParse", entry,
                    problem ? "invalid or destroyed" : "NULL");
}

static anydnnStatus_t check_both(const char *entry, anydnnHandle_t handle, anydnnProblem_t problem)
{
    anydnnStatus_t status = adn_handle_check(handle, entry);

    return status == SUCCESS ? check(entry, problem) : status;
}

anydnnStatus_t anydnnProblemParse(const char *text, anydnnProblem_t *out)
{
    ADN_ENTRY_SCOPE;
    anydnnProblem_t problem;
    anydnnStatus_t status;

    if (!text || !out)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnProblemParse: %s is NULL",
                        text ? "problem" : "text");
    problem = calloc(1, sizeof(*problem));
    if (!problem)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "anydnnProblemParse: out of memory");
    status = adn_problem_parse(text, &problem->problem, &problem->values);
    if (status == SUCCESS)
        status = adn_problem_check(&problem->problem, "problem text");
    if (status != SUCCESS) {
        free(problem);
        return status;
    }
    problem->magic = PROBLEM_MAGIC;
    *out = problem;
    return SUCCESS;
}

anydnnStatus_t anydnnProblemPrint(anydnnProblem_t problem, char *text, size_t size, size_t *needed)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check("anydnnProblemPrint", problem);
    size_t length;

    if (status != SUCCESS)
        return status;
    if (!text && size > 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnProblemPrint: text is NULL and size is %zu",
                        size);
    length = adn_problem_print(&problem->problem, &problem->values, text, size);
    if (needed)
        *needed = length + 1;
    return SUCCESS;
}

/* Returns the mask of the operands that a caller provides. */
static uint32_t given(const struct adn_problem *problem)
{
    return problem->present & ~problem->absent;
}

/* Returns the slot of the operand at `index` among the provided ones, or -1. */
static int32_t slot_at(const struct adn_problem *problem, int index)
{
    for (int32_t slot = 0; slot < ADN_SLOTS; slot++)
        if ((given(problem) >> slot & 1) && index-- == 0)
            return slot;
    return -1;
}

anydnnStatus_t anydnnProblemGetOperandCount(anydnnProblem_t problem, int *count)
{
    anydnnStatus_t status = check("anydnnProblemGetOperandCount", problem);

    if (status != SUCCESS)
        return status;
    if (!count)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnProblemGetOperandCount: count is NULL");
    *count = __builtin_popcount(given(&problem->problem));
    return SUCCESS;
}

anydnnStatus_t anydnnProblemGetOperand(anydnnProblem_t problem, int index, const char **role,
                                       anydnnTensorDescriptor_t desc, anydnnDirection_t *direction)
{
    const struct adn_operation *info;
    anydnnStatus_t status = check("anydnnProblemGetOperand", problem);
    int32_t slot;

    if (status != SUCCESS)
        return status;
    slot = index < 0 ? -1 : slot_at(&problem->problem, index);
    if (slot < 0)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "anydnnProblemGetOperand: index %d is out of range; the problem has %d operands", index,
            __builtin_popcount(given(&problem->problem)));
    if (desc && !adn_desc_is(desc, ADN_DESC_TENSOR))
        return adn_desc_complain("anydnnProblemGetOperand", "desc", desc, ADN_DESC_TENSOR);
    info = adn_problem_operation(problem->problem.operation);
    if (role)
        *role = info->slot[slot].role;
    if (desc)
        adn_desc_assign(desc, &problem->problem.tensor[slot]);
    if (direction)
        *direction =
            (anydnnDirection_t)((info->slot[slot].flags & ADN_SLOT_IN ? ANYDNN_DIRECTION_INPUT
                                                                      : 0) |
                                (info->slot[slot].flags & ADN_SLOT_OUT ? ANYDNN_DIRECTION_OUTPUT
                                                                       : 0));
    return SUCCESS;
}

anydnnStatus_t anydnnProblemGetOperandHost(anydnnProblem_t problem, int index, int *host)
{
    anydnnStatus_t status = check("anydnnProblemGetOperandHost", problem);
    int32_t slot;

    if (status != SUCCESS)
        return status;
    slot = index < 0 ? -1 : slot_at(&problem->problem, index);
    if (slot < 0)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "anydnnProblemGetOperandHost: index %d is out of range; the problem has %d operands",
            index, __builtin_popcount(given(&problem->problem)));
    if (!host)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnProblemGetOperandHost: host is NULL");
    *host = adn_problem_on_host(&problem->problem, slot);
    return SUCCESS;
}

anydnnStatus_t anydnnProblemGetWorkspaceSize(anydnnHandle_t handle, anydnnProblem_t problem,
                                             size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check_both("anydnnProblemGetWorkspaceSize", handle, problem);

    if (status != SUCCESS)
        return status;
    if (!sizeInBytes)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnProblemGetWorkspaceSize: sizeInBytes is NULL");
    return adn_dispatch_problem_workspace(handle, "anydnnProblemGetWorkspaceSize",
                                          &problem->problem, sizeInBytes);
}

anydnnStatus_t anydnnProblemExplain(anydnnHandle_t handle, anydnnProblem_t problem, char *text,
                                    size_t size, size_t *needed)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check_both("anydnnProblemExplain", handle, problem);

    if (status != SUCCESS)
        return status;
    if (!text && size > 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnProblemExplain: text is NULL and size is %zu", size);
    return adn_dispatch_explain(handle, "anydnnProblemExplain", &problem->problem, text, size,
                                needed);
}

/* Converts the value of set_tensor to the type of y, in each lane of a vector. */
static void fill_value(anydnnProblem_t problem)
{
    int32_t type = problem->problem.tensor[0].type;
    size_t lanes = (size_t)adn_type_lanes(type);
    size_t scalar = (size_t)adn_type_size(type) / lanes;

    for (size_t i = 0; i < lanes; i++)
        adn_element_store(type, problem->value + i * scalar, problem->values.value);
}

anydnnStatus_t anydnnProblemExecute(anydnnHandle_t handle, anydnnProblem_t problem,
                                    void *const pointers[], void *workspace,
                                    size_t workspaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct anydnn_plugin_operands operands = {.struct_size = sizeof(operands)};
    anydnnStatus_t status = check_both("anydnnProblemExecute", handle, problem);
    int32_t slot;

    if (status == SUCCESS)
        status = adn_handle_complain_now(handle, "anydnnProblemExecute");

    if (status != SUCCESS)
        return status;
    if (!pointers)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnProblemExecute: pointers is NULL");
    for (int index = 0; (slot = slot_at(&problem->problem, index)) >= 0; index++) {
        operands.data[slot] = pointers[index];
        if (!pointers[index])
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "anydnnProblemExecute: pointers[%d], operand %s, is NULL", index,
                            adn_problem_operation(problem->problem.operation)->slot[slot].role);
    }
    status = adn_problem_check_host(&problem->problem, operands.data, "anydnnProblemExecute");
    if (status != SUCCESS)
        return status;
    memcpy(operands.scale, problem->values.scale, sizeof(operands.scale));
    memcpy(operands.number, problem->values.number, sizeof(operands.number));
    if (problem->problem.operation == ANYDNN_PLUGIN_SET_TENSOR) {
        fill_value(problem);
        operands.value = problem->value;
    }
    operands.workspace = workspace;
    operands.workspace_bytes = workspaceSizeInBytes;
    return adn_dispatch_problem_run(handle, "anydnnProblemExecute", &problem->problem, &operands);
}

anydnnStatus_t anydnnProblemDestroy(anydnnProblem_t problem)
{
    ADN_ENTRY_SCOPE;

    if (!problem)
        return SUCCESS;
    if (check("anydnnProblemDestroy", problem) != SUCCESS)
        return ANYDNN_STATUS_BAD_PARAM;
    problem->magic = 0;
    free(problem);
    return SUCCESS;
}
