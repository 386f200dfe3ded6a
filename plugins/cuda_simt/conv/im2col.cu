/* SPDX-License-Identifier: Apache-2.0 */
/* Computes im2col: the windows of x become the columns of a matrix. The filter as a matrix
 * [K, C*R*S] times col is then the convolution. col[(c, r, s), (n, p, q)] is the element that
 * w[k, c, r, s] meets at output p, q of image n. */
#include "../../cuda_common/table.h"
#include "../shared/window.h"

/* The modes of struct anydnn_plugin_convolution. */
enum { FLIPPED };

#define S CUDA_MANY_DIMS

struct im2col_params {
    int32_t dims; /* spatial dims, the last ones of the arrays */
    int32_t flipped;
    int64_t window[S], out[S];
    int64_t pad[S], stride[S], dilation[S];
    int64_t x_dims[S], strides[S];
    int64_t image, channel; /* strides */
};

/* Replaces `*left` with its quotient by `dim` and returns the remainder. Divides in 32 bits if
 * these suffice. */
__device__ static inline int64_t take_apart(int64_t *left, int64_t dim)
{
    int64_t quotient = *left < INT64_C(0x7fffffff) && dim < INT64_C(0x7fffffff)
                           ? (int64_t)((uint32_t)*left / (uint32_t)dim)
                           : *left / dim;
    int64_t remainder = *left - quotient * dim;

    *left = quotient;
    return remainder;
}

/* The function for each element. `at` holds the element's offset in col, its row and its column. */
template <class T> struct im2col_op {
    typedef im2col_params params;
    enum { OUT = 1, IN = 0, EXTRA = 2 };

    static __device__ void run(const cuda_map_job<im2col_op> &job, const int64_t at[])
    {
        const params &p = job.params;
        int64_t row = at[1], column = at[2], offset = 0;
        T value = {};

        for (int s = S - 1; s >= S - p.dims; s--) {
            int64_t tap = take_apart(&row, p.window[s]), coordinate;

            tap = p.flipped ? p.window[s] - 1 - tap : tap;
            coordinate =
                take_apart(&column, p.out[s]) * p.stride[s] + tap * p.dilation[s] - p.pad[s];
            offset += coordinate * p.strides[s];
            if (coordinate < 0 || coordinate >= p.x_dims[s])
                offset = INT64_MIN / 2;
        }
        offset += row * p.channel + column * p.image;
        if (offset >= 0)
            value = ((const T *)job.data[1])[offset];
        ((T *)job.data[0])[at[0]] = value;
    }
};

/* ------------------------------------------------------------------ plans */

struct im2col_state {
    cuda_walk walk;
    int32_t (*launch)(const im2col_state *state, const cuda_call *call);
    im2col_params params;
};

template <class T> static int32_t launch(const im2col_state *state, const cuda_call *call)
{
    cuda_map_job<im2col_op<T>> job;

    job.data[0] = call->operands->data[slot_im2col_col];
    job.data[1] = call->operands->data[slot_im2col_x];
    job.params = state->params;
    return cuda_each_run(&state->walk, call, &job);
}

static void fill_params(const struct anydnn_plugin_plan *plan, im2col_params *to)
{
    const struct anydnn_plugin_convolution *from =
        (const struct anydnn_plugin_convolution *)plan->problem.params;
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_im2col_x];
    int32_t missing = S - from->spatial_dims;

    to->dims = from->spatial_dims;
    to->flipped = from->mode == FLIPPED;
    to->image = x->strides[0];
    to->channel = x->strides[1];
    cuda_spatial_dims(x, S, to->x_dims);
    cuda_spatial_strides(x, S, to->strides);
    for (int32_t s = missing; s < S; s++) {
        int64_t covered = (from->window[s - missing] - 1) * from->dilation[s - missing] + 1;

        to->window[s] = from->window[s - missing];
        to->pad[s] = from->pad[s - missing];
        to->stride[s] = from->stride[s - missing];
        to->dilation[s] = from->dilation[s - missing];
        to->out[s] = (to->x_dims[s] + 2 * to->pad[s] - covered) / to->stride[s] + 1;
    }
}

static void im2col_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *col = plan->problem.tensor[slot_im2col_col];
    struct anydnn_plugin_tensor row = cuda_coordinate(col, 0), column = cuda_coordinate(col, 1);
    const struct anydnn_plugin_tensor *walked[] = {col, &row, &column};
    im2col_state *state = (im2col_state *)plan->job;

    cuda_walk_make(&state->walk, walked, 3, KIT_WALK_ALL, KIT_WALK_SORTED);
    fill_params(plan, &state->params);
    switch (col->type) {
#define CASE(T) state->launch = launch<T>
        CUDA_FLOAT_CASES(CASE);
#undef CASE
    }
}

static int32_t im2col_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const im2col_state *state = (const im2col_state *)plan->job;
    return state->launch(state, call);
}

CUDA_OPERATION(im2col, IM2COL, .types = CUDA_FLOATS, .layouts = KIT_LAYOUTS,
               .job_size = sizeof(im2col_state), .prepare = im2col_prepare, .run = im2col_run);
