/* SPDX-License-Identifier: Apache-2.0 */
/* Implements forward batch normalization, with given statistics (inference) or those of x
 * (training): y = act(scale * (x - mean) / sqrt(var + epsilon) + bias + z). */
#include "batch_norm.h"
#include "table.h"

#define INFERENCE(name) slot_batch_normalization_inference_##name
#define TRAINING(name)  slot_batch_normalization_training_##name

/* The tensors of the iteration over elements, after those of batch_norm.h. */
enum { WALK_Z = BATCH_NORM_X + 1, WALK_Y, WALK_COUNT };

/* The cost of an element in multiply-adds, for distribution over threads. */
#define COST 10

struct forward_job {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
    struct batch_norm_cell *cells;
    struct batch_norm_act act;
    double alpha, beta;
    uint8_t *reserve; /* NULL if not used */
    int with_z;
};

static double epsilon_of(const struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    return params->epsilon;
}

static void inference_cells(void *arg, int64_t begin, int64_t end)
{
    const struct forward_job *job = arg;

    for (int64_t i = begin; i < end; i++) {
        double var = cpu_ref_batch_norm_load(job->plan, job->operands, INFERENCE(var), i);

        job->cells[i] = (struct batch_norm_cell){
            .mean = cpu_ref_batch_norm_load(job->plan, job->operands, INFERENCE(mean), i),
            .inv_std = 1 / sqrt(var + epsilon_of(job->plan)),
            .scale = cpu_ref_batch_norm_load(job->plan, job->operands, INFERENCE(scale), i),
            .bias = cpu_ref_batch_norm_load(job->plan, job->operands, INFERENCE(bias), i)};
    }
}

/* Stores the statistics of a cell. A running value is not read if the new one replaces it. The
 * running variance is unbiased, so it is undefined (NaN) for a single element. */
static void keep_statistics(const struct forward_job *job, int64_t cell, double mean, double var)
{
    const struct batch_norm_state *state = job->plan->state;
    double factor = job->operands->number[0];
    double m = (double)state->count;
    double sample = state->count > 1 ? var * (m / (m - 1)) : (double)NAN;
    double inv_std = 1 / sqrt(var + epsilon_of(job->plan));

    job->cells[cell] = (struct batch_norm_cell){
        .mean = mean,
        .inv_std = inv_std,
        .scale = cpu_ref_batch_norm_load(job->plan, job->operands, TRAINING(scale), cell),
        .bias = cpu_ref_batch_norm_load(job->plan, job->operands, TRAINING(bias), cell)};
    cpu_ref_batch_norm_store(job->plan, job->operands, TRAINING(running_mean), cell, factor, mean,
                             1 - factor);
    cpu_ref_batch_norm_store(job->plan, job->operands, TRAINING(running_var), cell, factor, sample,
                             1 - factor);
    cpu_ref_batch_norm_store(job->plan, job->operands, TRAINING(save_mean), cell, 1, mean, 0);
    cpu_ref_batch_norm_store(job->plan, job->operands, TRAINING(save_inv_var), cell, 1, inv_std, 0);
}

#define CPU_REF_TEMPLATE "batch_norm_forward.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "batch_norm_forward.inc"
#include "each_int8.inc"

#define CPU_REF_TEMPLATE "batch_norm_training.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ table entries */

/* Prepares the state. x replaces an absent z. */
static void prepare(struct anydnn_plugin_plan *plan, const struct anydnn_plugin_tensor *z,
                    const struct anydnn_plugin_tensor *y)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[0];
    const struct anydnn_plugin_tensor *elements[WALK_COUNT] = {NULL, x, z ? z : x, y};

    cpu_ref_batch_norm_prepare(plan, &x, 1, elements, WALK_COUNT);
}

static void inference_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, NULL, plan->problem.tensor[INFERENCE(y)]);
}

static void training_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, plan->problem.tensor[TRAINING(z)], plan->problem.tensor[TRAINING(y)]);
}

const struct cpu_ref_kernel cpu_ref_batch_normalization_inference = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
    .layouts = KIT_LAYOUTS,
    .main_slot = INFERENCE(x),
    .uniform = 1u << INFERENCE(x) | 1u << INFERENCE(y),
    .state_size = sizeof(struct batch_norm_state),
    .prepare = inference_prepare,
    .run = {CPU_REF_EACH_FLOAT(inference_run), [ANYDNN_PLUGIN_INT8] = inference_run_int8},
};

const struct cpu_ref_kernel cpu_ref_batch_normalization_training = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
    .layouts = KIT_LAYOUTS,
    .main_slot = TRAINING(x),
    .uniform = 1u << TRAINING(x) | 1u << TRAINING(z) | 1u << TRAINING(y),
    .state_size = sizeof(struct batch_norm_state),
    .prepare = training_prepare,
    .run = {CPU_REF_EACH_FLOAT(training_run)},
};
