/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a problem as an operation and its KEY=VALUE words, which can be changed one by
 * one. */
#ifndef TOOLS_PROBLEM_WORDS_H
#define TOOLS_PROBLEM_WORDS_H

#include <stddef.h>

#define WORDS_MAX 64

struct word {
    char *key;
    char *value;
};

struct words {
    char *operation;
    int count;
    struct word word[WORDS_MAX];
};

/* Splits the text. A word that is not KEY=VALUE gets the value NULL and stays, so that the parser
 * reports it. Returns -1 if there are more than WORDS_MAX words. */
int words_read(struct words *words, const char *text);
void words_free(struct words *words);
/* Returns the text. The caller frees it. */
char *words_print(const struct words *words);

const char *words_get(const struct words *words, const char *key); /* NULL if absent */
/* Changes the word, or appends it. `value` NULL removes it. */
void words_set(struct words *words, const char *key, const char *value);

/* Return an operand's word TYPE:DIMS[:LAYOUT] with another type, layout or first dim. NULL, NULL
 * and 0 keep the old ones. The caller frees the word. */
char *operand_word(const char *value, const char *type, const char *layout, long long first);
/* Copies the layout after an operand's dims, or "nchw", to `layout`. Accepts NULL. */
#define OPERAND_LAYOUT_MAX 64
void operand_layout(const char *value, char layout[OPERAND_LAYOUT_MAX]);
/* Returns the number of dims of an operand's word. */
int operand_dims(const char *value);
/* Returns 1 if the word describes an operand: a colon precedes the first comma, blank or end. */
int word_is_operand(const struct word *word);

#endif
