/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts the types of a run into the text of a problem. */
#include "tools/verify/cases/vec_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_ENDS " \t\n"

struct text {
    char *at;
    size_t used;
    size_t capacity;
};

static void append(struct text *text, const char *from, size_t length)
{
    if (text->at && text->used + length < text->capacity) {
        memcpy(text->at + text->used, from, length);
        text->used += length;
        text->at[text->used] = '\0';
    }
}

/* Returns the position after ROLE in a list, or NULL if the list lacks it. */
static const char *listed(const char *list, const char *ends, const char *role, size_t length)
{
    for (const char *at = list; at && *at; at += strcspn(at, ends)) {
        at += strspn(at, ends);
        if (strncmp(at, role, length) == 0 && (at[length] == '\0' || strchr("= ,", at[length])))
            return at + length;
    }
    return NULL;
}

/* Returns the type that an operand of f64 gets, and its length. */
static const char *type_of(const char *word, const char *wide, const char *role, size_t length,
                           size_t *type_length)
{
    const char *type = word;

    if (strchr(word, '=')) {
        type = listed(word, ",", role, length);
        type = type && *type == '='                    ? type + 1
               : listed(wide, WORD_ENDS, role, length) ? "f32"
                                                       : "f64";
    } else if (strstr(word, "16") && listed(wide, WORD_ENDS, role, length)) {
        type = "f32";
    }
    *type_length = strcspn(type, ",");
    return type;
}

/* Appends ROLE=f64:DIMS:LAYOUT with another type. */
static void append_operand(struct text *text, const char *operand, size_t length, const char *word,
                           const char *wide)
{
    size_t role = strcspn(operand, "=");
    size_t type_length;
    const char *type = type_of(word, wide, operand, role, &type_length);
    const char *rest = operand + role + strlen("=f64");
    size_t rest_length = length - role - strlen("=f64");

    append(text, operand, role + 1);
    append(text, type, type_length);
    append(text, rest, rest_length);
    if (memchr(type, 'x', type_length) && rest_length > 5 &&
        strncmp(rest + rest_length - 5, ":nchw", 5) == 0)
        append(text, "_vect_c", strlen("_vect_c"));
}

char *vec_as_type(const char *problem, const char *word, const char *wide)
{
    struct text text = {.capacity =
                            4 * strlen(problem) + 1}; /* each word grows by less than this */

    text.at = malloc(text.capacity);
    for (const char *at = problem; *at; at += *at != '\0') {
        size_t length = strcspn(at, " ");

        if (strncmp(at + strcspn(at, "= "), "=f64:", 5) == 0)
            append_operand(&text, at, length, word, wide);
        else
            append(&text, at, length);
        at += length;
        append(&text, at, *at != '\0');
    }
    return text.at;
}
