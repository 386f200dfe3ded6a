/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the text form. Each error names the word, and a similar known word if there is one. */
#include "problem/batch.h"
#include "problem/text.h"

#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "problem/infer.h"
#include "problem/kinds.h"
#include "problem/operation.h"
#include "problem/params.h"
#include "problem/read.h"
#include "problem/unread.h"
#include "sys/error.h"
#include "sys/text.h"

#define WORD_MAX   512
#define PARAMS_MAX 10
#define WORDS_MAX  64

struct reader {
    struct adn_problem *problem;
    struct adn_values *values;
    const struct adn_operation *info;
    uint32_t without;
    int32_t list_count[PARAMS_MAX]; /* length of each list parameter that was given */
    uint32_t seen_params;
    const char *words[WORDS_MAX]; /* read so far */
    int word_count;
    char aliases[WORD_MAX]; /* read once all operands are known */
};

static int32_t slot_of_role(const struct adn_operation *info, const char *role)
{
    for (int32_t i = 0; i < info->slot_count; i++)
        if (strcmp(info->slot[i].role, role) == 0)
            return i;
    return -1;
}

static anydnnStatus_t read_without(struct reader *reader, const char *word, char *value)
{
    char *rest;

    for (char *role = strtok_r(value, ",", &rest); role; role = strtok_r(NULL, ",", &rest)) {
        int32_t slot = slot_of_role(reader->info, role);

        if (slot < 0 ||
            (reader->info->slot[slot].flags & (ADN_SLOT_OUT | ADN_SLOT_OPTIONAL)) == ADN_SLOT_OUT)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "problem text: `%s`: `%s` is not an optional operand of this operation",
                            word, role);
        reader->without |= UINT32_C(1) << slot;
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Handles inputs in `without` that are not optional. All parameters are known here, and they must
 * be such that the input is not read. Another operand stands in for it. */
static anydnnStatus_t leave_out(struct reader *reader)
{
    struct adn_problem *problem = reader->problem;
    uint32_t unread = adn_problem_unread(problem);

    for (int32_t slot = 0; slot < reader->info->slot_count; slot++) {
        int32_t other;

        if (!(reader->without >> slot & 1) || (reader->info->slot[slot].flags & ADN_SLOT_OPTIONAL))
            continue;
        if (!(unread >> slot & 1))
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "problem text: `without=%s`: `%s` is not an optional operand of this "
                            "operation with these parameters",
                            reader->info->slot[slot].role, reader->info->slot[slot].role);
        other = adn_problem_substitute(problem, slot);
        if (other < 0)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "problem text: `without=%s`: no other operand determines its dims",
                            reader->info->slot[slot].role);
        problem->tensor[slot] = problem->tensor[other];
        problem->present |= UINT32_C(1) << slot;
        problem->absent |= UINT32_C(1) << slot;
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Adds one pair. The alias of an output is its first input by slot. The alias of each further input
 * is the output. */
static void add_alias(struct adn_problem *problem, int32_t out, int32_t in)
{
    int32_t first = problem->alias[out] - 1;

    if (first >= 0 && first != in) {
        int32_t later = first < in ? in : first;

        int is_out =
            (adn_problem_operation(problem->operation)->slot[later].flags & ADN_SLOT_OUT) != 0;

        first = first < in ? first : in;
        problem->alias[later] = (uint8_t)((is_out ? first : out) + 1);
        problem->alias[out] = (uint8_t)(first + 1);
        return;
    }
    problem->alias[out] = (uint8_t)(in + 1);
}

static anydnnStatus_t read_aliases(struct reader *reader)
{
    const struct adn_operation *info = reader->info;
    uint32_t given = reader->problem->present & ~reader->problem->absent;
    char *rest;

    for (char *pair = strtok_r(reader->aliases, ",", &rest); pair;
         pair = strtok_r(NULL, ",", &rest)) {
        char *input = strchr(pair, ':');
        int32_t out;
        int32_t in;

        if (input)
            *input++ = '\0';
        out = slot_of_role(info, pair);
        in = input ? slot_of_role(info, input) : -1;
        if (out < 0 || in < 0 || !(info->slot[out].flags & ADN_SLOT_OUT) ||
            !(info->slot[in].flags & ADN_SLOT_IN) || out == in)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "problem text: alias `%s:%s`: an alias is OUTPUT:INPUT, with roles of "
                            "the operation",
                            pair, input ? input : "");
        if (!(given >> in & 1) || !(given >> out & 1))
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "problem text: alias `%s:%s`: one of the two is absent", pair, input);
        add_alias(reader->problem, out, in);
    }
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t read_common(struct reader *reader, const char *word, const char *key,
                                  char *value, int *found)
{
    struct adn_problem *problem = reader->problem;
    int64_t number = 0;

    *found = 1;
    if (strcmp(key, "math") == 0) {
        problem->math = adn_math_parse(value);
        if (problem->math < 0)
            return adn_read_fail(word,
                                 "the mode must be default, tensor_op, allow_conversion or split");
    } else if (strcmp(key, "algo") == 0) {
        problem->algorithm = adn_problem_algorithm_parse(problem->operation, value);
        if (problem->algorithm < ADN_ALGORITHM_ANY)
            return adn_read_fail(word, "this operation does not have that algorithm");
    } else if (strcmp(key, "deterministic") == 0) {
        if (adn_read_list(value, &number, 1) != 1 || (number != 0 && number != 1))
            return adn_read_fail(word, "it must be 0 or 1");
        problem->deterministic = (int32_t)number;
    } else if (strcmp(key, "batch_invariant") == 0) {
        if (adn_read_list(value, &number, 1) != 1 || (number != 0 && number != 1))
            return adn_read_fail(word, "it must be 0 or 1");
        if (number == 1 && !adn_batch_covers(problem->operation))
            return adn_read_fail(word, "batch invariance does not cover this operation");
        problem->batch_invariant = (int32_t)number;
    } else if (strcmp(key, "align") == 0) {
        if (adn_read_list(value, &number, 1) != 1 || number < 1 || number > 4096 ||
            (number & (number - 1)) != 0)
            return adn_read_fail(word, "it must be a power of two from 1 to 4096, in bytes");
        reader->values->align = (int32_t)number;
    } else if (strcmp(key, "without") == 0) {
        return read_without(reader, word, value);
    } else if (strcmp(key, "alias") == 0) {
        strcpy(reader->aliases, value);
    } else {
        *found = 0;
    }
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t read_value(struct reader *reader, const char *word, const char *key,
                                 const char *value, int *found)
{
    double *to = NULL;

    for (int i = 0; i < 4 && reader->info->scale[i].name; i++)
        if (strcmp(reader->info->scale[i].name, key) == 0)
            to = &reader->values->scale[i];
    if (reader->info->number && strcmp(reader->info->number, key) == 0)
        to = &reader->values->number[0];
    if (reader->problem->operation == ANYDNN_PLUGIN_SET_TENSOR && strcmp(key, "value") == 0)
        to = &reader->values->value;
    *found = to != NULL;
    if (to && !adn_read_double(value, to))
        return adn_read_fail(word, "it must be a number");
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t bad_key(const struct reader *reader, const char *word, const char *key)
{
    static const char *const common[] = {"math",  "algo",    "deterministic", "batch_invariant",
                                         "align", "without", "alias"};
    const char *names[40];
    const char *near;
    struct adn_text text;
    char list[400];
    int count = 0;

    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        names[count++] = common[i];
    for (int32_t i = 0; i < reader->info->slot_count; i++)
        names[count++] = reader->info->slot[i].role;
    for (int i = 0; i < 4 && reader->info->scale[i].name; i++)
        names[count++] = reader->info->scale[i].name;
    for (const struct adn_param *param = adn_problem_params(reader->info->family); param->key;
         param++)
        names[count++] = param->key;
    near = adn_name_nearest(key, names, count);
    if (near)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "problem text: `%s`: unknown key; did you mean `%s`?", word, near);
    adn_text_begin(&text, list, sizeof(list));
    for (int i = 0; i < count; i++)
        adn_text_add(&text, "%s%s", i > 0 ? ", " : "", names[i]);
    return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                    "problem text: `%s`: unknown key of %s; its keys are %s", word,
                    adn_operation_name(reader->problem->operation), list);
}

