/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the inputs of a convolution to the form that its loops read (conv_operands.h). */
#include "conv_operands.h"

#include "element.h"

#include <stddef.h>

/* ------------------------------------------------------------------ rows */

#define COPY_ROW(name, type, to_float)                                                             \
    static void name(void *arg, void *const place[], const int64_t stride[], int64_t n)            \
    {                                                                                              \
        const type *from = place[0];                                                               \
        float *to = place[1];                                                                      \
                                                                                                   \
        (void)arg;                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i * stride[1]] = (float)to_float(from[i * stride[0]]);                              \
    }

COPY_ROW(copy_half, struct cpu_ref_half, cpu_ref_half_load)
COPY_ROW(copy_bfloat16, struct cpu_ref_bfloat16, cpu_ref_bfloat16_load)
COPY_ROW(round_to_tf32, float, cpu_ref_tf32)
COPY_ROW(round_to_split, float, cpu_ref_split)

/* The conversions; operands that are read in place have no entry. `math` is the mode of the plan,
 * or -1 for any. */
static const struct {
    int32_t type;
    int32_t math;
    kit_row_fn convert;
} conversions[] = {
    {ANYDNN_PLUGIN_HALF, -1, copy_half},
    {ANYDNN_PLUGIN_BFLOAT16, -1, copy_bfloat16},
    {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, round_to_tf32},
    {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_MATH_SPLIT, round_to_split},
};

static kit_row_fn conversion(int32_t type, int32_t math)
{
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
        if (conversions[i].type == type &&
            (conversions[i].math == -1 || conversions[i].math == math))
            return conversions[i].convert;
    }
    return NULL;
}

/* ------------------------------------------------------------------ plans */

/* Returns a packed float tensor with the same order of dims in memory. */
static struct anydnn_plugin_tensor packed_like(const struct anydnn_plugin_tensor *tensor)
{
    struct anydnn_plugin_tensor packed = *tensor;
    uint32_t left = (UINT32_C(1) << tensor->ndims) - 1;
    int64_t stride = 1;

    packed.type = ANYDNN_PLUGIN_FLOAT;
    while (left) {
        int32_t d = cpu_ref_smallest_stride(tensor, left);

        left &= ~(UINT32_C(1) << d);
        packed.strides[d] = stride;
        stride *= packed.dims[d];
    }
    return packed;
}

void cpu_ref_conv_state(struct anydnn_plugin_plan *plan, const struct conv_roles *roles,
                        const struct anydnn_plugin_tensor *z)
{
    struct anydnn_plugin_problem as_read = plan->problem;
    struct anydnn_plugin_tensor packed[CONV_INPUTS];
    struct conv_state *state = plan->state;

    for (int slot = 0; slot < CONV_INPUTS; slot++) {
        const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];
        struct conv_copy *copy = &state->copy[slot];

        copy->convert = conversion(tensor->type, plan->math);
        if (!copy->convert)
            continue;
        packed[slot] = packed_like(tensor);
        as_read.tensor[slot] = &packed[slot];
        cpu_ref_walk_init(&copy->walk,
                          (const struct anydnn_plugin_tensor *const[]){tensor, &packed[slot]}, 2,
                          KIT_WALK_ALL);
    }
    cpu_ref_conv_prepare(&as_read, roles, z, &state->conv);
}

/* ------------------------------------------------------------------ calls */

/* Returns the bytes of a copy, rounded up to the host's alignment. */
static size_t copy_bytes(const struct conv_copy *copy)
{
    return copy->convert ? (kit_bytes(copy->walk.count, sizeof(float)) + 63) / 64 * 64 : 0;
}

int32_t cpu_ref_conv_open(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands, struct conv_inputs *inputs)
{
    const struct conv_state *state = plan->state;
    size_t bytes = copy_bytes(&state->copy[0]) + copy_bytes(&state->copy[1]);
    char *place;

    *inputs = (struct conv_inputs){.data = {operands->data[0], operands->data[1]}};
    if (bytes == 0)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    place = inputs->memory = kit_host->alloc(bytes);
    if (!place)
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                        "%s: out of memory for %zu bytes of operands in float",
                        kit_operation_name(plan->problem.operation), bytes);
    for (int slot = 0; slot < CONV_INPUTS; slot++) {
        const struct conv_copy *copy = &state->copy[slot];

        if (!copy->convert)
            continue;
        cpu_ref_walk_parallel(&copy->walk, (void *const[]){operands->data[slot], place}, 1,
                              copy->convert, NULL);
        inputs->data[slot] = place;
        place += copy_bytes(copy);
    }
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

void cpu_ref_conv_close(const struct conv_inputs *inputs)
{
    if (inputs->memory)
        kit_host->free(inputs->memory);
}
