/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the spatial transformer: theta is n,2,3, a grid n,h,w,2, images n,c,h,w. */
#include "problem/check_spatial.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"
#include "sys/text.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

/* Checks that operand `slot` has the type of the first one and exactly these dims. `what` states
 * where they come from. */
static anydnnStatus_t check_shape(const struct adn_check *check, int32_t slot, int32_t ndims,
                                  const int64_t *dims, const char *what)
{
    const struct anydnn_plugin_tensor *tensor = &check->problem->tensor[slot];
    const struct anydnn_plugin_tensor *first = &check->problem->tensor[0];
    struct adn_text text;
    char rule[240];

    adn_text_begin(&text, rule, sizeof(rule));
    if (tensor->type != first->type) {
        adn_text_add(&text, "its type must be %s, that of %s", adn_type_name(first->type),
                     check->info->slot[0].role);
        return adn_check_fail(check, BAD_PARAM, slot, rule);
    }
    if (tensor->ndims == ndims && memcmp(tensor->dims, dims, (size_t)ndims * sizeof(dims[0])) == 0)
        return SUCCESS;
    adn_text_add(&text, "its dims must be ");
    adn_text_list(&text, dims, ndims);
    adn_text_add(&text, ", %s", what);
    return adn_check_fail(check, BAD_PARAM, slot, rule);
}

/* Checks that a grid has a point of two coordinates for each n, h, w. */
static anydnnStatus_t check_grid(const struct adn_check *check, int32_t slot)
{
    const struct anydnn_plugin_tensor *grid = &check->problem->tensor[slot];

    return grid->ndims == 4 && grid->dims[3] == 2
               ? SUCCESS
               : adn_check_fail(
                     check, BAD_PARAM, slot,
                     "a grid has the dims n,h,w,2: the w and h coordinates of each point");
}

static anydnnStatus_t check_generator(const struct adn_check *check)
{
    int32_t grid = check->problem->operation == ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD;
    const int64_t dims[] = {check->problem->tensor[grid].dims[0], 2, 3};
    anydnnStatus_t status = check_grid(check, grid);

    if (status == SUCCESS && check->problem->tensor[1].type != check->problem->tensor[0].type)
        status = check_shape(check, 1, 0, NULL, "");
    return status == SUCCESS
               ? check_shape(check, !grid, 3, dims, "an affine matrix for each n of the grid")
               : status;
}

anydnnStatus_t adn_check_spatial(const struct adn_check *check)
{
    const struct anydnn_plugin_tensor *x = &check->problem->tensor[0];
    const struct anydnn_plugin_tensor *grid = &check->problem->tensor[1];
    int32_t dgrid = adn_check_slot(check, "dgrid");
    int32_t y = 2; /* or dy */
    anydnnStatus_t status;

    if (check->problem->operation == ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD ||
        check->problem->operation == ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD)
        return check_generator(check);
    if (x->ndims != 4)
        return adn_check_fail(check, BAD_PARAM, 0, "the sampler requires images with dims n,c,h,w");
    status = check_grid(check, 1);
    if (status == SUCCESS)
        status =
            check_shape(check, 1, 4, (const int64_t[]){x->dims[0], grid->dims[1], grid->dims[2], 2},
                        "n being that of x");
    if (status == SUCCESS)
        status = check_shape(
            check, y, 4, (const int64_t[]){x->dims[0], x->dims[1], grid->dims[1], grid->dims[2]},
            "n and c of x, h and w of the grid");
    if (status == SUCCESS && dgrid > 0)
        status = check_shape(check, dgrid, 4, grid->dims, "those of the grid");
    if (status == SUCCESS && dgrid > 0)
        status = check_shape(check, 3, 4, x->dims, "those of x");
    return status;
}