/* Returns 1 if an earlier word has that key. */
static int seen(const struct reader *reader, const char *key)
{
    size_t length = strlen(key);

    for (int i = 0; i < reader->word_count; i++)
        if (strncmp(reader->words[i], key, length) == 0 && reader->words[i][length] == '=')
            return 1;
    return 0;
}

static anydnnStatus_t read_word(struct reader *reader, const char *word)
{
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    char key[WORD_MAX];
    char *value;
    int32_t slot;
    int32_t index = 0;
    int found;

    if (strlen(word) >= WORD_MAX)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "problem text: `%.60s...`: %s", word,
                        "the word is too long");
    strcpy(key, word);
    value = strchr(key, '=');
    if (!value)
        return adn_read_fail(word, "words after the operation must be KEY=VALUE");
    *value++ = '\0';
    if (seen(reader, key))
        return adn_read_fail(word, "the key is given twice");
    slot = slot_of_role(reader->info, key);
    if (slot >= 0) {
        reader->problem->present |= UINT32_C(1) << slot;
        return adn_read_tensor(word, value, &reader->problem->tensor[slot]);
    }
    for (const struct adn_param *param = adn_problem_params(reader->info->family); param->key;
         param++, index++)
        if (strcmp(param->key, key) == 0) {
            reader->seen_params |= UINT32_C(1) << index;
            return adn_read_param(&reader->problem->params, param, &reader->list_count[index], word,
                                  value);
        }
    status = read_common(reader, word, key, value, &found);
    if (status == ANYDNN_STATUS_SUCCESS && !found)
        status = read_value(reader, word, key, value, &found);
    if (status == ANYDNN_STATUS_SUCCESS && !found)
        status = bad_key(reader, word, key);
    return status;
}

