/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the operands of a problem each of the published layouts. */
#include "tools/verify/cases/cases.h"

#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/shape.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

const struct verify_layout verify_layouts[VERIFY_LAYOUTS] = {
    {ANYDNN_PLUGIN_LAYOUT_NCHW, "nchw"},
    {ANYDNN_PLUGIN_LAYOUT_NHWC, "nhwc"},
    {ANYDNN_PLUGIN_LAYOUT_STRIDED, "strided"},
    {ANYDNN_PLUGIN_LAYOUT_VECT_C, "nchw_vect_c"},
};

static int stays_packed(const struct adn_problem *problem, int slot)
{
    static const char *const packed[] = {
        "w",           "dw",           "bias",          "scale",         "mean",
        "var",         "running_mean", "running_var",   "save_mean",     "save_inv_var",
        "dscale",      "dbias",        "states",        "reserve",       "indices",
        "col",         "labels",       "label_lengths", "input_lengths", "costs",
        "save_inv_dev"};
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
        if (strcmp(info->slot[slot].role, packed[i]) == 0)
            return 1;
    return 0;
}

/* Sets strides with gaps. Odd slots: part of a larger packed tensor, with every second element
 * (vector) of its rows. Even slots: channels outermost, with gaps between rows. No two dims have
 * the same gap. */
static void spread(struct anydnn_plugin_tensor *tensor, int slot)
{
    int64_t step = slot % 2 == 1 ? 2 : 1;

    for (int d = tensor->ndims - 1; d >= 0; d--) {
        if (slot % 2 == 0 && d <= 1 && tensor->ndims > 2)
            continue;
        tensor->strides[d] = step;
        step *= adn_shape_extent(tensor, d) + 1 + d % 2;
    }
    if (slot % 2 == 0 && tensor->ndims > 2) {
        tensor->strides[0] = step + 3;
        tensor->strides[1] = (step + 3) * tensor->dims[0] + 1;
    }
}

static int lay_out_slot(struct adn_problem *problem, int slot, const char *layout)
{
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];
    int lanes = adn_type_lanes(tensor->type);
    const char *role = adn_problem_operation(problem->operation)->slot[slot].role;
    int filter = strcmp(role, "w") == 0 || strcmp(role, "dw") == 0;
    int strided = strcmp(layout, "strided") == 0;

    if (lanes > 1 && (tensor->ndims < 2 || tensor->dims[1] % lanes != 0))
        return -1;
    if (adn_problem_home(problem, slot) != slot)
        *tensor = problem->tensor[adn_problem_home(problem, slot)];
    else if (strided && !stays_packed(problem, slot))
        spread(tensor, slot);
    else if (lanes > 1)
        return adn_layout_set(tensor, "nchw_vect_c");
    else if (strcmp(layout, "nhwc") == 0 && (filter || !stays_packed(problem, slot)))
        return adn_layout_set(tensor, layout);
    /* The text already means rows first, and may name layouts. */
    return 0;
}

int verify_lay_out(struct adn_problem *problem, const char *layout)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (int i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && lay_out_slot(problem, i, layout) != 0)
            return -1;
    for (int i = 0; i < info->slot_count; i++)
        if (problem->absent >> i & 1)
            problem->tensor[i] = problem->tensor[adn_problem_substitute(problem, i)];
    return 0;
}
