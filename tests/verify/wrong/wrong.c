/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small backend in float with plain loops: convolution forward, activation forward, scale. It
 * is correct by default. Under each name of the table it breaks one rule, for the tests of
 * `anydnn verify`. WRONG_EXPORTS adds an exported symbol.
 */
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dlfcn.h>

#include "fault.h"
#include "tensor.h"

#define SUCCESS       ANYDNN_PLUGIN_STATUS_SUCCESS
#define NO_MEMORY     ANYDNN_PLUGIN_STATUS_ALLOC_FAILED
#define NO_SUPPORT    9
#define RELU          1
#define SCRATCH_COUNT 65536

enum {
    RIGHT,
    RIGHT_TF32,
    DEVICE,
    STREAMS,
    IGNORES_BETA,
    READS_Y,
    TF32,
    SPLITS,
    IGNORES_GROUPS,
    SHARED,
    CACHES_WEIGHTS,
    KEEPS_PROBLEM,
    READS_BEYOND,
    READS_BEFORE,
    NONDETERMINISTIC,
    BATCH,
    WRITES_GAP,
    SHARES_SCRATCH,
    NEEDS_MORE,
    HANGS,
    SHAPE,
    CRASHES,
    FORKS,
    FORK_HANGS,
    ONE_ALGORITHM,
    LEAKS,
    RACES,
    VARIES,
    FLUSHES,
    FLUSHES_NOTED,
    POOL_FLUSHES,
    FAILS,
    EFFECT,
    NO_SENTENCE,
    GARBAGE,
    IMPURE,
    FLOAT_LOAD,
    FLOAT_ASK,
    FLOAT_PLAN,
    FLOAT_RUN,
    FLOAT_END,
    FLOAT_CONTEXT,
    IGNORES_STREAM,
    OWN_STREAM,
    RUNS_RECORDED,
    DEVICE_LEAKS,
    SPACE_ALLOC,
    SPACE_OWNER,
    SPACE_WITHIN,
    SPACE_SET,
    SPACE_LATE,
    SPACE_RECORDS,
    SPACE_IDENTITY,
    SPACE_STREAM,
    SPACE_QUEUE,
    SPACE_MARKS,
    SPACE_COUNT,
    FAULTS
};

