/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a problem as an operation and its KEY=VALUE words, to be changed word by word.
 */
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

/* What is no KEY=VALUE word is kept with value NULL, so that parsing the text complains of it.
 * Returns -1 when there are more than WORDS_MAX words. */
int words_read(struct words *words, const char *text);
void words_free(struct words *words);
/* Text to be freed. */
char *words_print(const struct words *words);

const char *words_get(const struct words *words, const char *key); /* NULL when it is not there */
/* Changes the word, or adds it behind the others; `value` NULL takes it away. */
void words_set(struct words *words, const char *key, const char *value);

/* An operand's word is TYPE:DIMS[:LAYOUT]; these write one with another type, layout or first dim
 * (NULL, NULL, 0: as it is), to be freed. */
char *operand_word(const char *value, const char *type, const char *layout, long long first);
/* What stands behind an operand's dims, or "nchw", into `layout`; also for NULL. */
#define OPERAND_LAYOUT_MAX 64
void operand_layout(const char *value, char layout[OPERAND_LAYOUT_MAX]);
/* The number of dims of an operand's word. */
int operand_dims(const char *value);
/* Whether the word describes an operand: a colon stands before the first comma, blank or end. */
int word_is_operand(const struct word *word);

#endif
