/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the golden vectors. */
#include "vectors.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "numerics/numerics.h"
#include "sys/error.h"

struct reader {
    struct verify_vectors *vectors;
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    int number;
    int wide_only; /* the case's numbers are not floats */
};

static int refuse(struct reader *reader, const char *why)
{
    snprintf(reader->vectors->sentence, sizeof(reader->vectors->sentence), "%.400s:%d: %.500s",
             reader->path, reader->number, why);
    return -1;
}

/* The type's lowest finite number is kept as that of double. */
static int read_number(char **at, double *value)
{
    char *end;

    *at += strspn(*at, " ");
    if (strncmp(*at, "lowest", 6) == 0) {
        *value = -DBL_MAX;
        *at += 6;
        return 1;
    }
    *value = strtod(*at, &end);
    if (end == *at)
        return 0;
    *at = end;
    return 1;
}

static int read_values(struct reader *reader, struct verify_vector *vector, int slot, char *at,
                       double **values)
{
    int64_t count = adn_shape_elements(&vector->problem.tensor[slot]);

    *values = tool_alloc((size_t)count * sizeof(double));
    for (int64_t i = 0; i < count; i++)
        if (!read_number(&at, &(*values)[i]))
            return refuse(reader, "there are fewer numbers than elements");
    return at[strspn(at, " \n")] == '\0' ? 0
                                         : refuse(reader, "there are more numbers than elements");
}

static int slot_of(const struct verify_vector *vector, const char *role, size_t length)
{
    const struct adn_operation *info = adn_problem_operation(vector->problem.operation);

    for (int i = 0; i < info->slot_count; i++)
        if (strlen(info->slot[i].role) == length && memcmp(info->slot[i].role, role, length) == 0 &&
            (vector->problem.present >> i & 1))
            return i;
    return -1;
}

/* KIND ROLE NUMBER... */
static int read_data(struct reader *reader, struct verify_vector *vector, const char *kind,
                     char *rest)
{
    size_t length = strcspn(rest, " \n");
    int slot = slot_of(vector, rest, length);
    char *at = rest + length;
    double terms;

    if (slot < 0)
        return refuse(reader, "the problem has no such operand");
    if (strcmp(kind, "kred") == 0) {
        if (!read_number(&at, &terms))
            return refuse(reader, "the number of terms is missing");
        vector->terms = terms > vector->terms ? terms : vector->terms;
        return 0;
    }
    if (strcmp(kind, "in") == 0 || strcmp(kind, "prior") == 0)
        return read_values(reader, vector, slot, at, &vector->before[slot]);
    if (strcmp(kind, "sum") == 0)
        return read_values(reader, vector, slot, at, &vector->sum[slot]);
    if (strcmp(kind, "out") == 0)
        return read_values(reader, vector, slot, at, &vector->want[slot]);
    return refuse(reader, "no line of this format begins so");
}

static struct verify_vector *add_vector(struct verify_vectors *vectors)
{
    struct verify_vector *vector = tool_alloc(sizeof(*vector));

    memset(vector, 0, sizeof(*vector));
    vector->terms = 1;
    if (vectors->last != NULL)
        vectors->last->next = vector;
    else
        vectors->first = vector;
    vectors->last = vector;
    vectors->count++;
    return vector;
}

static int read_problem(struct reader *reader, struct verify_vector *vector, char *text)
{
    text[strcspn(text, "\n")] = '\0';
    if (adn_problem_parse(text, &vector->problem, &vector->values) != ANYDNN_STATUS_SUCCESS)
        return refuse(reader, adn_error_text());
    return 0;
}

/* The same in float; the numbers are floats. */
static int add_float(struct reader *reader, const struct verify_vector *wide)
{
    struct verify_vector *narrow = add_vector(reader->vectors);
    const struct adn_operation *info = adn_problem_operation(wide->problem.operation);
    char text[ADN_PROBLEM_TEXT_MAX];

    narrow->shares = wide;
    narrow->name = strdup(wide->name);
    narrow->terms = wide->terms;
    adn_problem_print(&wide->problem, &wide->values, text, sizeof(text));
    for (char *at = text; (at = strstr(at, "=f64")) != NULL; at += 4)
        memcpy(at, "=f32", 4);
    if (adn_problem_parse(text, &narrow->problem, &narrow->values) != ANYDNN_STATUS_SUCCESS)
        return refuse(reader, adn_error_text());
    for (int i = 0; i < info->slot_count; i++) {
        narrow->before[i] = wide->before[i];
        narrow->want[i] = wide->want[i];
        narrow->sum[i] = wide->sum[i];
    }
    return 0;
}

