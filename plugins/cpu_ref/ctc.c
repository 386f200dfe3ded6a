/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the CTC loss and its gradient by the forward-backward recursion of Graves et al. 2006
 * ("Connectionist Temporal Classification", section 4.1). All of it is in logarithms, so that no
 * product of many probabilities leaves the range of double. State s = 0 .. 2 L of a sequence with L
 * labels is a blank if s is even, else label (s - 1) / 2.
 */
#include "table.h"
#include "tensor.h"

#include <math.h>
#include <string.h>

/* The dims of x. */
enum { TIME, SEQUENCE, LETTER };

#define BLANK 0

/* The cost of a state at a step in multiply-adds, for distribution over threads. */
#define COST 100

/* A sequence and its part of a call's memory. */
struct ctc_sequence {
    const int32_t *label;
    int64_t labels, states, steps;
    double *emission; /* steps x (1 + labels): log p of the blank and of each label */
    double *scale;    /* steps: with softmax, log p is x minus this */
    double *alpha;   /* steps x states: log p of all paths to a state, including the step's own p */
    double *beta[2]; /* states: log p of all paths from a state, at a step and the next one */
    double *occupancy; /* letters: their shares at a step */
    double log_p;      /* log p of all paths */
};

struct ctc_job {
    const struct anydnn_plugin_plan *plan;
    const struct anydnn_plugin_operands *operands;
    struct ctc_sequence *sequence;
};

/* ------------------------------------------------------------------ recursions */

static double log_sum(double a, double b, double c)
{
    double highest = fmax(fmax(a, b), c);

    if (highest == -INFINITY)
        return a + b + c; /* -Inf, or NaN that fmax skipped */
    return highest + log(exp(a - highest) + exp(b - highest) + exp(c - highest));
}

static double emission_of(const struct ctc_sequence *at, int64_t t, int64_t s)
{
    return at->emission[t * (1 + at->labels) + (s % 2 ? (s + 1) / 2 : 0)];
}

/* Returns 1 if a path may go from state s - 2 to s: over a blank between two different labels. */
static int skips(const struct ctc_sequence *at, int64_t s)
{
    return s % 2 && s >= 3 && at->label[(s - 1) / 2] != at->label[(s - 3) / 2];
}

/* Returns the fewest steps for the labels: one each, and a blank between equal neighbors. */
static int64_t shortest(const int32_t *label, int64_t labels)
{
    int64_t steps = labels;

    for (int64_t i = 1; i < labels; i++)
        steps += label[i] == label[i - 1];
    return steps;
}

static void forward(struct ctc_sequence *at)
{
    int64_t states = at->states;

    for (int64_t s = 0; s < states; s++)
        at->alpha[s] = s < 2 ? emission_of(at, 0, s) : -INFINITY;
    for (int64_t t = 1; t < at->steps; t++) {
        const double *from = at->alpha + (t - 1) * states;
        double *to = at->alpha + t * states;

        for (int64_t s = 0; s < states; s++)
            to[s] = emission_of(at, t, s) + log_sum(from[s], s >= 1 ? from[s - 1] : -INFINITY,
                                                    skips(at, s) ? from[s - 2] : -INFINITY);
    }
    at->log_p = log_sum(at->alpha[at->steps * states - 1],
                        states > 1 ? at->alpha[at->steps * states - 2] : -INFINITY, -INFINITY);
}

/* Computes beta of step t from that of step t + 1, and the shares of the letters at t. */
static void backward(struct ctc_sequence *at, int64_t t)
{
    const double *from = at->beta[(t + 1) % 2];
    double *to = at->beta[t % 2];
    int64_t states = at->states;

    for (int64_t s = 0; s < states; s++) {
        double next[3] = {-INFINITY, -INFINITY, -INFINITY};

        if (t == at->steps - 1) {
            to[s] = s >= states - 2 ? 0 : -INFINITY;
        } else {
            next[0] = from[s] + emission_of(at, t + 1, s);
            if (s + 1 < states)
                next[1] = from[s + 1] + emission_of(at, t + 1, s + 1);
            if (s + 2 < states && skips(at, s + 2))
                next[2] = from[s + 2] + emission_of(at, t + 1, s + 2);
            to[s] = log_sum(next[0], next[1], next[2]);
        }
        at->occupancy[s % 2 ? at->label[(s - 1) / 2] : BLANK] +=
            exp(at->alpha[t * states + s] + to[s] - at->log_p);
    }
}

/* ------------------------------------------------------------------ memory of a call */

/* Returns the doubles that a sequence needs. A sequence whose labels have no path needs none. */
static int64_t doubles_of(const struct ctc_sequence *at, int64_t letters)
{
    return at->states == 0 || at->steps == 0
               ? 0
               : kit_plus(kit_times(at->steps, 2 + at->labels + at->states),
                          kit_plus(2 * at->states, letters));
}

/* Describes a sequence. It has 0 states if its labels have no path. */
static void describe(struct ctc_sequence *at, const struct anydnn_plugin_operands *operands,
                     int64_t n, int64_t first)
{
    at->label = (const int32_t *)operands->data[slot_ctc_loss_labels] + first;
    at->labels = ((const int32_t *)operands->data[slot_ctc_loss_label_lengths])[n];
    at->steps = ((const int32_t *)operands->data[slot_ctc_loss_input_lengths])[n];
    at->states = shortest(at->label, at->labels) > at->steps ? 0 : 2 * at->labels + 1;
}

static void take(struct ctc_sequence *at, double *doubles)
{
    at->emission = doubles;
    at->scale = at->emission + at->steps * (1 + at->labels);
    at->alpha = at->scale + at->steps;
    at->beta[0] = at->alpha + at->steps * at->states;
    at->beta[1] = at->beta[0] + at->states;
    at->occupancy = at->beta[1] + at->states;
}

/* Allocates all sequences, followed by the memory of each. Returns NULL if there is no memory. */
static struct ctc_sequence *make_sequences(const struct anydnn_plugin_plan *plan,
                                           const struct anydnn_plugin_operands *operands)
{
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[slot_ctc_loss_x];
    int64_t count = x->dims[SEQUENCE], doubles = 0, first = 0;
    size_t head = ((size_t)count * sizeof(struct ctc_sequence) + 63) / 64 * 64;
    struct ctc_sequence *made;
    double *next;

    for (int64_t n = 0; n < count; n++) {
        struct ctc_sequence at;

        describe(&at, operands, n, first);
        first += at.labels;
        doubles = kit_plus(doubles, doubles_of(&at, x->dims[LETTER]));
    }
    made = kit_host->alloc(head + kit_bytes(doubles, sizeof(double)));
    if (!made)
        return NULL;
    next = (double *)(void *)((char *)made + head);
    first = 0;
    for (int64_t n = 0; n < count; n++) {
        describe(&made[n], operands, n, first);
        take(&made[n], next);
        first += made[n].labels;
        next += doubles_of(&made[n], x->dims[LETTER]);
    }
    return made;
}

#define CPU_REF_TEMPLATE "ctc.inc"
#include "each_float.inc"

const struct cpu_ref_kernel cpu_ref_ctc_loss = {
    .operation = ANYDNN_PLUGIN_CTC_LOSS,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_ctc_loss_x,
    .apart = 1u << slot_ctc_loss_costs | 1u << slot_ctc_loss_gradients,
    .uniform = 1u << slot_ctc_loss_x | 1u << slot_ctc_loss_gradients,
    .run = {CPU_REF_EACH_FLOAT(ctc_run)},
};
