/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the backend's operations: fprop, plain and fused with bias and activation, dgrad and
 * wgrad. The file contains their engines, plans and calls. If K is long and there are few
 * results, K is split over the grid (split-K). A second kernel adds the partial sums from
 * workspace in a fixed order. A matrix product is a convolution with filters of one tap; the
 * products of a batch run one after another. */
#include "../cuda_common/divide.h"
#include "choice/offer.h"
#include "common/launch.h"
#include "matmul.h"

/* The steps of a plan, in this order. KERNEL is always present; the others are optional. */
enum { COPY_A, COPY_B, KERNEL, REDUCE, STEPS };

struct tc_state {
    struct conv conv; /* geometry of the problem; must be first (tc_conv_of) */
    conv_slots slots;
    tc_target target;
    tc_offer offer;      /* offer of the plan's engine */
    tc_layout layout;    /* layout of that offer */
    tc_step step[STEPS]; /* `run` is NULL for an absent step */
    int32_t is_product;
    struct tc_matmul matmul; /* of a matrix product */
};

/* ------------------------------------------------------------------ code */

static __global__ void nothing_kernel(int32_t)
{
}

/* Reads the capability of the loaded code. Code compiled from PTX keeps the limits of that PTX. */
int32_t tc_code_capability(int32_t device, int32_t *capability)
{
    cudaFuncAttributes attributes = {};
    int32_t status = cuda_check(device, cudaFuncGetAttributes(&attributes, nothing_kernel),
                                "querying the code that runs on the device");

    *capability = attributes.ptxVersion;
    return status;
}

/* ------------------------------------------------------------------ engines */

static int32_t lane_type(int32_t type)
{
    return type == ANYDNN_PLUGIN_INT8X4 || type == ANYDNN_PLUGIN_INT8X32 ? ANYDNN_PLUGIN_INT8
           : type == ANYDNN_PLUGIN_UINT8X4                               ? ANYDNN_PLUGIN_UINT8
                                                                         : type;
}

/* Fills in the values that candidates and plans need of a problem and its device. */
static void analyse(struct anydnn_plugin_plan *plan)
{
    tc_state *state = (tc_state *)plan->job;
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct tc_matmul *matmul = &state->matmul;
    tc_target *target = &state->target;

    state->is_product = problem->operation == ANYDNN_PLUGIN_MATMUL;
    if (state->is_product)
        tc_matmul_convert(plan, &state->matmul);
    conv_make(&state->conv, problem);
    state->slots = conv_slots_of(problem->operation);
    target->type = lane_type(problem->tensor[state->slots.a]->type);
    target->b_type = lane_type(problem->tensor[state->slots.b]->type);
    if (state->is_product)
        state->slots = {matmul->a, matmul->b, matmul->d, matmul->c, matmul->bias};
    target->context = tc_context_of(plan);
    target->by_16 = tc_reads_by_16(&state->conv, target->type);
    target->tf32_split =
        target->type == ANYDNN_PLUGIN_FLOAT && problem->math == ANYDNN_PLUGIN_MATH_SPLIT;
}

static int32_t check(const struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const tc_state *state = (const tc_state *)plan->job;

    if (state->is_product && state->matmul.why.reason) {
        *why = state->matmul.why;
        return why->reason;
    }
    return tc_check(plan, why);
}

static int32_t engines(const struct anydnn_plugin_plan *plan,
                       anydnn_plugin_candidate offered[CUDA_ENGINES_MAX])
{
    const tc_state *state = (const tc_state *)plan->job;
    const conv_slots &slots = state->slots;
    const tc_target &target = state->target;
    tc_offer offers[CUDA_ENGINES_MAX];
    auto *list = plan->problem.guarantees & ANYDNN_PLUGIN_GUARANTEE_BATCH_INVARIANT
                     ? tc_batch_invariant_offers
                     : tc_offers;
    int32_t count = list(&state->conv, &target, offers, CUDA_ENGINES_MAX);

    for (int32_t i = 0; i < count; i++) {
        bool splits = target.tf32_split, rounds = target.type == ANYDNN_PLUGIN_FLOAT && !splits;

        offered[i] = {};
        offered[i].engine = offers[i].engine;
        offered[i].workspace = (uint64_t)offers[i].workspace;
        offered[i].math = rounds   ? ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION
                          : splits ? ANYDNN_PLUGIN_MATH_SPLIT
                                   : ANYDNN_PLUGIN_MATH_TENSOR_OP;
        offered[i].notes = (rounds ? ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION : 0) |
                           (offers[i].is_batch_invariant ? ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT : 0);
        offered[i].expected_us = offers[i].expected_us;
        if (state->is_product)
            offered[i].expected_us *= (double)state->matmul.batch;
        if (offers[i].choice.kernel->load != TC_LOAD_ELEMENTS)
            cuda_align(&offered[i],
                       (offers[i].bits & TC_LAYOUT_A ? 0 : 1u << slots.a) |
                           (offers[i].bits & TC_LAYOUT_B ? 0 : 1u << slots.b) |
                           (offers[i].choice.kernel->load == TC_LOAD_TMA ? 1u << slots.output : 0),
                       16);
    }
    return count;
}

