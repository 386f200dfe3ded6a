/* SPDX-License-Identifier: Apache-2.0 */
/* A backend for transform_tensor of floats that leaves y unchanged and writes one byte outside its
 * outputs. Its setting `set.do` names the row of the table that gives the place. */
#include <string.h>

#include "mocks/fake.h"

enum place { BEHIND_Y, IN_Y, IN_X, BEHIND_WORKSPACE, RUNS };

static const struct {
    const char *name;
    enum place place;
    int offset; /* offset of the byte in the place */
} faults[] = {
    {"before", IN_Y, -3},  {"after", BEHIND_Y, 1},
    {"gap", IN_Y, 4}, /* a gap in y's last dim */
    {"input", IN_X, 0},    {"workspace", BEHIND_WORKSPACE, 0},
    {"restless", RUNS, 0}, /* y's first element grows with each run */
};

static int64_t bytes_of(const struct anydnn_plugin_tensor *tensor)
{
    int64_t last = 0;

    for (int32_t i = 0; i < tensor->ndims; i++)
        last += (tensor->dims[i] - 1) * tensor->strides[i];
    return (last + 1) * kit_type_size(tensor->type);
}

static int32_t execute(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    static int runs;
    const char *name = kit_host->setting(kit_host, "do");

    (void)effect;
    for (size_t i = 0; name && i < sizeof(faults) / sizeof(faults[0]); i++) {
        unsigned char *const start[] = {
            [BEHIND_Y] = (unsigned char *)operands->data[1] + bytes_of(plan->problem.tensor[1]),
            [IN_Y] = operands->data[1],
            [IN_X] = operands->data[0],
            [BEHIND_WORKSPACE] = (unsigned char *)operands->workspace + operands->workspace_bytes,
        };

        if (strcmp(faults[i].name, name) != 0)
            continue;
        if (faults[i].place == RUNS)
            *(float *)operands->data[1] = (float)++runs;
        else
            start[faults[i].place][faults[i].offset] ^= 1;
    }
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void need_workspace(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem,
                           struct anydnn_plugin_candidate *candidate)
{
    (void)context;
    (void)problem;
    candidate->workspace = 512;
}

static const struct fake_operation operations[] = {
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)}};

struct fake fake = {
    .name = "trespass",
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .operations = operations,
    .operation_count = 1,
    .change = need_workspace,
    .execute = execute,
};
