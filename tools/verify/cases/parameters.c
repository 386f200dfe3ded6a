/* SPDX-License-Identifier: Apache-2.0 */
/* Makes cases of batch normalization with parameters in half and bfloat16, for backends that
 * publish that they take them. */
#include "tools/verify/cases/cases.h"

#include <stdio.h>

#include "desc/names.h"
#include "load/load.h"
#include "problem/operation.h"
#include "problem/parameters.h"

#define TYPES   32
#define LAYOUTS 3 /* without vectors */

/* The sets of groups whose parameters are short. */
#define GROUP(name) (1u << ADN_PARAMETER_##name)
static const struct {
    uint32_t groups;
    const char *label;
} sets[] = {
    {GROUP(SCALE) | GROUP(GIVEN) | GROUP(SAVED), "short parameters"},
    {GROUP(SCALE), "short scale"},
    {GROUP(GIVEN), "short given statistics"},
    {GROUP(SAVED), "short saved statistics"},
    {GROUP(SCALE) | GROUP(GIVEN), "short scale and given statistics"},
};

#define SETS ((int)(sizeof(sets) / sizeof(sets[0])))

/* Returns the groups that the problem has. */
static uint32_t groups_of(const struct adn_problem *problem)
{
    uint32_t groups = 0;

    for (int32_t i = 0; i < ADN_SLOTS; i++)
        if (problem->present >> i & 1)
            groups |= 1u << adn_parameter_group(problem->operation, i);
    return groups & ~GROUP(NONE);
}

static void shorten(struct adn_problem *problem, uint32_t groups)
{
    for (int32_t i = 0; i < ADN_SLOTS; i++)
        if ((problem->present >> i & 1) &&
            (groups >> adn_parameter_group(problem->operation, i) & 1))
            problem->tensor[i].type = adn_problem_type(problem);
}

/* Adds a shape in one type and layout with each set that differs from those before. */
static void add_sets(struct verify_cases *cases, const struct verify_shapes *shapes,
                     const struct anydnn_plugin_operation *op, const struct verify_shape *shape,
                     int32_t type, const char *layout, int count)
{
    struct adn_problem base;
    struct adn_values values;

    if (verify_shape_problem(shapes, shape, type, layout, &base, &values) != 0)
        return;
    base.math = verify_math_of(op, type, base.math);
    for (int i = 0; i < count; i++) {
        uint32_t present = groups_of(&base);
        struct adn_problem problem = base;
        char label[120];

        if (i > 0 && ((sets[i].groups & present) != sets[i].groups || sets[i].groups == present))
            continue;
        shorten(&problem, sets[i].groups);
        snprintf(label, sizeof(label), "%s,%s", shape->label, sets[i].label);
        if (verify_is_valid(&problem))
            verify_problem_add(cases, &problem, &values, type, layout, label);
    }
}

void verify_parameters_add(struct verify_cases *cases, const struct adn_backend *backend,
                           const struct anydnn_plugin_operation *op,
                           const struct verify_filter *filter)
{
    int64_t taken = adn_load_limit(backend, op->operation, ADN_PARAMETER_LIMIT);
    const struct verify_shapes *shapes = verify_shapes_of(op->operation);
    int turn = 0;

    if (shapes == NULL ||
        adn_problem_operation(op->operation)->family != ADN_FAMILY_BATCH_NORMALIZATION)
        return;
    for (const struct verify_shape *shape = shapes->shape; shape->text != NULL; shape++)
        for (int32_t type = 0; type < TYPES; type++) {
            const struct verify_layout *layout = &verify_layouts[turn % LAYOUTS];

            if (!adn_type_is_short_float(type) || !(taken >> type & 1) ||
                !(op->types >> type & 1) || (filter->type >= 0 && filter->type != type))
                continue;
            turn++;
            if (op->layouts & layout->bit)
                add_sets(cases, shapes, op, shape, type, layout->name, filter->quick ? 1 : SETS);
        }
}
