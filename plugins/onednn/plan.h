/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the contents of a plan. */
#ifndef ONEDNN_PLAN_H
#define ONEDNN_PLAN_H

#include "build.h"
#include "by_sample.h"

struct onednn_value {
    uint32_t when;
    struct onednn_place place;
    onednn_layout layout; /* valid while the plan is built */
    dnnl_memory_t memory;
    void *handle; /* current data handle of the memory */
};

struct onednn_step {
    uint32_t when;
    dnnl_primitive_t primitive; /* NULL for a step of our own */
    int count;
    dnnl_exec_arg_t arguments[ONEDNN_ARGUMENTS];
    onednn_step_fn run;
    void *data;
};

struct anydnn_plugin_plan {
    const struct onednn_operation *operation;
    struct anydnn_plugin_context *context;
    size_t arena_bytes[ONEDNN_MODES];
    int threads; /* for which its primitives were created */
    int part_failed;
    struct onednn_samples samples;
    int32_t value_count, step_count;
    struct onednn_value value[ONEDNN_VALUES];
    struct onednn_step step[ONEDNN_STEPS];
};

/* Returns the number of threads for a complete problem: set.threads, or 1 if there is little
 * work. */
int onednn_threads_for(const struct anydnn_plugin_problem *problem);

#endif
