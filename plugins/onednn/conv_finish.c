/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the last step of a fused convolution, for cases in which the primitive omits it. */
#include "activate.h"
#include "conv.h"

/* The last step, in double: y = activation(alpha1 * r + alpha2 * z + bias). */
struct finish {
    struct onednn_walk walk; /* y, r, bias, z; y replaces an absent z */
    struct onednn_place place[4];
    int32_t has_z;
    struct onednn_activation activation;
};
struct finish_call {
    const struct finish *finish;
    double alpha1, alpha2;
};

static void finish_row(void *arg, const struct onednn_walk *walk, char *const place[],
                       const int64_t stride[], int64_t n)
{
    const struct finish_call *call = arg;
    const struct finish *finish = call->finish;
    double value[ONEDNN_CHUNK], other[ONEDNN_CHUNK];

    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        int64_t count = n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK;

        onednn_row_load(value, walk->type[1], place[1] + i * stride[1], stride[1], count);
        for (int64_t k = 0; k < count; k++)
            value[k] *= call->alpha1;
        if (call->alpha2 != 0) {
            onednn_row_load(other, walk->type[3], place[3] + i * stride[3], stride[3], count);
            for (int64_t k = 0; k < count; k++)
                value[k] += call->alpha2 * other[k];
        }
        onednn_row_load(other, walk->type[2], place[2] + i * stride[2], stride[2], count);
        for (int64_t k = 0; k < count; k++)
            value[k] = onednn_activate(&finish->activation, value[k] + other[k]);
        onednn_row_store(walk->type[0], place[0] + i * stride[0], stride[0], value, count);
    }
}

static void run_finish(const struct onednn_call *call, const void *data)
{
    const struct finish *finish = data;
    const double *scale = call->operands->scale;
    struct finish_call arg = {finish, scale[0], finish->has_z ? scale[1] : 0};
    void *place[4];

    for (int i = 0; i < 4; i++)
        place[i] = onednn_at(call, finish->place[i]);
    onednn_walk_run(&finish->walk, place, finish_row, &arg);
}

/* Returns the bias as a tensor of y's dims. Dims 1 to 3 of a view of lanes are the channels. */
static struct onednn_view spread_bias(const struct onednn_build *build, const struct onednn_view *y)
{
    struct onednn_view bias = onednn_lanes(build, ONEDNN_FUSED(bias), 1);
    int64_t step = bias.dims[2] > 1 ? bias.strides[2] : 0;

    for (int32_t d = 0; d < y->ndims; d++)
        bias.strides[d] = 0;
    bias.ndims = y->ndims;
    bias.strides[2] = step * y->dims[3];
    bias.strides[3] = step;
    return bias;
}

void onednn_conv_finish(struct onednn_build *build, struct onednn_place place,
                        const struct onednn_view *r)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;
    int has_z = build->problem->present >> ONEDNN_FUSED(z) & 1;
    struct onednn_view y = onednn_lanes(build, ONEDNN_FUSED(y), 1);
    struct onednn_view z = onednn_lanes(build, has_z ? ONEDNN_FUSED(z) : ONEDNN_FUSED(y), 1);
    struct onednn_view bias = spread_bias(build, &y);
    struct onednn_view sums = onednn_lanes_of(r, 1, y.dims[3]);
    struct finish finish = {
        .place = {{.slot = ONEDNN_FUSED(y)},
                  place,
                  {.slot = ONEDNN_FUSED(bias)},
                  {.slot = has_z ? ONEDNN_FUSED(z) : ONEDNN_FUSED(y)}},
        .has_z = has_z,
        .activation = {params->activation, params->nan_propagate, params->coef},
    };

    onednn_walk_init(&finish.walk, (const struct onednn_view *const[]){&y, &sums, &bias, &z}, 4);
    onednn_run_own(build, run_finish, &finish, sizeof finish);
}
