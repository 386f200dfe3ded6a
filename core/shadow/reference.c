/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a call again on packed images of the operands in double. If the reference cannot compute in
 * double, or if a math mode is requested, it computes in the call's own types. Its rounding then
 * counts in addition to that of the call. */
#include "shadow/referee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/shape.h"
#include "dispatch/dispatch.h"
#include "dispatch/handle/space.h"
#include "dispatch/plan/call.h"
#include "dispatch/plan/plan.h"
#include "judge/places.h"
#include "judge/rules.h"
#include "judge/subject.h"
#include "load/load.h"
#include "numerics/numerics.h"
#include "problem/host.h"
#include "problem/operation.h"
#include "sys/error.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* ---- one run */

/* Memory up to this size stays for the next run, since devices allocate and free memory only when
 * all their streams are idle. */
#define STORE_BYTES (UINT64_C(64) << 20)

struct run {
    struct adn_referee *referee;
    anydnnHandle_t handle;
    const struct adn_problem *problem;
    void **image;
    void *place[ADN_SLOTS]; /* address in the handle's memory; on the host, that of the image */
};

static int32_t have_store(const struct run *run, struct adn_store *store, uint64_t bytes)
{
    int32_t result = 0;

    if (store->memory && store->bytes >= bytes)
        return 0;
    adn_referee_drop(run->referee, store);
    result = adn_space_memory_alloc(run->handle->space, run->handle->device, bytes, &store->memory);
    store->bytes = result == 0 ? bytes : 0;
    return result;
}

static void drop_large_stores(struct adn_referee *referee)
{
    for (int i = 0; i <= ADN_SLOTS; i++)
        if (referee->store[i].bytes > STORE_BYTES)
            adn_referee_drop(referee, &referee->store[i]);
}

static int32_t copy(const struct run *run, void *to, const void *from, int slot, int32_t kind)
{
    return ADN_BACKEND_CALL(run->handle->space->functions->memory_copy(
        run->handle->device, run->handle->stream, to, from,
        (uint64_t)adn_shape_bytes(&run->problem->tensor[slot]), kind));
}

static anydnnStatus_t place_all(struct run *run)
{
    int32_t result = 0;

    for (int i = 0; i < ADN_SLOTS && result == 0; i++) {
        if (!(run->problem->present >> i & 1))
            continue;
        run->place[i] = run->image[i];
        if (run->handle->space->host || adn_problem_on_host(run->problem, i))
            continue;
        result = have_store(run, &run->referee->store[i],
                            (uint64_t)adn_shape_bytes(&run->problem->tensor[i]));
        run->place[i] = run->referee->store[i].memory;
        if (result == 0)
            result = copy(run, run->place[i], run->image[i], i, ANYDNN_PLUGIN_COPY_TO);
    }
    return result == 0 ? SUCCESS
                       : adn_fail(adn_plan_status(result), "the operands of the reference: %s",
                                  adn_load_error_text());
}

static anydnnStatus_t fetch_all(const struct run *run)
{
    const struct adn_operation *info = adn_problem_operation(run->problem->operation);
    int32_t result = 0;

    for (int i = 0; i < info->slot_count && result == 0 && !run->handle->space->host; i++)
        if ((run->problem->present >> i & 1) && (info->slot[i].flags & ADN_SLOT_OUT))
            result = copy(run, run->image[i], run->place[i], i, ANYDNN_PLUGIN_COPY_FROM);
    return result == 0 ? SUCCESS
                       : adn_fail(adn_plan_status(result), "the reference's results: %s",
                                  adn_load_error_text());
}

static anydnnStatus_t execute(struct run *run, const struct adn_values *values)
{
    struct anydnn_plugin_operands operands = {.struct_size = sizeof(operands)};
    anydnnHandle_t handle = run->handle;
    struct adn_store *workspace = &run->referee->store[ADN_SLOTS];
    unsigned char element[8];
    size_t bytes = 0;
    anydnnStatus_t status = adn_dispatch_problem_workspace(handle, "shadow", run->problem, &bytes);

    if (status == SUCCESS && bytes > 0 && have_store(run, workspace, bytes) != 0)
        status =
            adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "out of memory for the reference's workspace");
    if (status == SUCCESS)
        status = place_all(run);
    memcpy(operands.data, run->place, sizeof(operands.data));
    memcpy(operands.scale, values->scale, sizeof(operands.scale));
    memcpy(operands.number, values->number, sizeof(operands.number));
    adn_element_store(run->problem->tensor[0].type, element, values->value);
    operands.value = element;
    operands.workspace = bytes > 0 ? workspace->memory : NULL;
    operands.workspace_bytes = bytes;
    if (status == SUCCESS)
        status = adn_dispatch_problem_run(handle, "shadow", run->problem, &operands);
    return status == SUCCESS ? fetch_all(run) : status;
}

