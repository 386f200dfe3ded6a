/* SPDX-License-Identifier: Apache-2.0 */
/* Implements products of a few rows with a matrix whose columns are contiguous, as in a linear
 * layer of a small batch. The matrix is read once, 16 bytes at a time, so its bytes bound the time.
 * A warp computes the results of COLUMNS columns and adds its threads' sums in a fixed order. */
#include "../../cuda_common/gelu.h"
#include "../../cuda_common/index.h"
#include "../../cuda_common/table.h"
#include "../shared/vector.h"

#define SLOT(name) slot_matmul_##name

/* The most rows of a, and the columns of a warp. */
#define ROWS    8
#define COLUMNS 4

#define WARP 32

/* An operand with a row, a column and a batch stride in elements; `data` is NULL if absent. */
struct few_tensor {
    void *data;
    int32_t type;
    int64_t row, column, batch;
};

struct few_job {
    few_tensor a, b, c, bias, d, aux;
    int64_t rows, columns, inner;
    float alpha, beta;
    cuda_activation f;
};

struct few_state {
    few_job job;
    int64_t batch;
    int32_t can_be_wide;
};

/* ------------------------------------------------------------------ on the device */

/* Returns the number of an operand at a result's index. */
__device__ static inline float number_of(const few_tensor &t, int64_t row, int64_t column)
{
    int64_t at = blockIdx.y * t.batch + row * t.row + column * t.column;

    return t.data ? (float)cuda_load_any(t.type, t.data, at) : 0;
}

__device__ static inline void store(const few_tensor &t, int64_t row, int64_t column, float v)
{
    if (t.data)
        cuda_store_any(t.type, t.data, blockIdx.y * t.batch + row * t.row + column * t.column,
                       (double)v);
}

__device__ static inline void finish(const few_job &job, int64_t row, int64_t column, float sum)
{
    float v = sum * job.alpha;

    if (job.beta != 0)
        v += job.beta * number_of(job.c, row, column);
    v += number_of(job.bias, row, column);
    store(job.aux, row, column, v);
    store(job.d, row, column, cuda_activate_any(job.f, v));
}

/* Adds the products of a thread. MOST bounds the rows. */
template <class T, int LANES, int MOST>
__device__ static inline void multiply(const few_job &job, int64_t first,
                                       float (&sum)[COLUMNS][MOST])
{
    const T *a = (const T *)job.a.data + blockIdx.y * job.a.batch;
    const T *b = (const T *)job.b.data + blockIdx.y * job.b.batch;

    for (int64_t k = threadIdx.x % WARP * LANES; k < job.inner; k += WARP * LANES) {
        cuda_vector<T, LANES> column[COLUMNS], row;

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            if (first + c < job.columns)
                cuda_vector_get(column[c], b + (first + c) * job.b.column + k);
        }
#pragma unroll
        for (int m = 0; m < MOST; m++) {
            float v[LANES];

            if (m >= job.rows)
                break;
            cuda_vector_get(row, a + m * job.a.row + k);
            cuda_vector_numbers(row, v);
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                if (first + c < job.columns) {
#pragma unroll
                    for (int i = 0; i < LANES; i++)
                        sum[c][m] += v[i] * cuda_load(column[c].lane[i]);
                }
            }
        }
    }
}

template <class T, int LANES, int MOST>
__global__ void __launch_bounds__(CUDA_THREADS, 2) few_rows(few_job job)
{
    int64_t warp = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) / WARP;
    int64_t first = warp * COLUMNS;
    float sum[COLUMNS][MOST] = {};
    int lane = (int)threadIdx.x % WARP;

    multiply<T, LANES, MOST>(job, first, sum);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
        for (int m = 0; m < MOST; m++) {
            for (int by = WARP / 2; by > 0; by /= 2)
                sum[c][m] += __shfl_xor_sync(UINT32_MAX, sum[c][m], by);
        }
    }
    /* Each result has a thread of its own, which takes its sum from its registers. */
#pragma unroll
    for (int i = 1; i < COLUMNS * MOST; i++) {
        if (i == lane)
            sum[0][0] = sum[i / MOST][i % MOST];
    }
    if (lane < COLUMNS * MOST && lane % MOST < job.rows && first + lane / MOST < job.columns)
        finish(job, lane % MOST, first + lane / MOST, sum[0][0]);
}

/* ------------------------------------------------------------------ on the host */

static const struct anydnn_plugin_matmul *params_of(const struct anydnn_plugin_plan *plan)
{
    return (const struct anydnn_plugin_matmul *)plan->problem.params;
}

/* Returns an operand, with stride 0 along dims of 1. */
static few_tensor tensor_of(const struct anydnn_plugin_plan *plan, int slot)
{
    const struct anydnn_plugin_tensor *from = plan->problem.tensor[slot];
    few_tensor made = {};
    int last;

    if (!from)
        return made;
    last = from->ndims - 1;
    made.type = from->type;
    made.row = from->dims[last - 1] > 1 ? from->strides[last - 1] : 0;
    made.column = from->dims[last] > 1 ? from->strides[last] : 0;
    for (int d = 0; d < last - 1; d++)
        made.batch += from->dims[d] > 1 ? from->strides[d] : 0;
    return made;
}

