/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the convolution from which a chain is made. */
#include "chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum verdict decline(struct chain *chain, const char *why)
{
    snprintf(chain->memory->sentence, sizeof(chain->memory->sentence), "%s", why);
    return DECLINED;
}

static enum place place_of(const char *role)
{
    static const char letters[] = "xwy";
    const char *found = strchr(letters, role[role[0] == 'd']);

    return found && *found ? (enum place)(found - letters) : PLACES;
}

/* Splits the printed form of a problem, which contains every operand and key. */
static int split_words(struct chain *chain, anydnnProblem_t problem)
{
    char text[PROBLEM], *next = text, *word;

    if (anydnnProblemPrint(problem, text, sizeof(text), NULL) != SUCCESS)
        return -1;
    chain->keys[0] = '\0';
    strsep(&next, " ");
    while ((word = strsep(&next, " "))) {
        size_t length = strcspn(word, "="), used = strlen(chain->keys);
        int is_operand = length == 1U + (word[0] == 'd');

        if (is_operand && place_of(word) < SPARE)
            snprintf(chain->operand[place_of(word)], sizeof(chain->operand[0]), "%s",
                     word + length + 1);
        else if (strncmp(word, "alpha=", 6) != 0 && strncmp(word, "beta=", 5) != 0)
            snprintf(chain->keys + used, sizeof(chain->keys) - used, " %s", word);
    }
    return 0;
}

static size_t elements(const struct operand *operand)
{
    size_t count = 1;

    for (int i = 0; i < ANYDNN_DIM_MAX && operand->dims[i] > 0; i++)
        count *= (size_t)operand->dims[i];
    return count;
}

/* Allocates the memory of a forward convolution and fills its operands. */
static enum verdict reserve(struct chain *chain, const struct work *work)
{
    struct exact *memory = chain->memory;
    const struct operand *operand = work->operand;

    chain->type = operand[X].type;
    chain->terms[Y] = (double)elements(&operand[W]) / operand[W].dims[0];
    chain->terms[X] = (double)elements(&operand[W]) / operand[W].dims[1];
    chain->terms[W] = (double)elements(&operand[Y]) / operand[Y].dims[1];
    for (int i = X; i < SPARE; i++) {
        if (!exact_type_name(operand[i].type) || operand[i].type != chain->type)
            return decline(chain, "chains are of one floating type");
        if (operand[i].bytes != elements(&operand[i]) * exact_type_size(chain->type))
            return decline(chain, "chains are of operands without gaps");
        chain->bytes[i] = operand[i].bytes;
        if (chain->bytes[SPARE] < chain->bytes[i])
            chain->bytes[SPARE] = chain->bytes[i];
        if (exact_fill(memory, &memory->input[0][RANDOM][i], work, i, chain->type, RANDOM) != 0)
            return FAILED;
    }
    for (int i = X; i < PLACES; i++) {
        chain->found[i] = malloc(chain->bytes[i]);
        chain->wanted[i] = malloc(chain->bytes[i]);
        if (!chain->found[i] || !chain->wanted[i] ||
            exact_reserve(memory, &memory->output[0][i], chain->bytes[i]) != 0)
            return FAILED;
    }
    return GOOD;
}

enum verdict chain_read(struct chain *chain, const char *text)
{
    struct work given = {.count = 0}, work = {.count = 0};
    enum verdict verdict = FAILED;
    char whole[PROBLEM];

    if (exact_parse(text, &given) != 0 || split_words(chain, given.problem) != 0)
        goto done;
    for (int i = X; i < SPARE; i++)
        if (chain->operand[i][0] == '\0' || given.count != SPARE) {
            verdict = decline(chain, "chains are of convolutions of two operands");
            goto done;
        }
    snprintf(whole, sizeof(whole), "convolution_forward x=%s w=%s y=%s%s", chain->operand[X],
             chain->operand[W], chain->operand[Y], chain->keys);
    if (exact_parse(whole, &work) == 0)
        verdict = reserve(chain, &work);
done:
    anydnnProblemDestroy(given.problem);
    anydnnProblemDestroy(work.problem);
    return verdict;
}