/* Sets defaults of lists, and compares their lengths with the dims of the first operand. */
static anydnnStatus_t finish_params(struct reader *reader)
{
    struct adn_problem *problem = reader->problem;
    int32_t ndims = problem->tensor[0].ndims;
    int32_t index = 0;

    for (const struct adn_param *param = adn_problem_params(reader->info->family); param->key;
         param++, index++) {
        void *at = (char *)&problem->params + param->offset;
        int64_t *list = at;
        int32_t count = ndims - (param->kind == ADN_PARAM_SPATIAL ? 2 : 0);

        if (param->kind == ADN_PARAM_TYPE && !(reader->seen_params >> index & 1)) {
            int32_t type =
                adn_problem_compute_default(reader->info->family, adn_problem_type(problem));

            memcpy(at, &type, sizeof(type));
        }
        if (param->kind != ADN_PARAM_SPATIAL && param->kind != ADN_PARAM_DIMS)
            continue;
        if (!(reader->seen_params >> index & 1))
            for (int32_t i = 0; i < count; i++)
                list[i] = (int64_t)param->initial;
        else if (reader->list_count[index] != count)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "problem text: `%s` has %d values; operand `%s` has %d dims, so there "
                            "must be %d values",
                            param->key, (int)reader->list_count[index], reader->info->slot[0].role,
                            (int)ndims, (int)(count > 0 ? count : 0));
    }
    if (reader->info->family == ADN_FAMILY_CONVOLUTION ||
        reader->info->family == ADN_FAMILY_FUSED || reader->info->family == ADN_FAMILY_IM2COL)
        problem->params.convolution.spatial_dims = ndims - 2;
    if (reader->info->family == ADN_FAMILY_POOLING)
        problem->params.pooling.spatial_dims = ndims - 2;
    adn_problem_settle_kind(problem);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_problem_parse(const char *text, struct adn_problem *problem,
                                 struct adn_values *values)
{
    struct reader reader = {.problem = problem, .values = values};
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    char *copy = strdup(text);
    char *rest = NULL;
    char *word = copy ? strtok_r(copy, " \t\r\n", &rest) : NULL;
    int32_t operation = word ? adn_operation_parse(word) : -1;

    if (!copy)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "problem text: out of memory");
    if (operation <= 0) {
        int count;
        const char *const *names = adn_operation_names(&count);
        const char *near = word ? adn_name_nearest(word, names, count) : NULL;

        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "problem text: unknown operation `%s`%s%s%s",
                          word ? word : "", near ? "; did you mean `" : "; ",
                          near ? near : "`anydnn info --operations` lists the operations",
                          near ? "`?" : "");
        goto out;
    }
    adn_problem_init(problem, operation);
    adn_values_init(values, operation);
    reader.info = adn_problem_operation(operation);
    while (status == ANYDNN_STATUS_SUCCESS && (word = strtok_r(NULL, " \t\r\n", &rest)) != NULL) {
        status = read_word(&reader, word);
        if (status == ANYDNN_STATUS_SUCCESS && reader.word_count == WORDS_MAX)
            status = adn_read_fail(word, "there are too many words for a problem");
        else
            reader.words[reader.word_count++] = word;
    }
    if (status != ANYDNN_STATUS_SUCCESS)
        goto out;
    if (reader.without & problem->present) {
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "problem text: an operand is both given and named by `without`");
        goto out;
    }
    status = leave_out(&reader);
    if (status != ANYDNN_STATUS_SUCCESS)
        goto out;
    if (!(problem->present & 1)) {
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "problem text: operand `%s` is missing",
                          reader.info->slot[0].role);
        goto out;
    }
    status = finish_params(&reader);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_problem_infer(problem, "problem text");
    if (status != ANYDNN_STATUS_SUCCESS)
        goto out;
    for (int32_t slot = 0; slot < reader.info->slot_count; slot++)
        if (problem->absent >> slot & 1)
            problem->tensor[slot] = problem->tensor[adn_problem_substitute(problem, slot)];
    status = read_aliases(&reader);
out:
    free(copy);
    return status;
}