/* Accepts any number of splits, even one that is not offered. */
static int32_t take_engine(struct anydnn_plugin_plan *plan, uint64_t engine)
{
    tc_state *state = (tc_state *)plan->job;

    return tc_offer_of(&state->conv, &state->target, engine, &state->offer, &state->layout);
}

/* ------------------------------------------------------------------ plans */

/* Selects the thread orders in which adjacent threads access adjacent elements. */
static void order_threads(tc_job *job, int32_t how)
{
    const conv &conv = job->conv;
    bool is_wgrad = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
    bool side_by_side = (conv.a.step == 1 || conv.a.shift > 0) && conv.channels > 1;

    job->channels_inside = side_by_side || how == TC_LOAD_16_BYTES;
    job->a_is_m_major = is_wgrad == side_by_side;
    job->b_is_n_major = (is_wgrad ? conv.position.step : conv.tap_n) == 1 && conv.n > 1;
    job->c_is_m_major = !((is_wgrad ? conv.tap_n : conv.position.step) == 1 && conv.n > 1);
}

/* Orders the classes by their number of taps, largest first. Equal classes stay in numerical
 * order. */
static void order_classes(tc_job *job)
{
    int32_t taps[TC_CLASSES], count = 0;

    job->has_order = job->conv.classes <= TC_CLASSES;
    for (int32_t number = 0; job->has_order && number < job->conv.classes; number++) {
        conv_view view;
        int32_t at = count++;

        conv_view_make(&view, job->conv, number);
        for (; at > 0 && taps[at - 1] < view.taps; at--) {
            taps[at] = taps[at - 1];
            job->order[at] = job->order[at - 1];
        }
        taps[at] = view.taps;
        job->order[at] = (uint8_t)number;
    }
}

/* Fills in the job of a kernel, without pointers and factors. */
static void make_job(tc_job *job, const struct anydnn_plugin_plan *plan, const conv &conv,
                     const tc_choice &choice)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    const struct anydnn_plugin_convolution *params =
        (const struct anydnn_plugin_convolution *)problem->params;
    conv_slots slots = conv_slots_of(problem->operation);

    job->conv = conv;
    job->m_tiles = choice.m_tiles;
    job->n_tiles = choice.n_tiles;
    job->splits = choice.splits;
    job->k_per_split = choice.k_tiles;
    job->m = choice.m;
    job->context = tc_context_of(plan);
    job->a_type = problem->tensor[slots.a]->type;
    job->output.type = problem->tensor[slots.output]->type;
    if (slots.bias >= 0) {
        job->output.bias_type = problem->tensor[slots.bias]->type;
        job->output.bias_step = problem->tensor[slots.bias]->strides[1];
        job->output.f = {params->activation, params->nan_propagate, params->coef};
    }
    order_threads(job, choice.kernel->load);
    order_classes(job);
    if (choice.kernel->plan)
        choice.kernel->plan(job);
}

/* Returns true if blocks are spread evenly over the multiprocessors, as on an idle device, when
 * they begin while the preceding kernel ends (common/overlap.h).
 *
 * The following was observed on an H200. If a multiprocessor holds two blocks and the grid has
 * at most one block per multiprocessor, some multiprocessors get two blocks. This begins when
 * the grid covers about two thirds of the multiprocessors; the kernel then takes 1.1 to 1.4
 * times as long. It was not observed if a multiprocessor holds three blocks. After a kernel that
 * adds partial sums, it was also observed with fewer blocks and more free space. */
static bool spreads(const tc_choice &choice, int64_t blocks, int32_t multiprocessors)
{
    int32_t resident = choice.kernel->occupancy;

    if (resident == 1 || blocks > multiprocessors)
        return true;
    return choice.splits == 1 && (resident > 2 || blocks * 3 <= (int64_t)multiprocessors * 2);
}

static void prepare(struct anydnn_plugin_plan *plan)
{
    tc_state *state = (tc_state *)plan->job;
    const tc_offer &offer = state->offer;
    const tc_layout &layout = state->layout;
    const struct tc_kernel *kernel = offer.choice.kernel;
    tc_job job = {};

    make_job(&job, plan, layout.conv, offer.choice);
    if (layout.bits & TC_LAYOUT_A)
        tc_copy_step(&state->step[COPY_A], layout.a);
    if (layout.bits & TC_LAYOUT_B)
        tc_copy_step(&state->step[COPY_B], layout.b);
    kernel->step(&state->step[KERNEL], &job);
    state->step[KERNEL].overlaps &=
        spreads(offer.choice, state->step[KERNEL].blocks, plan->context->multiprocessors);
    if (offer.partials_at < 0)
        return;
    if (layout.through_workspace)
        tc_layout_reduce(&state->step[REDUCE], layout, *kernel, state->conv, job);
    else if (kernel->reduce)
        kernel->reduce(&state->step[REDUCE], &job);
    else
        tc_reduce_step(&state->step[REDUCE], &job);
}

/* ------------------------------------------------------------------ calls */

