/* SPDX-License-Identifier: Apache-2.0 */
/* Makes problems of shapes: inserts the type, derives the backward problem, and sets the layout. */
#include "tools/verify/cases/cases.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "problem/check_problem.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"

/* Expands `$` to the type and `%` to the type of statistics and parameters. */
static void expand(char *to, size_t size, int32_t operation, const char *text, int32_t type)
{
    const char *parameter =
        adn_type_name(type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE : ANYDNN_PLUGIN_FLOAT);
    size_t length = (size_t)snprintf(to, size, "%s ", adn_operation_name(operation));

    for (; *text != '\0' && length + 16 < size; text++)
        if (*text == '$' || *text == '%')
            length += (size_t)snprintf(to + length, size - length, "%s",
                                       *text == '$' ? adn_type_name(type) : parameter);
        else
            to[length++] = *text;
    to[length] = '\0';
}

/* Turns a forward problem into the backward one of the same shapes. Operands match by name, with
 * `d` before a role for its gradient. Alpha and beta have the same positions in both directions. */
static void turn_back(struct adn_problem *problem, int32_t operation)
{
    const struct adn_operation *from = adn_problem_operation(problem->operation);
    const struct adn_operation *info = adn_problem_operation(operation);
    struct adn_problem back;
    int32_t data = -1;

    adn_problem_init(&back, operation);
    back.params = problem->params;
    back.math = problem->math;
    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;

        for (int k = 0; k < from->slot_count; k++)
            if (strcmp(role + (role[0] == 'd'), from->slot[k].role) == 0)
                back.tensor[i] = problem->tensor[k];
        back.present |= UINT32_C(1) << i;
        if (strcmp(role, "dy") == 0)
            data = i;
    }
    for (int k = 0; k < from->slot_count; k++)
        if (problem->alias[k] > 0)
            back.alias[info->slot_count - 1] = (uint8_t)(data + 1);
    *problem = back;
}

int verify_is_valid(const struct adn_problem *problem)
{
    struct adn_refusal refusal;
    anydnnStatus_t status;

    adn_refusal_begin(&refusal);
    status = adn_problem_check(problem, "case");
    adn_refusal_end(&refusal);
    return status == ANYDNN_STATUS_SUCCESS;
}

int verify_shape_problem(const struct verify_shapes *shapes, const struct verify_shape *shape,
                         int32_t type, const char *layout, struct adn_problem *problem,
                         struct adn_values *values)
{
    char text[1024];
    anydnnStatus_t status;

    expand(text, sizeof(text), shapes->from != 0 ? shapes->from : shapes->operation, shape->text,
           type);
    status = adn_problem_parse(text, problem, values);
    if (status != ANYDNN_STATUS_SUCCESS)
        return -1;
    if (shapes->from != 0)
        turn_back(problem, shapes->operation);
    if (verify_lay_out(problem, layout) != 0)
        return -1;
    return verify_is_valid(problem) ? 0 : -1;
}
