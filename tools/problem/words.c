/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the text form of a problem into words and joins them again. */
#include "tools/problem/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common.h"

#define BLANKS " \t\r\n"

static char *copy(const char *text, size_t length)
{
    char *own = tool_alloc(length + 1);

    memcpy(own, text, length);
    own[length] = '\0';
    return own;
}

int words_read(struct words *words, const char *text)
{
    size_t length;

    memset(words, 0, sizeof(*words));
    text += strspn(text, BLANKS);
    length = strcspn(text, BLANKS);
    words->operation = copy(text, length);
    for (text += length; *(text += strspn(text, BLANKS)) != '\0'; text += length) {
        const char *equals;
        size_t key;

        if (words->count == WORDS_MAX)
            return -1;
        length = strcspn(text, BLANKS);
        equals = memchr(text, '=', length);
        key = equals != NULL ? (size_t)(equals - text) : length;
        words->word[words->count].key = copy(text, key);
        words->word[words->count].value =
            equals != NULL ? copy(equals + 1, length - key - 1) : NULL;
        words->count++;
    }
    return 0;
}

void words_free(struct words *words)
{
    for (int i = 0; i < words->count; i++) {
        free(words->word[i].key);
        free(words->word[i].value);
    }
    free(words->operation);
    memset(words, 0, sizeof(*words));
}

char *words_print(const struct words *words)
{
    size_t size = strlen(words->operation) + 1;
    size_t length;
    char *text;

    for (int i = 0; i < words->count; i++)
        size += strlen(words->word[i].key) + 2 +
                (words->word[i].value != NULL ? strlen(words->word[i].value) : 0);
    text = tool_alloc(size);
    length = (size_t)snprintf(text, size, "%s", words->operation);
    for (int i = 0; i < words->count; i++) {
        const char *value = words->word[i].value;

        length += (size_t)snprintf(text + length, size - length, " %s%s%s", words->word[i].key,
                                   value != NULL ? "=" : "", value != NULL ? value : "");
    }
    return text;
}

static int find(const struct words *words, const char *key)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->word[i].key, key) == 0)
            return i;
    return -1;
}

const char *words_get(const struct words *words, const char *key)
{
    int at = find(words, key);

    return at >= 0 ? words->word[at].value : NULL;
}

static void take_away(struct words *words, int at)
{
    free(words->word[at].key);
    free(words->word[at].value);
    words->count--;
    memmove(&words->word[at], &words->word[at + 1],
            (size_t)(words->count - at) * sizeof(words->word[0]));
}

void words_set(struct words *words, const char *key, const char *value)
{
    int at = find(words, key);
    char *own;

    if (value == NULL) {
        if (at >= 0)
            take_away(words, at);
        return;
    }
    own = copy(value, strlen(value));
    if (at < 0 && words->count == WORDS_MAX) {
        fprintf(stderr, "anydnn: a problem has more than %d words\n", WORDS_MAX);
        exit(TOOL_USAGE);
    }
    if (at < 0) {
        at = words->count++;
        words->word[at].key = copy(key, strlen(key));
        words->word[at].value = NULL;
    }
    free(words->word[at].value);
    words->word[at].value = own;
}

/* ---- operands */

int word_is_operand(const struct word *word)
{
    /* alias=y:x also has a colon, but no digit after it. */
    const char *colon = word->value != NULL ? strchr(word->value, ':') : NULL;

    return colon != NULL && colon[1] >= '0' && colon[1] <= '9' &&
           memchr(word->value, ',', (size_t)(colon - word->value)) == NULL;
}

char *operand_word(const char *value, const char *type, const char *layout, long long first)
{
    size_t type_length = strcspn(value, ":");
    const char *dims = value + type_length + (value[type_length] == ':');
    size_t dims_length = strcspn(dims, ":");
    const char *old = dims[dims_length] == ':' ? dims + dims_length + 1 : "";
    size_t first_length = strcspn(dims, ",:");
    size_t size = strlen(value) + 64 + (type != NULL ? strlen(type) : 0) +
                  (layout != NULL ? strlen(layout) : 0);
    char *text = tool_alloc(size);
    size_t length;

    length = (size_t)snprintf(text, size, "%.*s:", (int)(type != NULL ? strlen(type) : type_length),
                              type != NULL ? type : value);
    if (first > 0)
        length += (size_t)snprintf(text + length, size - length, "%lld%.*s", first,
                                   (int)(dims_length - first_length), dims + first_length);
    else
        length += (size_t)snprintf(text + length, size - length, "%.*s", (int)dims_length, dims);
    if (layout != NULL || old[0] != '\0')
        snprintf(text + length, size - length, ":%s", layout != NULL ? layout : old);
    return text;
}

void operand_layout(const char *value, char layout[OPERAND_LAYOUT_MAX])
{
    const char *dims = value != NULL ? strchr(value, ':') : NULL;
    const char *found = dims != NULL ? strchr(dims + 1, ':') : NULL;

    snprintf(layout, OPERAND_LAYOUT_MAX, "%s", found != NULL ? found + 1 : "nchw");
}

int operand_dims(const char *value)
{
    const char *dims = strchr(value, ':');
    int count = 1;

    if (dims == NULL)
        return 0;
    for (dims++; *dims != '\0' && *dims != ':'; dims++)
        count += *dims == ',';
    return count;
}