static int read_line(struct reader *reader, struct verify_vector **vector)
{
    char *rest = reader->line + strcspn(reader->line, " \n");
    char kind[16];
    int length = (int)(rest - reader->line);

    snprintf(kind, sizeof(kind), "%.*s", length < 15 ? length : 15, reader->line);
    rest += *rest == ' ';
    if (kind[0] == '\0' || kind[0] == '#')
        return 0;
    if (strcmp(kind, "case") == 0) {
        *vector = add_vector(reader->vectors);
        rest[strcspn(rest, "\n")] = '\0';
        (*vector)->name = strdup(rest);
        reader->wide_only = 0;
        return 0;
    }
    if (*vector == NULL)
        return refuse(reader, "this line stands outside a case");
    if (strcmp(kind, "problem") == 0)
        return read_problem(reader, *vector, rest);
    if ((*vector)->problem.operation == 0)
        return refuse(reader, "the case has no problem yet");
    if (strcmp(kind, "only") == 0) {
        reader->wide_only = strncmp(rest, "f64", 3) == 0;
        return reader->wide_only ? 0 : refuse(reader, "`only` takes f64");
    }
    if (strcmp(kind, "end") == 0) {
        int result = reader->wide_only ? 0 : add_float(reader, *vector);

        *vector = NULL;
        return result;
    }
    return read_data(reader, *vector, kind, rest);
}

static int read_file(struct verify_vectors *vectors, const char *path)
{
    struct reader reader = {.vectors = vectors, .path = path, .file = fopen(path, "r")};
    struct verify_vector *vector = NULL;
    int result = 0;

    if (reader.file == NULL)
        return refuse(&reader, strerror(errno));
    while (result == 0 && getline(&reader.line, &reader.room, reader.file) >= 0) {
        reader.number++;
        result = read_line(&reader, &vector);
    }
    if (result == 0 && vector != NULL)
        result = refuse(&reader, "the last case has no end");
    free(reader.line);
    fclose(reader.file);
    return result;
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

        for (int i = 0; i < VERIFY_SLOTS && vectors->first->shares == NULL; i++) {
            free(vectors->first->before[i]);
            free(vectors->first->want[i]);
            free(vectors->first->sum[i]);
        }
        free(vectors->first->name);
        free(vectors->first);
        vectors->first = next;
    }
    vectors->last = NULL;
}

static double *copy_values(const double *from, int64_t count, int32_t type)
{
    double *to = tool_alloc((size_t)count * sizeof(double));

    for (int64_t i = 0; i < count; i++)
        to[i] = from[i] == -DBL_MAX ? adn_type_lowest(type) : from[i];
    return to;
}

void verify_vector_subject(const struct verify_vector *vector, struct verify_subject *subject)
{
    memset(subject, 0, sizeof(*subject));
    adn_problem_copy(&subject->problem, &vector->problem);
    subject->values = vector->values;
    subject->info = adn_problem_operation(vector->problem.operation);
    subject->data = VERIFY_REALS;
    subject->terms = vector->terms;
    for (int i = 0; i < subject->info->slot_count; i++) {
        struct verify_slot *slot = &subject->slot[i];
        int32_t type = vector->problem.tensor[i].type;
        const char *name = adn_type_name(type);

        if (!verify_is_present(subject, i))
            continue;
        slot->element = element_find(name, strlen(name));
        slot->count = adn_shape_elements(&vector->problem.tensor[i]);
        slot->compared = vector->want[i] != NULL;
        if (vector->before[i] != NULL)
            slot->before = copy_values(vector->before[i], slot->count, type);
        if (vector->want[i] != NULL)
            slot->want = copy_values(vector->want[i], slot->count, type);
        if (vector->sum[i] != NULL)
            slot->sum = copy_values(vector->sum[i], slot->count, type);
    }
}