/* Runs the problem. Returns 0, 1 with the sentence if the backend declines, or -1 if it fails. */
static int run_problem(struct adn_referee *referee, const struct adn_problem *problem,
                       const struct adn_values *values, void **image, char *sentence)
{
    struct run run = {
        .referee = referee, .handle = referee->handle, .problem = problem, .image = image};
    struct adn_refusal refusal;
    anydnnStatus_t status;

    /* The outcome of the reference must not change the thread's last error. */
    adn_refusal_begin(&refusal);
    status = execute(&run, values);
    adn_refusal_end(&refusal);
    drop_large_stores(referee);
    adn_load_error_clear();
    if (status == SUCCESS && referee->handle->last.plan) {
        referee->method.math = referee->handle->last.plan->math;
        referee->method.notes = referee->handle->last.plan->notes;
    }
    if (status != SUCCESS)
        snprintf(sentence, ADN_JUDGE_SENTENCE, "%.1000s", refusal.text);
    return status == SUCCESS ? 0 : status == ANYDNN_STATUS_NOT_SUPPORTED ? 1 : -1;
}

/* ---- in the call's own types */

/* Makes the same problem with the types of the call. Returns -1 if those types cannot be used:
 * rounding to 16 bits would hide small changes of the inputs, and an oracle's other problems have
 * other operands. */
static int narrow_of(const struct adn_referee *referee, const struct adn_problem *wide,
                     struct adn_problem *narrow)
{
    const struct adn_problem *own = referee->problem;
    int digits = adn_type_digits(own->tensor[0].type);

    if (wide->operation != own->operation ||
        (adn_judge_of(own) == ADN_JUDGE_SENSITIVE && digits > 0 && digits < 24))
        return -1;
    *narrow = *wide;
    if (referee->wanted.math >= 0)
        narrow->math = referee->wanted.math;
    for (int i = 0; i < ADN_SLOTS; i++) {
        struct anydnn_plugin_tensor *tensor = &narrow->tensor[i];

        if (!(wide->present >> i & 1))
            continue;
        tensor->type = own->tensor[i].type;
        adn_layout_set(tensor, adn_type_lanes(tensor->type) > 1 ? "nchw_vect_c" : "nchw");
    }
    /* The compute type is one of the parameters. The oracle sets the others. */
    if (memcmp(&wide->params, &own->params, sizeof(own->params)) != 0) {
        enum adn_family family = adn_problem_operation(own->operation)->family;

        if (family == ADN_FAMILY_CONVOLUTION || family == ADN_FAMILY_FUSED ||
            family == ADN_FAMILY_IM2COL)
            narrow->params.convolution.compute_type = own->params.convolution.compute_type;
        if (family == ADN_FAMILY_OP_TENSOR)
            narrow->params.op_tensor.compute_type = own->params.op_tensor.compute_type;
        if (family == ADN_FAMILY_REDUCE)
            narrow->params.reduce.compute_type = own->params.reduce.compute_type;
    }
    return 0;
}

/* Converts an image to another type, element by element in logical order. */
static void convert(const struct anydnn_plugin_tensor *from, const unsigned char *source,
                    const struct anydnn_plugin_tensor *to, unsigned char *target)
{
    struct adn_places read, write;
    int64_t count = adn_shape_elements(from);

    adn_places_begin(&read, from);
    adn_places_begin(&write, to);
    for (int64_t i = 0; i < count; i++) {
        adn_element_store(to->type, target + write.at,
                          adn_element_load(from->type, source + read.at));
        adn_places_next(&read);
        adn_places_next(&write);
    }
}

static int run_narrow(struct adn_referee *referee, const struct adn_problem *wide,
                      const struct adn_values *values, void **image, char *sentence)
{
    struct adn_problem narrow;
    void *small[ADN_SLOTS] = {NULL};
    int result = narrow_of(referee, wide, &narrow) == 0 ? 0 : 1;

    if (result != 0)
        snprintf(sentence, ADN_JUDGE_SENTENCE,
                 "%s cannot compute this in double, and in the call's own types its rounding would "
                 "hide errors",
                 referee->name);
    for (int i = 0; i < ADN_SLOTS && result == 0; i++) {
        size_t bytes = (size_t)adn_shape_bytes(&narrow.tensor[i]);

        if (!(narrow.present >> i & 1))
            continue;
        small[i] = aligned_alloc(ADN_ASSUMED_ALIGNMENT,
                                 (bytes / ADN_ASSUMED_ALIGNMENT + 1) * ADN_ASSUMED_ALIGNMENT);
        if (small[i])
            convert(&wide->tensor[i], image[i], &narrow.tensor[i], small[i]);
        else
            result = adn_judge_no_memory(sentence);
    }
    if (result == 0)
        result = run_problem(referee, &narrow, values, small, sentence);
    for (int i = 0; i < ADN_SLOTS; i++) {
        if (result == 0 && small[i])
            convert(&narrow.tensor[i], small[i], &wide->tensor[i], image[i]);
        free(small[i]);
    }
    return result;
}

/* ---- the oracle */

static int run_oracle(struct adn_oracle *oracle, const struct adn_problem *wide,
                      const struct adn_values *values, void *image[ADN_SLOTS], char *sentence)
{
    struct adn_referee *referee = oracle->own;
    int result = 1;

    if (!referee->narrow && referee->wanted.math < 0)
        result = run_problem(referee, wide, values, image, sentence);
    /* All runs for one call use the same types. */
    if (result == 1)
        referee->narrow = 1;
    return result == 1 ? run_narrow(referee, wide, values, image, sentence) : result;
}

void adn_referee_oracle(struct adn_referee *referee, struct adn_oracle *oracle)
{
    memset(oracle, 0, sizeof(*oracle));
    oracle->run = run_oracle;
    oracle->own = referee;
    referee->narrow = referee->wanted.math >= 0;
}