static void analyse(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *d = plan->problem.tensor[SLOT(d)];
    const struct anydnn_plugin_tensor *a = plan->problem.tensor[SLOT(a)];
    few_state *state = (few_state *)plan->job;
    few_job *job = &state->job;

    job->a = tensor_of(plan, SLOT(a));
    job->b = tensor_of(plan, SLOT(b));
    job->c = tensor_of(plan, SLOT(c));
    job->bias = tensor_of(plan, SLOT(bias));
    job->d = tensor_of(plan, SLOT(d));
    job->aux = tensor_of(plan, SLOT(aux));
    job->rows = d->dims[d->ndims - 2];
    job->columns = d->dims[d->ndims - 1];
    job->inner = a->dims[a->ndims - 1];
    state->batch = 1;
    for (int i = 0; i < d->ndims - 2; i++)
        state->batch *= d->dims[i];
}

static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *d = plan->problem.tensor[SLOT(d)];
    const few_state *state = (const few_state *)plan->job;
    const few_job *job = &state->job;
    int32_t type = job->a.type, dims = 0;

    if (type != ANYDNN_PLUGIN_FLOAT && type != ANYDNN_PLUGIN_HALF && type != ANYDNN_PLUGIN_BFLOAT16)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_TYPE,
            "cuda_simt multiplies matrices of float, half and bfloat16; a has type %s",
            kit_type_name(type));
    if (job->rows > ROWS)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "cuda_simt multiplies up to %d rows; a has %lld", ROWS,
                          (long long)job->rows);
    if (job->inner > 1 && (job->a.column != 1 || job->b.row != 1))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                          "cuda_simt multiplies matrices with contiguous rows of a and columns of "
                          "b; their strides are %lld and %lld",
                          (long long)job->a.column, (long long)job->b.row);
    for (int32_t i = 0; i < d->ndims - 2; i++)
        dims += d->dims[i] > 1;
    if (dims > 1 || state->batch > 65535)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "cuda_simt multiplies batches of one dim, up to 65535; there are %d dims "
                          "and %lld products",
                          dims, (long long)state->batch);
    return 0;
}

static void prepare(struct anydnn_plugin_plan *plan)
{
    few_state *state = (few_state *)plan->job;
    few_job *job = &state->job;
    int64_t lanes = 16 / cuda_type_size(job->a.type);

    job->f = {params_of(plan)->activation, params_of(plan)->nan_propagate, params_of(plan)->coef};
    state->can_be_wide =
        (job->inner | job->a.row | job->a.batch | job->b.column | job->b.batch) % lanes == 0;
}

typedef void (*few_kernel)(few_job);

template <class T> static few_kernel choose(int wide, int64_t rows)
{
    enum { LANES = 16 / sizeof(T) };

    if (rows == 1)
        return wide ? few_rows<T, LANES, 1> : few_rows<T, 1, 1>;
    return wide ? few_rows<T, LANES, ROWS> : few_rows<T, 1, ROWS>;
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const few_state *state = (const few_state *)plan->job;
    few_job job = state->job;
    int wide;

    job.a.data = call->operands->data[SLOT(a)];
    job.b.data = call->operands->data[SLOT(b)];
    job.c.data = plan->problem.tensor[SLOT(c)] ? call->operands->data[SLOT(c)] : nullptr;
    job.bias.data = plan->problem.tensor[SLOT(bias)] ? call->operands->data[SLOT(bias)] : nullptr;
    job.d.data = call->operands->data[SLOT(d)];
    job.aux.data = plan->problem.tensor[SLOT(aux)] ? call->operands->data[SLOT(aux)] : nullptr;
    job.alpha = (float)call->operands->scale[0];
    job.beta = job.c.data ? (float)call->operands->scale[1] : 0;
    wide = state->can_be_wide && ((uintptr_t)job.a.data | (uintptr_t)job.b.data) % 16 == 0;
    return cuda_launch(call,
                       job.a.type == ANYDNN_PLUGIN_FLOAT  ? choose<float>(wide, job.rows)
                       : job.a.type == ANYDNN_PLUGIN_HALF ? choose<cuda_half>(wide, job.rows)
                                                          : choose<cuda_bfloat16>(wide, job.rows),
                       cuda_blocks(job.columns, CUDA_THREADS / WARP * COLUMNS), state->batch, job);
}

CUDA_OPERATION(matmul, MATMUL, .types = CUDA_SHORTS | CUDA_TYPE(FLOAT), .layouts = KIT_LAYOUTS,
               .job_size = sizeof(few_state), .analyse = analyse, .check = check,
               .prepare = prepare, .run = run);
