/* SPDX-License-Identifier: Apache-2.0 */
/* Implements dropout forward and backward. The states alone determine which elements are kept, as
 * anydnn.h specifies. The reserve passes this to backward. */
#include "../kit/philox.h"
#include "bits.h"
#include "table.h"

#include <string.h>

/* The values of ANYDNN_DROPOUT_MAGIC and ANYDNN_DROPOUT_VERSION in anydnn.h. */
#define MAGIC   UINT64_C(0x706f7264796e61)
#define VERSION 1

/* The cost of an element, a quarter of Philox, in multiply-adds for distribution over threads. */
#define COST 20

/* The states in memory, in native byte order. */
struct dropout_states {
    uint64_t magic, version, seed, offset;
};

struct dropout_job {
    uint8_t *reserve;
    double probability;
    uint64_t seed, offset;
};

/* The current four words of Philox. They are computed when an element of another group of four is
 * needed. */
struct dropout_words {
    uint64_t four;
    int made;
    uint32_t word[4];
};

static int dropout_keeps(const struct dropout_job *job, struct dropout_words *words, int64_t at)
{
    uint64_t element = job->offset + (uint64_t)at;
    uint64_t four = element / 4;

    if (!words->made || words->four != four) {
        const uint32_t counter[4] = {(uint32_t)four, (uint32_t)(four >> 32), 0, 0};
        const uint32_t key[2] = {(uint32_t)job->seed, (uint32_t)(job->seed >> 32)};

        kit_philox(counter, key, words->word);
        words->four = four;
        words->made = 1;
    }
    return words->word[element % 4] >= job->probability * 0x1p32;
}

#define CPU_REF_TEMPLATE "dropout.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ table entries */

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *walked[] = {plan->problem.tensor[slot_dropout_forward_x],
                                                   plan->problem.tensor[slot_dropout_forward_y]};
    cpu_ref_walk_init_logical(plan->state, walked, 2, KIT_WALK_ALL);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *walked[] = {plan->problem.tensor[slot_dropout_backward_dy],
                                                   plan->problem.tensor[slot_dropout_backward_dx]};
    cpu_ref_walk_init_logical(plan->state, walked, 2, KIT_WALK_ALL);
}

const struct cpu_ref_kernel cpu_ref_dropout_forward = {
    .operation = ANYDNN_PLUGIN_DROPOUT_FORWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_dropout_forward_x,
    .uniform = 1u << slot_dropout_forward_x | 1u << slot_dropout_forward_y,
    .state_size = sizeof(struct kit_walk),
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run)},
};

const struct cpu_ref_kernel cpu_ref_dropout_backward = {
    .operation = ANYDNN_PLUGIN_DROPOUT_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_dropout_backward_dy,
    .uniform = 1u << slot_dropout_backward_dy | 1u << slot_dropout_backward_dx,
    .state_size = sizeof(struct kit_walk),
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
