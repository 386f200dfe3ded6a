/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the list of cases. */
#include "tools/verify/cases/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/layout.h"
#include "desc/names.h"
#include "desc/operations.h"
#include "desc/shape.h"
#include "judge/rules.h"
#include "judge/subject.h"
#include "load/load.h"
#include "numerics/numerics.h"
#include "problem/check_problem.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"
#include "tools/files.h"

#define QUICK_MOST (1 << 19) /* elements of an operand */

/* ---- the list */

static struct verify_case *add_case(struct verify_cases *cases, enum verify_kind kind,
                                    int32_t operation, int32_t type, const char *layout,
                                    const char *label)
{
    struct verify_case *item = tool_alloc(sizeof(*item));

    memset(item, 0, sizeof(*item));
    item->kind = kind;
    item->operation = operation;
    item->type = type;
    item->layout = layout;
    item->label = strdup(label);
    if (cases->count == cases->capacity) {
        struct verify_case **more;

        cases->capacity = cases->capacity > 0 ? 2 * cases->capacity : 256;
        more = realloc(cases->item, (size_t)cases->capacity * sizeof(*more));
        if (more == NULL)
            exit(TOOL_FAILED);
        cases->item = more;
    }
    cases->item[cases->count++] = item;
    return item;
}

struct verify_case *verify_problem_add(struct verify_cases *cases,
                                       const struct adn_problem *problem,
                                       const struct adn_values *values, int32_t type,
                                       const char *layout, const char *label)
{
    struct verify_case *item =
        add_case(cases, VERIFY_KIND_PROBLEM, problem->operation, type, layout, label);

    adn_problem_copy(&item->problem, problem);
    item->values = *values;
    return item;
}

void verify_cases_free(struct verify_cases *cases)
{
    int items = cases->drawn_from > 0 ? cases->drawn_from : cases->count;

    for (int i = 0; i < items; i++) {
        free(cases->item[i]->label);
        free(cases->item[i]);
    }
    free(cases->item);
    free(cases);
}

const struct verify_case *verify_cases_names(const struct verify_cases *cases, int number)
{
    return cases->item[cases->drawn_from > 0 ? number % cases->drawn_from : number];
}

const struct verify_case *verify_cases_at(struct verify_cases *cases, int number)
{
    const struct verify_case *names = verify_cases_names(cases, number);

    if (cases->drawn_from == 0)
        return names;
    cases->drawn = *names;
    verify_fuzz_case(cases->backend, names->operation, cases->type, cases->seed, number,
                     &cases->drawn);
    return &cases->drawn;
}

char *verify_case_text(const struct verify_case *item)
{
    size_t size = adn_problem_print(&item->problem, &item->values, NULL, 0) + 1;
    char *text = tool_alloc(size);

    adn_problem_print(&item->problem, &item->values, text, size);
    return text;
}

/* ---- the whole list */

static int is_wanted(const struct verify_filter *filter, int32_t operation)
{
    const char *name = adn_operation_name(operation);
    size_t length = filter->operation != NULL ? strlen(filter->operation) : 0;

    if (length == 0)
        return 1;
    if (filter->operation[length - 1] == '*')
        return strncmp(name, filter->operation, length - 1) == 0;
    return strcmp(name, filter->operation) == 0;
}

/* Adds the cases of a problem that the user names. */
static void add_given(struct verify_cases *cases, const struct adn_problem *problem,
                      const struct adn_values *values, const char *text, const char *name)
{
    const int32_t type = problem->tensor[0].type;
    const char *layout = adn_layout_name(&problem->tensor[0]);
    char label[200];

    layout = layout != NULL ? layout : "strided";
    verify_problem_add(cases, problem, values, type, layout, name);
    if (strstr(text, "nan=") != NULL) {
        snprintf(label, sizeof(label), "%s,NaN and infinities", name);
        verify_problem_add(cases, problem, values, type, layout, label)->data = ORACLE_SPECIALS;
    }
    if (adn_problem_operation(problem->operation)->family == ADN_FAMILY_NORMALIZATION) {
        snprintf(label, sizeof(label), "%s,mean far from zero", name);
        verify_problem_add(cases, problem, values, type, layout, label)->data = ORACLE_FAR;
    }
    if (adn_judge_sums_wrap(problem)) {
        snprintf(label, sizeof(label), "%s,sums wrap", name);
        verify_problem_add(cases, problem, values, type, layout, label)->data = ORACLE_LARGE;
    }
}