static const struct fault faults[FAULTS] = {
    /* Rounds operands to TF32, and reports it. */
    [RIGHT_TF32] = {"right_tf32", 0, NULL},
    /* Is correct, in its own memory space. */
    [DEVICE] = {"wrong_device", 0, NULL},
    /* Is correct, in its own memory space with streams. */
    [STREAMS] = {"wrong_streams", 0, NULL},
    /* Treats beta as 0. */
    [IGNORES_BETA] = {"wrong_ignores_beta", 0, NULL},
    /* Reads y even if beta is 0. */
    [READS_Y] = {"wrong_reads_y", 0, NULL},
    /* Rounds operands to TF32, but states default math. */
    [TF32] = {"wrong_tf32", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Adds the parts of long sums with too few bits. */
    [SPLITS] = {"wrong_splits", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Uses the first group for every group. */
    [IGNORES_GROUPS] = {"wrong_ignores_groups", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Is wrong while another process runs it. */
    [SHARED] = {"wrong_shared", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Keeps the weights of the first run. */
    [CACHES_WEIGHTS] = {"wrong_caches_weights", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Keeps pointers to the host's problem. */
    [KEEPS_PROBLEM] = {"wrong_keeps_problem", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Reads past the end of w. */
    [READS_BEYOND] = {"wrong_reads_beyond", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Reads before the beginning of x. */
    [READS_BEFORE] = {"wrong_reads_before", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Gives different bits in every second run. */
    [NONDETERMINISTIC] = {"wrong_nondeterministic", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Rounds differently for one sample than for several, but claims batch invariance. */
    [BATCH] = {"wrong_batch", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Writes between the elements of y. */
    [WRITES_GAP] = {"wrong_writes_gap", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Accumulates in memory that contexts share. */
    [SHARES_SCRATCH] = {"wrong_shares_scratch", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Uses more workspace than it requests. */
    [NEEDS_MORE] = {"wrong_needs_more", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Never returns, for more than 3 groups. */
    [HANGS] = {"wrong_hangs", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Adds 1 to the first element, for the filters of one layer of LeNet alone. */
    [SHAPE] = {"wrong_shape", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Dies of a signal, for more than 3 groups. */
    [CRASHES] = {"wrong_crashes", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Dies in a forked child, although it declares itself fork-safe. */
    [FORKS] = {"wrong_forks", 0, NULL},
    /* Hangs with all signals blocked in a forked child, although it declares itself fork-safe. */
    [FORK_HANGS] = {"wrong_fork_hangs", 0, NULL},
    /* Offers forward convolutions under one algorithm number. */
    [ONE_ALGORITHM] = {"wrong_one_algorithm", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Keeps a block of memory of each plan. */
    [LEAKS] = {"wrong_leaks", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Adds 1 to the first element in the second run alone, as a race between its threads may. */
    [RACES] = {"wrong_races", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Gives different bits in some runs while several threads run it. */
    [VARIES] = {"wrong_varies", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Flushes subnormal numbers to 0. */
    [FLUSHES] = {"wrong_flushes", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Flushes subnormal numbers to 0 and states it, which is right. */
    [FLUSHES_NOTED] = {"wrong_flushes_noted", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Flushes subnormal numbers in the second half of a large tensor, which its threads compute. */
    [POOL_FLUSHES] = {"wrong_pool_flushes", 0, NULL},
    /* Fails, with the sentence of set.complaint. */
    [FAILS] = {"wrong_fails", 0, NULL},
    /* Fails after it wrote outputs, but reports no effect. */
    [EFFECT] = {"wrong_effect", 0, NULL},
    /* Declines without a sentence. */
    [NO_SENTENCE] = {"wrong_no_sentence", 0, NULL},
    /* Offers candidates that break the rules. */
    [GARBAGE] = {"wrong_garbage", 0, NULL},
    /* Offers a different engine each time. */
    [IMPURE] = {"wrong_impure", 0, NULL},
    /* Sets rounding upward. */
    [FLOAT_LOAD] = {"wrong_float_load", 0, "constructor"},
    /* Sets rounding upward. */
    [FLOAT_ASK] = {"wrong_float_ask", 0, "candidates"},
    /* Sets rounding upward. */
    [FLOAT_PLAN] = {"wrong_float_plan", 0, "plan_create"},
    /* Sets rounding upward. */
    [FLOAT_RUN] = {"wrong_float_run", 0, "plan_execute"},
    /* Sets rounding upward. */
    [FLOAT_END] = {"wrong_float_end", 0, "plan_destroy"},
    /* Sets rounding upward. */
    [FLOAT_CONTEXT] = {"wrong_float_context", 0, "context_create"},
    /* Runs on the default stream. */
    [IGNORES_STREAM] = {"wrong_ignores_stream", 0, NULL},
    /* Runs on a stream of its own that waits for the given one, which does not wait for it. */
    [OWN_STREAM] = {"wrong_own_stream", 0, NULL},
    /* Also runs while the stream is only recorded. */
    [RUNS_RECORDED] = {"wrong_runs_recorded", 0, NULL},
    /* Keeps a block of its space's memory of each plan. */
    [DEVICE_LEAKS] = {"wrong_device_leaks", ANYDNN_PLUGIN_CONVOLUTION_FORWARD, NULL},
    /* Allocates misaligned memory. */
    [SPACE_ALLOC] = {"wrong_space_alloc", 0, NULL},
    /* Reports its pointers as the host's. */
    [SPACE_OWNER] = {"wrong_space_owner", 0, NULL},
    /* Copies only whole vectors within the device. */
    [SPACE_WITHIN] = {"wrong_space_within", 0, NULL},
    /* Sets only whole words. */
    [SPACE_SET] = {"wrong_space_set", 0, NULL},
    /* Copies after the call returned. */
    [SPACE_LATE] = {"wrong_space_late", 0, NULL},
    /* Records nothing, but reports success. */
    [SPACE_RECORDS] = {"wrong_space_records", 0, NULL},
    /* Puts a tab into the name of the device. */
    [SPACE_IDENTITY] = {"wrong_space_identity", 0, NULL},
    /* Creates no stream, but reports success. */
    [SPACE_STREAM] = {"wrong_space_stream", 0, NULL},
    /* Gives its default queue for every stream. */
    [SPACE_QUEUE] = {"wrong_space_queue", 0, NULL},
    /* Has marks that are 0 microseconds apart. */
    [SPACE_MARKS] = {"wrong_space_marks", 0, NULL},
    /* Counts subnormal numbers as zeros. */
    [SPACE_COUNT] = {"wrong_space_count", 0, NULL},
};

static int fault;

/* Returns 1 if this fault is active and concerns the plan. */
static int is(const struct anydnn_plugin_plan *plan, int asked)
{
    return fault == asked &&
           (faults[fault].operation == 0 || faults[fault].operation == plan->problem.operation);
}

static int64_t count(const struct anydnn_plugin_tensor *tensor)
{
    int64_t product = 1;

    for (int d = 0; d < tensor->ndims; d++)
        product *= tensor->dims[d];
    return product;
}

/* ------------------------------------------------------------------ the operations */

static double flushed(double value)
{
    return fabs(value) < (double)FLT_MIN ? 0 : value;
}

static void blend(float *y, double value, double alpha, double beta)
{
    if (fault == FLUSHES || fault == FLUSHES_NOTED)
        value = flushed(value);
    if (fault == IGNORES_BETA)
        beta = 0;
    *y = (float)(beta != 0 || fault == READS_Y ? alpha * value + beta * (double)*y : alpha * value);
}

/* Returns the value that this backend multiplies. */
static double operand(float value)
{
    /* The significand gets 11 bits, rounded to nearest, ties to even. */
    int exponent;
    double digits = frexp((double)value, &exponent);

    return fault == TF32 || fault == RIGHT_TF32 ? ldexp(rint(ldexp(digits, 11)), exponent - 11)
                                                : (double)value;
}

/* Returns one element of y: the sum over the filter in 1 to 3 spatial dims. */
static double sum_at(const struct anydnn_plugin_plan *plan, const float *x, const float *w,
                     const int64_t *y_index)
{
    const struct anydnn_plugin_tensor *filter = plan->problem.tensor[1];
    int64_t group = y_index[1] / (filter->dims[0] / plan->copies.params.convolution.groups);
    int64_t w_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[1]};
    double sum = 0;
    int64_t terms = 0;
    int exponent;

    if (fault == IGNORES_GROUPS)
        group = 0;
    do {
        int64_t x_index[ANYDNN_PLUGIN_DIM_MAX] = {y_index[0]};

        if (w_index[0] != y_index[1])
            break;
        x_index[1] = group * filter->dims[1] + w_index[1];
        if (place_of(&plan->copies.params.convolution, plan->problem.tensor[0], filter, y_index,
                     w_index, x_index))
            sum += operand(x[offset(plan->problem.tensor[0], x_index)]) *
                   operand(w[offset(filter, w_index)]);
        /* A kernel for large batches could add in float. */
        if (fault == BATCH && plan->problem.tensor[0]->dims[0] > 1)
            sum = (double)(float)sum;
        /* A kernel that splits long sums could add the parts with 6 bits like this. */
        if (++terms % 4096 == 0 && fault == SPLITS)
            sum = ldexp(rint(ldexp(frexp(sum, &exponent), 6)), exponent - 6);
    } while (step(filter, w_index));
    return sum;
}

/* Corrupts y while another process does the same; both lock this module's file. */
static void meet_others(float *y)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    Dl_info self;
    int fd = dladdr((void *)meet_others, &self) ? open(self.dli_fname, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0)
        *y += 1;
    usleep(500);
    if (fd >= 0)
        close(fd);
}

/* Returns 1 in every second run during which another thread runs it, too. Waits a while. */
static int with_others(void)
{
    static atomic_int running, runs;
    int others = atomic_fetch_add(&running, 1);

    usleep(500);
    others += atomic_fetch_sub(&running, 1) - 1;
    return others > 0 && atomic_fetch_add(&runs, 1) % 2;
}

static void convolve(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_operands *operands)
{
    const float *x = operands->data[0];
    const float *w = operands->data[1];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    double wobble = 1;

    if (fault == CACHES_WEIGHTS && !plan->kept) {
        plan->kept = malloc((size_t)count(plan->problem.tensor[1]) * sizeof(float));
        memcpy(plan->kept, w, (size_t)count(plan->problem.tensor[1]) * sizeof(float));
    }
    if (fault == CACHES_WEIGHTS)
        w = plan->kept;
    if (fault == READS_BEYOND)
        wobble = w[count(plan->problem.tensor[1])] == 12345 ? 2 : 1;
    if (fault == READS_BEFORE)
        wobble = x[-1] == 12345 ? 2 : 1;
    if (fault == VARIES)
        wobble = with_others() ? 1 + 0x1p-23 : 1;
    if (fault == NONDETERMINISTIC)
        wobble = plan->runs % 2 ? 1 + 0x1p-23 : 1;
    plan->runs++;
    do {
        float *y = (float *)operands->data[2] + offset(plan->problem.tensor[2], index);

        blend(y, sum_at(plan, x, w, index) * wobble, operands->scale[0], operands->scale[1]);
        if (fault == WRITES_GAP &&
            plan->problem.tensor[2]->strides[plan->problem.tensor[2]->ndims - 1] == 2 &&
            index[plan->problem.tensor[2]->ndims - 1] == 0)
            y[1] = 0;
    } while (step(plan->problem.tensor[2], index));
    if (fault == SHARED)
        meet_others(operands->data[2]);
}

static double activate(const struct anydnn_plugin_activation *params, double x)
{
    switch (params->mode) {
    case 0:
        return 1 / (1 + exp(-x));
    case RELU:
        return params->nan_propagate && isnan(x) ? x : x > 0 ? x : 0;
    default:
        return tanh(x);
    }
}

static void each_element(const struct anydnn_plugin_plan *plan,
                         const struct anydnn_plugin_operands *operands)
{
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int64_t elements = count(plan->problem.tensor[0]);
    int64_t first_of_pool = fault == POOL_FLUSHES && elements >= 65536 ? elements / 2 : elements;

    for (int64_t i = 0; i < elements; i++, step(plan->problem.tensor[0], index)) {
        const float *x = (const float *)operands->data[0] + offset(plan->problem.tensor[0], index);
        double value = i < first_of_pool ? (double)*x : flushed((double)*x);

        if (plan->problem.operation == ANYDNN_PLUGIN_SCALE_TENSOR)
            ((float *)operands->data[0])[offset(plan->problem.tensor[0], index)] =
                (float)(operands->scale[0] * value);
        else
            blend((float *)operands->data[1] + offset(plan->problem.tensor[1], index),
                  activate(&plan->copies.params.activation, value), operands->scale[0],
                  operands->scale[1]);
    }
}

/* Computes the sums in memory that all contexts share. */
static void through_scratch(const struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands)
{
    static float scratch[SCRATCH_COUNT];
    int64_t index[ANYDNN_PLUGIN_DIM_MAX] = {0};
    int64_t at = 0;

    do
        scratch[at++ % SCRATCH_COUNT] =
            ((float *)operands->data[2])[offset(plan->problem.tensor[2], index)];
    while (step(plan->problem.tensor[2], index));
    usleep(200);
    at = 0;
    do
        ((float *)operands->data[2])[offset(plan->problem.tensor[2], index)] =
            scratch[at++ % SCRATCH_COUNT];
    while (step(plan->problem.tensor[2], index));
}

/* Runs the operation on operands that the host can read. */
static void run_plan(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_operands *operands)
{
    if (plan->problem.operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        convolve(plan, operands);
    else
        each_element(plan, operands);
}

#include "shelf.h"

/* ------------------------------------------------------------------ candidates and plans */

static int32_t refuse(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_activation *activation = problem->params;

    if (fake_check_types(problem, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT), why) != 0)
        return why->reason;
    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        if (problem->tensor[i] && count(problem->tensor[i]) > INT32_MAX)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "this backend takes up to 2^31 - 1 elements");
    if (problem->operation == ANYDNN_PLUGIN_ACTIVATION_FORWARD && activation->mode > 2)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "this backend has sigmoid, relu and tanh");
    if (fault == RIGHT_TF32 && problem->math != ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_MATH, "this backend rounds operands to TF32");
    return 0;
}

static void change(struct anydnn_plugin_context *context,
                   const struct anydnn_plugin_problem *problem,
                   struct anydnn_plugin_candidate *candidate)
{
    if (fault == NO_SENTENCE)
        candidate->sentence = NULL;
    if (fault == GARBAGE) {
        candidate->alignment[0] = 3;
        candidate->notes = 0xffff0000u;
    }
    if (fault == IMPURE)
        candidate->engine = (uint64_t)++context->calls;
    if (candidate->reason != 0)
        return;
    if (fault == RIGHT_TF32) {
        candidate->math = ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION;
        candidate->notes = ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION;
    }
    if (fault == BATCH)
        candidate->notes = ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT;
    if (fault == FLUSHES_NOTED)
        candidate->notes = ANYDNN_PLUGIN_NOTE_FLUSHES_SUBNORMALS;
    if (fault == ONE_ALGORITHM && problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        candidate->algorithm = ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
    if (fault == NEEDS_MORE && problem->operation == ANYDNN_PLUGIN_CONVOLUTION_FORWARD)
        candidate->workspace = (uint64_t)count(problem->tensor[1]) * sizeof(float) - 4;
}

static void enter(const char *function)
{
    const char *struck = faults[fault].function;

    if (struck && strcmp(struck, function) == 0)
        fesetround(FE_UPWARD);
}

/* Hangs or crashes for more than 3 groups, which few cases have. */
static void stop_at_groups(const struct anydnn_plugin_plan *plan)
{
    if (is(plan, HANGS) && plan->copies.params.convolution.groups > 3)
        for (;;)
            pause();
    if (is(plan, CRASHES) && plan->copies.params.convolution.groups > 3)
        raise(SIGSEGV);
}

/* Dies or hangs in a child of the process that ran it first. */
static void stop_in_child(void)
{
    static uint64_t first;
    sigset_t all;

    first = first ? first : kit_host->fork_number();
    if (first == kit_host->fork_number())
        return;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (;;)
        if (fault == FORKS)
            abort();
        else
            pause();
}

static void plan_made(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_problem *problem)
{
    static _Atomic(void *) leaked;
    void **block;

    if (is(plan, KEEPS_PROBLEM))
        plan->problem = *problem;
    if (!is(plan, LEAKS) && !is(plan, DEVICE_LEAKS))
        return;
    block = is(plan, LEAKS) ? malloc(40) : NULL;
    if (is(plan, DEVICE_LEAKS)) {
        shelf_alloc(0, 256, (void **)&block);
        block = shelf_reach(block);
    }
    *block = atomic_exchange(&leaked, block);
}

static int32_t plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands reached = *operands;

    for (int i = 0; fake.space && i < ANYDNN_PLUGIN_OPERAND_MAX; i++)
        if (operands->data[i])
            reached.data[i] = shelf_reach(operands->data[i]);
    enter("plan_execute");
    stop_at_groups(plan);
    if (fault == FORKS || fault == FORK_HANGS)
        stop_in_child();
    if (fault == FAILS) {
        kit_host->set_error(kit_host, kit_host->setting(kit_host, "complaint"));
        return NO_SUPPORT;
    }
    if (is(plan, NEEDS_MORE))
        memset(operands->workspace, 0, (size_t)count(plan->problem.tensor[1]) * sizeof(float));
    queue_run(plan, &reached);
    if (is(plan, SHAPE) && plan->problem.tensor[1]->dims[0] == 16 &&
        plan->problem.tensor[1]->dims[1] == 6 && plan->problem.tensor[1]->dims[2] == 5)
        *(float *)reached.data[2] += 1;
    if (is(plan, RACES) && plan->runs == 2)
        *(float *)reached.data[2] += 1;
    if (is(plan, SHARES_SCRATCH))
        through_scratch(plan, &reached);
    if (fault != EFFECT)
        return SUCCESS;
    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    return kit_fail(NO_SUPPORT, "it went wrong at the end");
}

/* ------------------------------------------------------------------ description */

__attribute__((constructor)) static void begin(void)
{
    fault = fault_of_file(faults, FAULTS);
    enter("constructor");
    if (fault == RIGHT_TF32)
        fake.maths = ANYDNN_PLUGIN_MATHS_ALLOW_CONVERSION;
    if (fault == FORKS || fault == FORK_HANGS)
        fake.flags = ANYDNN_PLUGIN_FORK_SAFE;
    if (fault == DEVICE || fault == STREAMS || (fault >= IGNORES_STREAM && fault <= SPACE_COUNT)) {
        fake.space = "shelf";
        fake.space_functions = &shelf;
        shelf_begin();
    }
}

static const struct fake_operation operations[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
    {ANYDNN_PLUGIN_ACTIVATION_FORWARD, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
    {ANYDNN_PLUGIN_SCALE_TENSOR, ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT)},
};

struct fake fake = {
    .layouts = KIT_LAYOUTS,
    .maths = ANYDNN_PLUGIN_MATHS_DEFAULT,
    .operations = operations,
    .operation_count = sizeof(operations) / sizeof(operations[0]),
    .enter = enter,
    .refuse = refuse,
    .change = change,
    .made = plan_made,
    .execute = plan_execute,
};

#ifdef WRONG_EXPORTS
extern ANYDNN_PLUGIN_EXPORT int wrong_extra_symbol;
int wrong_extra_symbol;
#endif
