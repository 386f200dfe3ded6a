/* SPDX-License-Identifier: Apache-2.0 */
/* transform_tensor, add_tensor and scale_tensor: y = alpha*x + beta*y and its special cases. */
#include "../../cuda_common/table.h"
#include "../shared/map.h"
#include "transpose.h"

#include <type_traits>

struct blend_params {
};

/* The op of y = alpha*x + beta*y; x may be broadcast. */
template <class E> struct blend_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef blend_params params;
    enum { OUT = 1, IN = 1, EXTRA = 0 };

    static __device__ void compute(const params &, const A in[], const int64_t *, A out[])
    {
        out[0] = in[0];
    }
};

struct blend_types {
    int32_t from, to;
};

/* The op of x + y in float, for operands of one type. The result equals that of a sum in double.
 * Rounding twice is harmless if the wider format has at least 2 p + 2 bits for the p bits of the
 * result. */
template <class E> struct add_op {
    typedef E T;
    typedef typename cuda_arith<E>::type A;
    typedef blend_params params;
    enum { OUT = 1, IN = 2, EXTRA = 0 };

    static __device__ void compute(const params &, const A in[], const int64_t *, A out[])
    {
        out[0] = in[0] + in[1];
    }
};

/* The op for any two types, which are selected at run time. */
struct convert_op {
    typedef blend_types params;
    enum { OUT = 1, IN = 1, EXTRA = 0 };

    static __device__ void run(const cuda_map_job<convert_op> &job, const int64_t at[])
    {
        double value = cuda_load_any(job.params.from, job.data[1], at[1]);
        cuda_blend_store_any(job.params.to, job.data[0], at[0], value, job.blend);
    }
};

/* ------------------------------------------------------------------ plans */

struct blend_state {
    cuda_map_plan map, added; /* of y and x; of y, x and y again */
    int32_t (*launch)(const blend_state *state, const cuda_call *call, void *y, void *x,
                      cuda_blend blend);
    blend_types types;
    cuda_turn turn;
};

template <class T>
static int32_t turn(const blend_state *state, const cuda_call *call, void *y, void *x,
                    cuda_blend blend)
{
    return cuda_turn_run<T>(call, {state->turn, y, x, blend});
}

template <class Op>
static int32_t launch(const blend_state *state, const cuda_call *call, void *y, void *x,
                      cuda_blend blend)
{
    cuda_map_job<Op> job;

    job.data[0] = y;
    job.data[1] = x;
    job.blend = blend;
    return cuda_map_run(&state->map, call, &job);
}

/* Adds without factors if vectors can be used; else uses blend_op. */
template <class T>
static int32_t add(const blend_state *state, const cuda_call *call, void *y, void *x,
                   cuda_blend blend)
{
    cuda_map_job<add_op<T>> job;

    job.data[0] = y;
    job.data[1] = x;
    job.data[2] = y;
    job.blend = {1, 0};
    if (blend.alpha != 1 || blend.beta != 1 || !cuda_map_aligned(&state->added, job.data, 3))
        return launch<blend_op<T>>(state, call, y, x, blend);
    return cuda_map_run(&state->added, call, &job);
}

static int32_t convert(const blend_state *state, const cuda_call *call, void *y, void *x,
                       cuda_blend blend)
{
    cuda_map_job<convert_op> job;

    job.data[0] = y;
    job.data[1] = x;
    job.blend = blend;
    job.params = state->types;
    return cuda_each_run(&state->map.walk, call, &job);
}

template <class T>
static void prepare(blend_state *state, const struct anydnn_plugin_tensor *const tensor[])
{
    const struct anydnn_plugin_tensor *added[] = {tensor[0], tensor[1], tensor[0]};

    cuda_map_prepare<blend_op<T>>(&state->map, tensor, KIT_WALK_SORTED);
    state->launch = launch<blend_op<T>>;
    if (cuda_turn_prepare<T>(&state->turn, &state->map.walk)) {
        state->launch = turn<T>;
    } else if constexpr (sizeof(T) < sizeof(double) && !std::is_integral<T>::value) {
        cuda_map_prepare<add_op<T>>(&state->added, added, KIT_WALK_SORTED);
        state->launch = add<T>;
    }
}

static void prepare_blend(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_tensor *y,
                          const struct anydnn_plugin_tensor *x)
{
    const struct anydnn_plugin_tensor *mapped[] = {y, x};
    blend_state *state = (blend_state *)plan->job;

    state->types = {x->type, y->type};
    if (kit_lane_type(x->type) != kit_lane_type(y->type)) {
        cuda_walk_make(&state->map.walk, mapped, 2, KIT_WALK_ALL, KIT_WALK_SORTED);
        state->launch = convert;
        return;
    }
    switch (kit_lane_type(x->type)) {
#define CASE(T) prepare<T>(state, mapped)
        CUDA_FLOAT_CASES(CASE);
    case ANYDNN_PLUGIN_INT32:
        CASE(int32_t);
        break;
    case ANYDNN_PLUGIN_UINT8:
        CASE(uint8_t);
        break;
    default:
        CASE(int8_t);
#undef CASE
    }
}

static_assert(KIT_SAME_SLOT(transform_tensor, add_tensor, x) &&
                  KIT_SAME_SLOT(transform_tensor, add_tensor, y),
              "transform_tensor and add_tensor share functions");

static void two_prepare(struct anydnn_plugin_plan *plan)
{
    prepare_blend(plan, plan->problem.tensor[slot_transform_tensor_y],
                  plan->problem.tensor[slot_transform_tensor_x]);
}

static int32_t two_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_operands *operands = call->operands;
    const blend_state *state = (const blend_state *)plan->job;

    return state->launch(state, call, operands->data[slot_transform_tensor_y],
                         operands->data[slot_transform_tensor_x],
                         {operands->scale[0], operands->scale[1]});
}

static void scale_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[slot_scale_tensor_y];

    prepare_blend(plan, y, y);
}

static int32_t scale_run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_operands *operands = call->operands;
    const blend_state *state = (const blend_state *)plan->job;
    void *y = operands->data[slot_scale_tensor_y];

    return state->launch(state, call, y, y, {operands->scale[0], 0});
}

CUDA_OPERATION(transform_tensor, TRANSFORM_TENSOR,
               .types = CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .job_size = sizeof(blend_state),
               .notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT, .prepare = two_prepare, .run = two_run);
CUDA_OPERATION(add_tensor, ADD_TENSOR, .types = CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .job_size = sizeof(blend_state),
               .prepare = two_prepare, .run = two_run);
CUDA_OPERATION(scale_tensor, SCALE_TENSOR, .types = CUDA_FLOATS | CUDA_INTEGERS | CUDA_VECTORS,
               .layouts = CUDA_LAYOUTS_AND_VECTORS, .job_size = sizeof(blend_state),
               .prepare = scale_prepare, .run = scale_run);