static int add_one(struct verify_cases *cases, const struct adn_backend *backend, const char *text,
                   char *sentence)
{
    struct adn_problem problem;
    struct adn_values values;
    struct verify_case *item;

    if (adn_problem_parse(text, &problem, &values) != ANYDNN_STATUS_SUCCESS ||
        adn_problem_check(&problem, "anydnn verify") != ANYDNN_STATUS_SUCCESS) {
        snprintf(sentence, ADN_JUDGE_SENTENCE, "%.1000s", adn_error_text());
        return -1;
    }
    if (backend->operation[problem.operation] == NULL) {
        snprintf(sentence, ADN_JUDGE_SENTENCE, "%s does not offer %s", backend->name,
                 adn_operation_name(problem.operation));
        return -1;
    }
    add_given(cases, &problem, &values, text, "given");
    if (verify_takes_subnormals(&problem)) {
        item = verify_problem_add(cases, &problem, &values, problem.tensor[0].type,
                                  cases->item[0]->layout, "given,subnormals");
        item->data = ORACLE_SUBNORMAL;
    }
    return 0;
}

/* Adds the layers of a suite that the backend has the operation for. */
static int add_suite(struct verify_cases *cases, const struct adn_backend *backend,
                     const struct verify_filter *filter, char *sentence)
{
    FILE *file = fopen(filter->suite, "re");
    char *line = NULL;
    size_t capacity = 0;

    while (file != NULL && tool_read_line(file, &line, &capacity, SIZE_MAX) >= 0) {
        char *text = strchr(line, ' ');
        struct adn_problem problem;
        struct adn_values values;

        *text++ = '\0';
        if (adn_problem_parse(text, &problem, &values) == ANYDNN_STATUS_SUCCESS &&
            backend->operation[problem.operation] != NULL && is_wanted(filter, problem.operation) &&
            (filter->type < 0 || filter->type == problem.tensor[0].type))
            add_given(cases, &problem, &values, text, line);
    }
    free(line);
    if (file != NULL)
        fclose(file);
    if (cases->count > 0)
        return 0;
    snprintf(sentence, ADN_JUDGE_SENTENCE, "%s offers no requested operation of the suite",
             backend->name);
    return -1;
}

/* Returns 1 for operands that take as long as a hundred others. --quick skips these. */
static int is_long(const struct adn_problem *problem)
{
    for (int i = 0; i < ADN_SLOTS; i++)
        if ((problem->present >> i & 1) && adn_shape_elements(&problem->tensor[i]) > QUICK_MOST)
            return 1;
    return 0;
}

static void add_vectors(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                        const struct verify_filter *filter, struct verify_vectors *vectors)
{
    for (struct verify_vector *vector = vectors->first; vector != NULL; vector = vector->next) {
        int32_t type = vector->problem.tensor[0].type;

        if (vector->problem.operation == op->operation && (op->types >> type & 1) &&
            (filter->type < 0 || filter->type == type) &&
            !(filter->quick && is_long(&vector->problem))) {
            struct verify_case *item = verify_problem_add(cases, &vector->problem, &vector->values,
                                                          type, "golden", vector->name);

            item->kind = VERIFY_KIND_VECTOR;
            item->vector = vector;
        }
    }
}

/* Adds the random problems and the operations that they are drawn from. */
static int add_drawn(struct verify_cases *cases, const struct adn_backend *backend,
                     const struct verify_filter *filter, char *sentence)
{
    for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++) {
        const struct anydnn_plugin_operation *op = backend->operation[number];

        if (op != NULL && is_wanted(filter, number) && verify_shapes_of(number) != NULL &&
            (filter->type < 0 ? op->types != 0 : (op->types >> filter->type & 1) != 0))
            add_case(cases, VERIFY_KIND_PROBLEM, number, -1, "random", "random");
    }
    if (cases->count == 0) {
        snprintf(sentence, ADN_JUDGE_SENTENCE, "%s does not offer this operation in this type",
                 backend->name);
        return -1;
    }
    cases->drawn_from = cases->count;
    cases->count = filter->fuzz;
    cases->backend = backend;
    cases->type = filter->type;
    cases->seed = filter->seed;
    return 0;
}

struct verify_cases *verify_cases_make(const struct adn_backend *backend,
                                       const struct verify_filter *filter,
                                       struct verify_vectors *vectors, char *sentence)
{
    struct verify_cases *cases = tool_alloc(sizeof(*cases));

    memset(cases, 0, sizeof(*cases));
    if (filter->problem != NULL || filter->suite != NULL || filter->fuzz > 0) {
        if ((filter->problem != NULL ? add_one(cases, backend, filter->problem, sentence)
             : filter->suite != NULL ? add_suite(cases, backend, filter, sentence)
                                     : add_drawn(cases, backend, filter, sentence)) == 0)
            return cases;
        verify_cases_free(cases);
        return NULL;
    }
    add_case(cases, VERIFY_KIND_RULES, 0, -1, "", "description");
    for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++) {
        const struct anydnn_plugin_operation *op = backend->operation[number];

        if (op == NULL || !is_wanted(filter, number))
            continue;
        add_case(cases, VERIFY_KIND_RULES, number, -1, "", "rules");
        verify_shapes_add(cases, op, filter);
        verify_mixes_add(cases, op, filter);
        verify_parameters_add(cases, backend, op, filter);
        add_vectors(cases, op, filter, vectors);
    }
    return cases;
}
