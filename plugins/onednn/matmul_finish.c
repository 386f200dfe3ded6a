/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the last step of a matrix product, for cases in which the primitive omits it. */
#include "activate.h"
#include "layer.h"
#include "matmul.h"

enum { D, R, C, BIAS, AUX, TENSORS };

/* The parameters of the step. d replaces absent operands. */
struct finish {
    int32_t has_c, has_bias, has_aux;
    struct onednn_activation activation;
};

/* Adds factor * the n elements of a tensor to v. */
static void add(double *v, const struct onednn_walk *walk, int tensor, const char *at,
                int64_t stride, int64_t n, double factor)
{
    double other[ONEDNN_CHUNK];

    onednn_row_load(other, walk->type[tensor], at, stride, n);
    for (int64_t k = 0; k < n; k++)
        v[k] += factor * other[k];
}

static void finish_row(void *arg, const struct onednn_walk *walk, char *const place[],
                       const int64_t stride[], int64_t n)
{
    const struct onednn_row_call *row_call = arg;
    const struct finish *finish = row_call->data;
    const double *scale = row_call->call->operands->scale;
    double v[ONEDNN_CHUNK];
    char *at[TENSORS];

    for (int64_t i = 0; i < n; i += ONEDNN_CHUNK) {
        int64_t count = n - i < ONEDNN_CHUNK ? n - i : ONEDNN_CHUNK;

        for (int t = 0; t < TENSORS; t++)
            at[t] = place[t] + i * stride[t];
        onednn_row_load(v, walk->type[R], at[R], stride[R], count);
        for (int64_t k = 0; k < count; k++)
            v[k] *= scale[0];
        if (finish->has_c && scale[1] != 0)
            add(v, walk, C, at[C], stride[C], count, scale[1]);
        if (finish->has_bias)
            add(v, walk, BIAS, at[BIAS], stride[BIAS], count, 1);
        if (finish->has_aux)
            onednn_row_store(walk->type[AUX], at[AUX], stride[AUX], v, count);
        onednn_activate_row(&finish->activation, v, count);
        onednn_row_store(walk->type[D], at[D], stride[D], v, count);
    }
}

void onednn_matmul_finish(struct onednn_build *build, struct onednn_place r_place,
                          const struct onednn_view *r)
{
    static const int32_t slots[TENSORS] = {[D] = ONEDNN_MATMUL(d),
                                           [C] = ONEDNN_MATMUL(c),
                                           [BIAS] = ONEDNN_MATMUL(bias),
                                           [AUX] = ONEDNN_MATMUL(aux)};
    const struct anydnn_plugin_matmul *params = build->problem->params;
    const struct anydnn_plugin_tensor *const *tensor = build->problem->tensor;
    struct finish finish = {
        .has_c = tensor[ONEDNN_MATMUL(c)] != NULL,
        .has_bias = tensor[ONEDNN_MATMUL(bias)] != NULL,
        .has_aux = tensor[ONEDNN_MATMUL(aux)] != NULL,
        .activation = {params->activation, params->nan_propagate, params->coef},
    };
    struct onednn_view spread[TENSORS];
    const struct onednn_view *view[TENSORS];
    struct onednn_place place[TENSORS];

    for (int t = 0; t < TENSORS; t++) {
        int32_t slot = tensor[slots[t]] ? slots[t] : ONEDNN_MATMUL(d);

        view[t] = t == R ? r : &spread[t];
        place[t] = t == R ? r_place : (struct onednn_place){.slot = slot};
        spread[t] = onednn_matmul_spread(build, slot);
    }
    onednn_share_rows(build, finish_row, &finish, sizeof finish, view, place, TENSORS,
                      onednn_pieces_of(r), NULL);
}
