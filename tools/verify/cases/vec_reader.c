/* SPDX-License-Identifier: Apache-2.0 */
/* Parses vector files: lines of words, one block per case. */
#include "tools/verify/cases/vec_reader.h"

#include <float.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/files.h"

#define LINE_MAX_BYTES (64 * 1024 * 1024)

static int fail(struct vec_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(struct vec_reader *reader, const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    snprintf(reader->error, sizeof(reader->error), "%s:%d: %s", reader->path, reader->line, what);
    return -1;
}

static void list_clear(struct vec_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->at[i].value);
    list->count = 0;
}

void vec_case_clear(struct vec_case *vec)
{
    free(vec->name);
    free(vec->problem);
    free(vec->types);
    free(vec->wide);
    list_clear(&vec->in);
    list_clear(&vec->prior);
    list_clear(&vec->sum);
    list_clear(&vec->rounds);
    list_clear(&vec->out);
    list_clear(&vec->kred);
    memset(vec, 0, sizeof(*vec));
}

const struct vec_values *vec_lookup(const struct vec_list *list, const char *role)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->at[i].role, role) == 0)
            return &list->at[i];
    return NULL;
}

int vec_open(struct vec_reader *reader, const char *path)
{
    char why[TOOL_WHY_MAX];

    memset(reader, 0, sizeof(*reader));
    snprintf(reader->path, sizeof(reader->path), "%s", path);
    reader->file = tool_open_read(path, why);
    return reader->file ? 0 : fail(reader, "%s", why);
}

void vec_close(struct vec_reader *reader)
{
    if (reader->file)
        fclose(reader->file);
    free(reader->text);
    reader->file = NULL;
    reader->text = NULL;
}

/* Parses NUMBER or `lowest`, optionally followed by `*COUNT`. */
static int read_number(struct vec_reader *reader, char *word, double *value, size_t *count)
{
    char *end = word;
    unsigned long long many = 1;

    if (strncmp(word, "lowest", 6) == 0) {
        *value = -DBL_MAX;
        end += 6;
    } else {
        *value = strtod(word, &end);
    }
    if (end != word && *end == '*' && end[1] >= '1' && end[1] <= '9')
        many = strtoull(end + 1, &end, 10);
    if (end == word || *end || many > VEC_VALUES)
        return fail(reader, "'%.40s' is not a number", word);
    *count = (size_t)many;
    return 0;
}

/* Parses the numbers in the rest of a line. */
static int read_numbers(struct vec_reader *reader, struct vec_values *values, char *text)
{
    size_t capacity = 0;

    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        size_t count = 0;
        double value = 0;

        if (read_number(reader, word, &value, &count))
            return -1;
        if (values->count + count > capacity) {
            double *grown;

            capacity = capacity * 2 + count + 64;
            grown = realloc(values->value, capacity * sizeof(double));
            if (!grown)
                return fail(reader, "out of memory");
            values->value = grown;
        }
        while (count-- > 0)
            values->value[values->count++] = value;
    }
    return values->count ? 0 : fail(reader, "no values");
}

static int read_values(struct vec_reader *reader, struct vec_list *list, char *text)
{
    struct vec_values *values = &list->at[list->count];
    size_t length = strcspn(text, " ");

    if (list->count == VEC_ROLES || length == 0 || length >= VEC_ROLE_BYTES)
        return fail(reader, "a role of at most %d characters, and at most %d of them, expected",
                    VEC_ROLE_BYTES - 1, VEC_ROLES);
    memset(values, 0, sizeof(*values));
    memcpy(values->role, text, length);
    list->count++;
    return read_numbers(reader, values, text + length);
}

static int keep_text(struct vec_reader *reader, char **slot, const char *text)
{
    if (*slot)
        return fail(reader, "given twice in one case");
    *slot = strdup(text);
    return *slot ? 0 : fail(reader, "out of memory");
}

/* Checks that each word of the line is a type, or a list of ROLE=TYPE. */
static int check_types(struct vec_reader *reader, const char *words)
{
    while (*words != '\0') {
        size_t word = strcspn(words, " ");
        int list = memchr(words, '=', word) != NULL || memchr(words, ',', word) != NULL;

        for (size_t at = 0; list && at <= word;) {
            size_t item = strcspn(words + at, ", ");
            size_t role = strcspn(words + at, "=, ");

            if (role == 0 || role + 1 >= item)
                return fail(reader, "'%.*s' is neither a type nor a list ROLE=TYPE,ROLE=TYPE",
                            word < 40 ? (int)word : 40, words);
            at += item + 1;
        }
        words += word;
        words += strspn(words, " ");
    }
    return 0;
}

static int read_line(struct vec_reader *reader, struct vec_case *vec, const char *word, char *rest)
{
    const struct {
        const char *word;
        struct vec_list *list;
    } lists[] = {{"in", &vec->in},         {"prior", &vec->prior}, {"sum", &vec->sum},
                 {"rounds", &vec->rounds}, {"out", &vec->out},     {"kred", &vec->kred}};

    if (strcmp(word, "case") == 0)
        return keep_text(reader, &vec->name, rest);
    if (strcmp(word, "problem") == 0)
        return keep_text(reader, &vec->problem, rest);
    if (strcmp(word, "types") == 0)
        return check_types(reader, rest) != 0 ? -1 : keep_text(reader, &vec->types, rest);
    if (strcmp(word, "wide") == 0)
        return keep_text(reader, &vec->wide, rest);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strcmp(word, lists[i].word) == 0)
            return read_values(reader, lists[i].list, rest);
    return fail(reader, "unknown word '%.40s'", word);
}

int vec_next(struct vec_reader *reader, struct vec_case *vec)
{
    ssize_t length;
    int begun = 0;

    memset(vec, 0, sizeof(*vec));
    while ((length = tool_read_line(reader->file, &reader->text, &reader->capacity,
                                    LINE_MAX_BYTES)) >= 0) {
        char *text = reader->text;
        char *rest = text + strcspn(text, " \n");

        reader->line++;
        if (*text == '#' || *text == '\0')
            continue;
        if (*rest)
            *rest++ = '\0';
        if (strcmp(text, "end") == 0) {
            if (vec->name && vec->problem && vec->out.count)
                return 1;
            fail(reader, "a case without case, problem or out line");
            goto out;
        }
        begun = 1;
        if (read_line(reader, vec, text, rest))
            goto out;
    }
    if (length == -2) {
        fail(reader, "the next line has more than %d bytes", LINE_MAX_BYTES);
        goto out;
    }
    if (!begun)
        return 0;
    fail(reader, "the last case has no end line");
out:
    vec_case_clear(vec);
    return -1;
}
