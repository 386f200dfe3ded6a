/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the steps of a chain and runs them one by one. */
#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* The operands of each direction, in order. The last one is written. */
static const struct direction {
    const char *name, *role[3];
    enum place place[3];
} forward = {"convolution_forward", {"x", "w", "y"}, {X, W, Y}},
  data = {"convolution_backward_data", {"w", "dy", "dx"}, {W, Y, X}},
  filter = {"convolution_backward_filter", {"x", "dy", "dw"}, {X, Y, W}};

/* The directions of the calls, two in turn. Each call reads what the previous one wrote, and writes
 * what the previous one read. */
static const struct direction *const order[CALLS] = {
    &forward, &data,    &forward, &data,    &forward, &data,    &forward, &data,
    &filter,  &data,    &filter,  &data,    &filter,  &data,    &filter,  &forward,
    &filter,  &forward, &filter,  &forward, &filter,  &forward, &filter,  &forward};

static void *at(const struct chain *chain, enum place place)
{
    return chain->memory->output[0][place].data;
}

/* ---- steps */

int chain_start(const struct chain *chain)
{
    anydnnHandle_t handle = chain->memory->handle[TESTED];
    int failed = anydnnMemSet(handle, at(chain, SPARE), 0xff, chain->bytes[SPARE]) != SUCCESS;

    for (int i = X; i < SPARE && !failed; i++)
        failed = anydnnMemCopy(handle, at(chain, i), chain->memory->input[0][RANDOM][i].data,
                               chain->bytes[i], ANYDNN_MEMCPY_DEVICE_TO_DEVICE) != SUCCESS;
    return failed ? -1 : 0;
}

int chain_step(const struct chain *chain, const struct step *step)
{
    anydnnHandle_t handle = chain->memory->handle[TESTED];
    anydnnStatus_t status;

    if (step->problem)
        status = anydnnProblemExecute(handle, step->problem, step->pointer,
                                      chain->memory->workspace.data, step->workspace);
    else if (step->from)
        status = anydnnMemCopy(handle, step->to, step->from, step->bytes,
                               ANYDNN_MEMCPY_DEVICE_TO_DEVICE);
    else
        status = anydnnMemSet(handle, step->to, 0xff, step->bytes);
    return status == SUCCESS ? 0 : -1;
}

int chain_take(const struct chain *chain, enum place place, void *host)
{
    return anydnnMemCopy(chain->memory->handle[TESTED], host, at(chain, place), chain->bytes[place],
                         ANYDNN_MEMCPY_DEVICE_TO_HOST) == SUCCESS
               ? 0
               : -1;
}

/* ---- making */

/* Prints a convolution of the chain as text. */
static void print(const struct chain *chain, const struct direction *of, double alpha, double beta,
                  char text[PROBLEM])
{
    snprintf(text, PROBLEM, "%s %s=%s %s=%s %s=%s%s alpha=%.17g beta=%g", of->name, of->role[0],
             chain->operand[of->place[0]], of->role[1], chain->operand[of->place[1]], of->role[2],
             chain->operand[of->place[2]], chain->keys, alpha, beta);
}

/* Makes a step that is a call. */
static enum verdict call(const struct chain *chain, const char *text, struct step *step)
{
    struct exact *memory = chain->memory;
    anydnnStatus_t status = anydnnProblemParse(text, &step->problem);

    if (status == SUCCESS)
        status =
            anydnnProblemGetWorkspaceSize(memory->handle[TESTED], step->problem, &step->workspace);
    if (status == ANYDNN_STATUS_NOT_SUPPORTED)
        return DECLINED;
    return status == SUCCESS && exact_reserve(memory, &memory->workspace, step->workspace) == 0
               ? GOOD
               : FAILED;
}

static enum verdict convolve(const struct chain *chain, const struct direction *of, double alpha,
                             double beta, enum place to, struct step *step)
{
    char text[PROBLEM];

    print(chain, of, alpha, beta, text);
    for (int i = 0; i < 3; i++)
        step->pointer[i] = at(chain, i < 2 ? of->place[i] : to);
    return call(chain, text, step);
}

/* Finds a factor with which the largest result lies between 0.5 and 1. A trial with 1 / terms gives
 * the mean of each sum's terms, which no type overflows. A power of two then scales this result. */
static enum verdict factor(const struct chain *chain, const struct direction *of, double *alpha)
{
    enum place place = of->place[2];
    struct step trial = {.problem = NULL};
    enum verdict verdict;
    double largest = 0;

