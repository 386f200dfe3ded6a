/* SPDX-License-Identifier: Apache-2.0 */
/* A forward convolution of packed 2-D float tensors, right or with a planted fault. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "mock.h"

/* Returns the number with the 11 bits of half's significand. */
static float shorten(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits &= ~UINT32_C(0x1fff);
    memcpy(&value, &bits, sizeof(bits));
    return value;
}

static float sum_at(const struct anydnn_plugin_tensor *const *tensor,
                    const struct anydnn_plugin_convolution *params,
                    const struct anydnn_plugin_operands *operands, const int64_t *at, int clamps)
{
    const int64_t *x = tensor[0]->dims, *w = tensor[1]->dims;
    int64_t group = at[1] / (w[0] / params->groups);
    double sum = 0;

    for (int64_t c = 0; c < w[1]; c++)
        for (int64_t r = 0; r < w[2]; r++)
            for (int64_t s = 0; s < w[3]; s++) {
                int64_t row = at[2] * params->stride[0] - params->pad[0] + r * params->dilation[0];
                int64_t column =
                    at[3] * params->stride[1] - params->pad[1] + s * params->dilation[1];
                int64_t plane = at[0] * x[1] + group * w[1] + c;

                if (clamps)
                    column = column < 0 ? 0 : column >= x[3] ? x[3] - 1 : column;
                if (row < 0 || row >= x[2] || column < 0 || column >= x[3])
                    continue;
                sum +=
                    (double)((const float *)
                                 operands->data[0])[(plane * x[2] + row) * x[3] + column] *
                    ((const float *)operands->data[1])[((at[1] * w[1] + c) * w[2] + r) * w[3] + s];
            }
    return (float)sum;
}

static void compute(const struct anydnn_plugin_tensor *const *tensor,
                    const struct anydnn_plugin_convolution *params,
                    const struct anydnn_plugin_operands *operands, int clamps)
{
    const int64_t *y = tensor[2]->dims;
    float *to = operands->data[2];
    int64_t at[4];

    for (at[0] = 0; at[0] < y[0]; at[0]++)
        for (at[1] = 0; at[1] < y[1]; at[1]++)
            for (at[2] = 0; at[2] < y[2]; at[2]++)
                for (at[3] = 0; at[3] < y[3]; at[3]++)
                    *to++ = sum_at(tensor, params, operands, at, clamps);
}

void mock_convolution(const char *fault, const struct anydnn_plugin_tensor *const *tensor,
                      const struct anydnn_plugin_convolution *params,
                      const struct anydnn_plugin_operands *operands)
{
    static atomic_uint runs;
    const int64_t *dims = tensor[2]->dims;
    int64_t count = dims[0] * dims[1] * dims[2] * dims[3];
    unsigned run = atomic_fetch_add(&runs, 1);
    float *y = operands->data[2];

    compute(tensor, params, operands, strcmp(fault, "border") == 0);
    if (strcmp(fault, "race") == 0 && run % 2 == 1)
        for (int64_t i = 0; i < count; i++)
            y[i] *= 1 + 0x1p-22f;
    else if (strcmp(fault, "past") == 0)
        y[count] = 1;
    else if (strcmp(fault, "before") == 0)
        y[-3] = 1;
    else if (strcmp(fault, "nan") == 0 && run % 2 == 1)
        y[count - 1] = NAN;
    else if (strcmp(fault, "lazy") == 0)
        y[count - 1] += 0 * ((const float *)operands->workspace)[0];
    else if (strcmp(fault, "workspace") == 0)
        ((char *)operands->workspace)[operands->workspace_bytes] = 1;
    else if (strcmp(fault, "short") == 0)
        for (int64_t i = 0; i < count; i++)
            y[i] = shorten(y[i]);
}