/* Runs a copy step, and replaces an operand by the copy. */
static int32_t copy(const struct cuda_call *call, const tc_step *step, const void **operand,
                    void *to)
{
    tc_arguments args = {};

    if (!step->run)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    args.a = *operand;
    args.output = to;
    *operand = to;
    return step->run(call, step, args);
}

static tc_arguments args_of(const tc_state *state, const struct anydnn_plugin_operands *operands)
{
    const conv_slots &slots = state->slots;
    tc_arguments args = {};

    args.a = operands->data[slots.a];
    args.b = operands->data[slots.b];
    args.output = operands->data[slots.output];
    args.blend = {operands->scale[0], operands->scale[1]};
    if (state->offer.partials_at >= 0)
        args.partial = (char *)operands->workspace + state->offer.partials_at;
    if (slots.bias >= 0) {
        args.bias = operands->data[slots.bias];
        args.z = operands->scale[1] != 0 && slots.z >= 0 ? operands->data[slots.z] : nullptr;
    }
    return args;
}

static int32_t run_steps(const tc_state *state, const cuda_call *call, tc_arguments args)
{
    void *workspace = call->operands->workspace;
    int32_t status = copy(call, &state->step[COPY_A], &args.a, workspace);

    if (!status)
        status =
            copy(call, &state->step[COPY_B], &args.b, (char *)workspace + state->layout.a_bytes);
    if (!status)
        status = state->step[KERNEL].run(call, &state->step[KERNEL], args);
    if (!status && state->step[REDUCE].run)
        status = state->step[REDUCE].run(call, &state->step[REDUCE], args);
    return status;
}

static const void *move(const void *from, int64_t elements, int32_t size)
{
    return from ? (const char *)from + elements * size : nullptr;
}

/* Runs the products of a batch. */
static int32_t run_products(const tc_state *state, const cuda_call *call, tc_arguments args)
{
    const struct tc_matmul *matmul = &state->matmul;
    int32_t size = cuda_type_size(state->target.type), status = 0;

    if (matmul->c < 0)
        args.blend.beta = 0;
    for (int64_t i = 0; i < matmul->batch && !status; i++) {
        int64_t offsets[TC_MATMUL_OPERANDS];
        tc_arguments own = args;

        tc_matmul_offsets(matmul, i, offsets);
        own.a = move(args.a, offsets[matmul->first], size);
        own.b = move(args.b, offsets[1 - matmul->first], size);
        own.z = move(args.z, offsets[TC_MATMUL_C], size);
        own.output = (void *)move(args.output, offsets[TC_MATMUL_D], size);
        status = run_steps(state, call, own);
    }
    return status;
}

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const tc_state *state = (const tc_state *)plan->job;
    const struct anydnn_plugin_operands *operands = call->operands;
    uint64_t needed = (uint64_t)state->offer.workspace;
    tc_arguments args;

    if (needed && (!operands->workspace || operands->workspace_bytes < needed))
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the workspace has %llu bytes; this plan needs %llu",
                        (unsigned long long)operands->workspace_bytes, (unsigned long long)needed);
    args = args_of(state, operands);
    return state->is_product ? run_products(state, call, args) : run_steps(state, call, args);
}

/* ------------------------------------------------------------------ table entries */

#define TYPES         (CUDA_SHORTS | CUDA_TYPE(FLOAT))
#define FORWARD_TYPES (TYPES | CUDA_TYPE(INT8) | CUDA_TYPE(UINT8) | CUDA_VECTORS)

/* The engines are offered under cuDNN's algorithms without transforms. The first number is
 * implicit GEMM with precomputed indices, or the deterministic algorithm of a backward
 * operation. */
#define ENTRY(name, number, of_types, of_layouts, under, offered_first)                            \
    static const struct cuda_operation name = {.operation = ANYDNN_PLUGIN_##number,                \
                                               .types = of_types,                                  \
                                               .layouts = of_layouts,                              \
                                               .job_size = sizeof(tc_state),                       \
                                               .algorithms = under,                                \
                                               .first = offered_first,                             \
                                               .analyse = analyse,                                 \
                                               .check = check,                                     \
                                               .prepare = prepare,                                 \
                                               .run = run,                                         \
                                               .engines = engines,                                 \
                                               .take_engine = take_engine}

ENTRY(forward, CONVOLUTION_FORWARD, FORWARD_TYPES, CUDA_LAYOUTS_AND_VECTORS, 0xf, 1);
ENTRY(fused, CONVOLUTION_BIAS_ACTIVATION_FORWARD, FORWARD_TYPES, CUDA_LAYOUTS_AND_VECTORS, 0xf, 1);
ENTRY(data, CONVOLUTION_BACKWARD_DATA, TYPES, KIT_LAYOUTS, 0x3, 1);
ENTRY(filter, CONVOLUTION_BACKWARD_FILTER, TYPES, KIT_LAYOUTS, 0xb, 1);
ENTRY(product, MATMUL, TYPES, KIT_LAYOUTS, 0, 0);

const struct cuda_operation *const cuda_operations[] = {&forward, &fused, &data, &filter, &product};
const uint32_t cuda_operation_count = sizeof cuda_operations / sizeof cuda_operations[0];
