/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the ways in which a program may select an engine for a problem, as texts of the problem. */
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/find.h"
#include "tools/problem/words.h"

/* Returns the problem with an algorithm and, unless `math` is NULL, a math mode. */
static char *with(const char *text, const char *algorithm, const char *math)
{
    struct words words;
    char *made = NULL;

    if (words_read(&words, text) == 0) {
        words_set(&words, "algo", algorithm);
        if (math)
            words_set(&words, "math", math);
        made = words_print(&words);
    }
    words_free(&words);
    return made;
}

int exact_choices(struct exact *exact, const struct held *held, char *choice[CHOICES])
{
    struct find_choice found[FIND_CHOICES];
    const char *const *name = find_names(held->text);
    int count = 0, answers = 0;

    choice[count++] = strdup(held->text);
    for (; exact->ways & BY_ALGORITHM && name && *name && count < CHOICES; name++)
        choice[count++] = with(held->text, *name, NULL);
    if (exact->ways & BY_FIND)
        answers = find_algorithms(exact->handle[TESTED], held->work.problem, held->text, found,
                                  FIND_CHOICES);
    for (int i = 0; i < answers && count < CHOICES; i++)
        choice[count++] = with(held->text, found[i].algorithm, found[i].math);
    return count;
}