    *alpha = 1 / chain->terms[place];
    verdict = convolve(chain, of, *alpha, 0, SPARE, &trial);
    if (verdict == GOOD &&
        (chain_step(chain, &trial) != 0 || chain_take(chain, SPARE, chain->found[SPARE]) != 0))
        verdict = FAILED;
    anydnnProblemDestroy(trial.problem);
    if (verdict != GOOD)
        return verdict;
    for (size_t i = 0; i < chain->bytes[place]; i += exact_type_size(chain->type))
        largest =
            fmax(largest, fabs(adn_element_load((int32_t)chain->type, chain->found[SPARE] + i)));
    if (!(largest > 0 && isfinite(largest))) {
        snprintf(chain->memory->sentence, sizeof(chain->memory->sentence), "the numbers are lost");
        return FAILED;
    }
    *alpha *= exp2(-ceil(log2(largest)));
    return GOOD;
}

/* Appends the convolution and the steps that move its result from the spare place to its own. */
static enum verdict append(struct chain *chain, const struct direction *of, double alpha)
{
    enum place place = of->place[2];
    struct step *step = &chain->step[chain->count++];
    enum verdict verdict = convolve(chain, of, alpha, chain->variant == BLEND ? 0.5 : 0,
                                    chain->variant >= COPIES ? SPARE : place, step);
    char text[PROBLEM];

    if (chain->variant == COPIES) {
        chain->step[chain->count++] = (struct step){
            .to = at(chain, place), .from = at(chain, SPARE), .bytes = chain->bytes[place]};
        chain->step[chain->count++] =
            (struct step){.to = at(chain, SPARE), .bytes = chain->bytes[place]};
    } else if (chain->variant == OTHER && verdict == GOOD) {
        step = &chain->step[chain->count++];
        step->pointer[0] = at(chain, SPARE);
        step->pointer[1] = at(chain, place);
        snprintf(text, sizeof(text), "activation_forward x=%s y=%s activation=tanh",
                 chain->operand[place], chain->operand[place]);
        verdict = call(chain, text, step);
    }
    return verdict;
}

/* Checks that a step changed most of its output. Otherwise, a read before the step would not
 * show. */
static enum verdict changed(struct chain *chain, enum place place)
{
    size_t size = exact_type_size(chain->type), others = 0;
    const unsigned char *before = chain->wanted[place];
    unsigned char *after = chain->found[place];

    if (chain_take(chain, place, after) != 0)
        return FAILED;
    for (size_t i = 0; i < chain->bytes[place]; i += size)
        others += adn_element_load((int32_t)chain->type, before + i) !=
                  adn_element_load((int32_t)chain->type, after + i);
    if (others * size * 2 > chain->bytes[place])
        return GOOD;
    snprintf(chain->memory->sentence, sizeof(chain->memory->sentence),
             "a call changes %zu of %zu elements: a chain of it shows nothing", others,
             chain->bytes[place] / size);
    return FAILED;
}

/* Restores the initial contents, except for the last result, before the first call of a third
 * direction. Otherwise, numbers would grow like powers from call to call, until only the largest
 * remain. */
static void refresh(struct chain *chain, int call)
{
    if (call < 2 || order[call] == order[call - 2])
        return;
    for (int i = X; i < SPARE; i++)
        if (i != (int)order[call - 1]->place[2])
            chain->step[chain->count++] =
                (struct step){.to = at(chain, i),
                              .from = chain->memory->input[0][RANDOM][i].data,
                              .bytes = chain->bytes[i]};
}

/* Runs the steps from `first` on. */
static enum verdict proceed(const struct chain *chain, int first)
{
    for (int i = first; i < chain->count; i++)
        if (chain_step(chain, &chain->step[i]) != 0)
            return FAILED;
    return GOOD;
}

static enum verdict take_all(const struct chain *chain)
{
    for (int i = X; i < SPARE; i++)
        if (chain_take(chain, i, chain->wanted[i]) != 0)
            return FAILED;
    return GOOD;
}

enum verdict chain_make(struct chain *chain)
{
    enum verdict verdict = chain_start(chain) == 0 ? GOOD : FAILED;

    for (int i = 0; i < CALLS && verdict == GOOD; i++) {
        const struct direction *of = order[i];
        int first = chain->count;
        double alpha;

        refresh(chain, i);
        verdict = proceed(chain, first);
        first = chain->count;
        if (verdict == GOOD)
            verdict = take_all(chain);
        if (verdict == GOOD)
            verdict = factor(chain, of, &alpha);
        /* Alternating signs make each result differ in sign from the previous contents. */
        if (verdict == GOOD)
            verdict = append(chain, of, i % 2 ? -alpha : alpha);
        if (verdict == GOOD)
            verdict = proceed(chain, first);
        if (verdict == GOOD)
            verdict = changed(chain, of->place[2]);
    }
    return verdict;
}

void chain_clear(struct chain *chain)
{
    while (chain->count > 0) {
        struct step *step = &chain->step[--chain->count];

        anydnnProblemDestroy(step->problem);
        *step = (struct step){.problem = NULL};
    }
}

void chain_free(struct chain *chain)
{
    chain_clear(chain);
    for (int i = X; i < PLACES; i++) {
        free(chain->found[i]);
        free(chain->wanted[i]);
    }
}
