/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the golden vectors of a folder, and makes a subject of every case in every type that it
 * serves. */
#include "tools/verify/cases/vectors.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "judge/subject.h"
#include "numerics/numerics.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"
#include "tools/verify/cases/vec_types.h"

/* ---- reading */

static int add_vector(struct verify_vectors *vectors, const struct vec_reader *reader,
                      const struct verify_vec *from, const char *word)
{
    struct verify_vector *vector = tool_alloc(sizeof(*vector));
    char *text = vec_as_type(from->vec.problem, word, from->vec.wide);
    size_t size = strlen(from->vec.name) + strlen(word) + 2;
    int fine;

    memset(vector, 0, sizeof(*vector));
    vector->from = from;
    vector->name = tool_alloc(size);
    snprintf(vector->name, size, "%s %s", from->vec.name, word);
    if (vectors->last != NULL)
        vectors->last->next = vector;
    else
        vectors->first = vector;
    vectors->last = vector;
    vectors->count++;
    fine = text != NULL &&
           adn_problem_parse(text, &vector->problem, &vector->values) == ANYDNN_STATUS_SUCCESS;
    if (!fine)
        snprintf(vectors->sentence, sizeof(vectors->sentence),
                 "%.300s:%d: %.200s as %.100s: %.400s", reader->path, reader->line, from->vec.name,
                 word, adn_error_text());
    free(text);
    return fine ? 0 : -1;
}

static int add_types(struct verify_vectors *vectors, const struct vec_reader *reader,
                     const struct verify_vec *from)
{
    char *types = strdup(from->vec.types != NULL ? from->vec.types : VEC_TYPES_DEFAULT);
    char *rest = NULL;
    int result = types != NULL ? 0 : -1;

    for (char *word = result == 0 ? strtok_r(types, " ", &rest) : NULL; word != NULL && result == 0;
         word = strtok_r(NULL, " ", &rest))
        result = add_vector(vectors, reader, from, word);
    free(types);
    return result;
}

static int read_file(struct verify_vectors *vectors, const char *path)
{
    struct vec_reader reader;
    struct vec_case vec;
    int more = vec_open(&reader, path) == 0 ? 1 : -1;

    while (more > 0 && (more = vec_next(&reader, &vec)) > 0) {
        struct verify_vec *read = tool_alloc(sizeof(*read));

        read->vec = vec;
        read->next = vectors->read;
        vectors->read = read;
        if (add_types(vectors, &reader, read) != 0)
            more = -1;
    }
    if (more < 0 && vectors->sentence[0] == '\0')
        snprintf(vectors->sentence, sizeof(vectors->sentence), "%.1000s", reader.error);
    vec_close(&reader);
    return more;
}

static int is_vectors(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".vec") == 0;
}

int verify_vectors_read(struct verify_vectors *vectors, const char *folder)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_vectors, alphasort);
    int result = 0;

    memset(vectors, 0, sizeof(*vectors));
    if (count < 0) {
        snprintf(vectors->sentence, sizeof(vectors->sentence), "%.600s: %s", folder,
                 strerror(errno));
        return -1;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];

        snprintf(path, sizeof(path), "%.3000s/%s", folder, entry[i]->d_name);
        if (result == 0)
            result = read_file(vectors, path);
        free(entry[i]);
    }
    free(entry);
    return result;
}

void verify_vectors_free(struct verify_vectors *vectors)
{
    while (vectors->first != NULL) {
        struct verify_vector *next = vectors->first->next;

        free(vectors->first->name);
        free(vectors->first);
        vectors->first = next;
    }
    while (vectors->read != NULL) {
        struct verify_vec *next = vectors->read->next;

        vec_case_clear(&vectors->read->vec);
        free(vectors->read);
        vectors->read = next;
    }
    vectors->last = NULL;
}

/* ---- subjects */

/* Returns the values of a role, or NULL if the list lacks it. The type's lowest number is
 * represented by that of double. */
static double *copy_values(const struct vec_list *list, const char *role,
                           const struct adn_subject_slot *slot, int32_t type, int *fits)
{
    const struct vec_values *from = vec_lookup(list, role);
    double *to;

    if (from == NULL)
        return NULL;
    if ((int64_t)from->count != slot->count) {
        *fits = 0;
        return NULL;
    }
    to = tool_alloc(from->count * sizeof(double));
    for (size_t i = 0; i < from->count; i++)
        to[i] = from->value[i] == -DBL_MAX ? adn_type_lowest(type) : from->value[i];
    return to;
}

/* Raises the bound for inputs that were rounded to the type: by 2^-p R, converted to the scale of
 * S. */
static void add_rounds(const struct vec_list *list, const char *role, double terms, int32_t type,
                       struct adn_subject_slot *slot)
{
    const struct vec_values *rounds = vec_lookup(list, role);
    double unit = ldexp(1, -adn_type_digits(type));
    double share = (8 + 0.5 * sqrt(terms)) *
                   (type == ANYDNN_PLUGIN_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON);

    for (int64_t i = 0; rounds != NULL && slot->sum != NULL && i < slot->count; i++)
        slot->sum[i] += unit * rounds->value[i] / share;
}

static int take_slot(const struct vec_case *vec, struct adn_subject *subject, int slot)
{
    struct adn_subject_slot *at = &subject->slot[slot];
    const char *role = subject->info->slot[slot].role;
    int32_t type = subject->problem.tensor[slot].type;
    int fits = 1;

    at->count = adn_shape_elements(&subject->problem.tensor[slot]);
    at->before = copy_values(&vec->in, role, at, type, &fits);
    if (at->before == NULL)
        at->before = copy_values(&vec->prior, role, at, type, &fits);
    at->want = copy_values(&vec->out, role, at, type, &fits);
    at->compared = at->want != NULL;
    if (adn_type_digits(type) > 0)
        at->sum = copy_values(&vec->sum, role, at, type, &fits);
    add_rounds(&vec->rounds, role, subject->terms, type, at);
    return fits ? 0 : -1;
}

int verify_vector_subject(const struct verify_vector *vector, struct adn_subject *subject,
                          char *sentence)
{
    const struct vec_case *vec = &vector->from->vec;

    memset(subject, 0, sizeof(*subject));
    adn_problem_copy(&subject->problem, &vector->problem);
    subject->values = vector->values;
    subject->info = adn_problem_operation(vector->problem.operation);
    oracle_from(subject, ORACLE_REALS);
    subject->terms = 1;
    for (int i = 0; i < vec->kred.count; i++)
        subject->terms = fmax(subject->terms, vec->kred.at[i].value[0]);
    for (int i = 0; i < subject->info->slot_count; i++)
        if (adn_subject_has(subject, i) && take_slot(vec, subject, i) != 0) {
            snprintf(sentence, ADN_JUDGE_SENTENCE,
                     "the number of values of the vector's %s is not the number of the operand's "
                     "elements",
                     subject->info->slot[i].role);
            return -1;
        }
    return 0;
}
