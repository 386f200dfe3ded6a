/* SPDX-License-Identifier: Apache-2.0 */
/* Queries a contender for a problem, and runs the problem on it. */
#include "tools/problem/contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/find.h"
#include "tools/problem/words.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* Returns 1 if the operation has a math type. All others use `default`. */
static int has_math(const char *text)
{
    static const char *const operations[] = {"convolution_forward ", "convolution_backward_data ",
                                             "convolution_backward_filter ",
                                             "convolution_bias_activation_forward ", "matmul "};

    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (strncmp(text, operations[i], strlen(operations[i])) == 0)
            return 1;
    return 0;
}

static int contender_has(const struct contender *contender, const char *backend)
{
    char name[64];

    for (const char *list = contender->backend; list != NULL;) {
        list = contender_backend(list, name, sizeof(name));
        if (strcmp(name, backend) == 0)
            return 1;
    }
    return 0;
}

static void decline(struct entrant *entrant, const char *sentence)
{
    free(entrant->declined);
    entrant->declined = strcpy(tool_alloc(strlen(sentence) + 1), sentence);
}

/* Stores the backend's part of the library's message: the text after "BACKEND: ", without the
 * problem, which the program prints itself. */
static void decline_as_said(const struct contender *contender, struct entrant *entrant)
{
    char sentence[4096];
    char lead[160];
    char *own;
    char *end;

    anydnnGetLastErrorString(sentence, sizeof(sentence));
    snprintf(lead, sizeof(lead), "%s: ", contender->backend);
    own = strstr(sentence, lead);
    own = own != NULL ? own + strlen(lead) : sentence;
    end = strstr(own, ". Problem: ");
    if (end != NULL)
        *end = '\0';
    decline(entrant, own);
}

static int parse(struct tool *tool, const char *text, struct entrant *entrant)
{
    anydnnProblemDestroy(entrant->problem);
    entrant->problem = NULL;
    free(entrant->text);
    entrant->text = NULL;
    return tool_parse(tool, text, &entrant->problem, &entrant->text);
}

/* Parses the problem with `key` changed. */
static int parse_with(struct tool *tool, const char *text, const char *key, const char *value,
                      struct entrant *entrant)
{
    struct words words;
    char *changed;
    int code;

    if (words_read(&words, text) == 0)
        words_set(&words, key, value);
    changed = words_print(&words);
    words_free(&words);
    code = parse(tool, changed, entrant);
    free(changed);
    return code;
}

/* Sets the algorithm. `algorithm` NULL: the problem names none. */
static int name_algorithm(struct tool *tool, const char *algorithm, struct entrant *entrant)
{
    char *text = strcpy(tool_alloc(strlen(entrant->text) + 1), entrant->text);
    int code = parse_with(tool, text, "algo", algorithm, entrant);

    free(text);
    return code;
}

/* Removes a transform that the problem names, since naming one permits it. */
static int forget_transform(struct tool *tool, struct entrant *entrant)
{
    const char *algorithm = strstr(entrant->text, " algo=");

    if (algorithm == NULL || !find_is_transform(algorithm + strlen(" algo=")))
        return TOOL_FINE;
    return name_algorithm(tool, NULL, entrant);
}

/* Selects the fastest permitted algorithm. If there is none, the problem stays unchanged. */
static int take_algorithm(struct tool *tool, struct contender *contender, struct entrant *entrant)
{
    struct find_choice choice[FIND_CHOICES];
    int count = find_algorithms(contender->handle, entrant->problem, entrant->text, choice,
                                contender->plain ? FIND_CHOICES : 1);
    int at = 0;

    while (contender->plain && at < count && find_is_transform(choice[at].algorithm))
        at++;
    return at < count ? name_algorithm(tool, choice[at].algorithm, entrant) : TOOL_FINE;
}

int entrant_make(struct tool *tool, struct contender *contender, const char *text,
                 struct entrant *entrant)
{
    anydnnStatus_t status;
    int code;

    memset(entrant, 0, sizeof(*entrant));
    code = parse_with(tool, text, "math", has_math(text) ? contender->math : NULL, entrant);
    if (code == TOOL_FINE && contender->plain)
        code = forget_transform(tool, entrant);
    if (code == TOOL_FINE && contender->find)
        code = take_algorithm(tool, contender, entrant);
    if (code != TOOL_FINE)
        return code;
    status =
        anydnnProblemGetWorkspaceSize(contender->handle, entrant->problem, &entrant->workspace);
    if (status == ANYDNN_STATUS_NOT_SUPPORTED) {
        decline_as_said(contender, entrant);
        return TOOL_FINE;
    }
    return status == SUCCESS ? TOOL_FINE : tool_fail_status(tool, TOOL_FAILED);
}

int entrant_workspace(struct tool *tool, struct contender *contender, struct entrant *entrant)
{
    anydnnStatus_t status = SUCCESS;

    if (entrant->declined == NULL && entrant->workspace > 0)
        status = anydnnMemAlloc(contender->handle, entrant->workspace, &entrant->memory);
    if (status == ANYDNN_STATUS_ALLOC_FAILED) {
        char sentence[128];

        snprintf(sentence, sizeof(sentence),
                 "out of memory: cannot allocate %zu bytes of workspace", entrant->workspace);
        decline(entrant, sentence);
        return TOOL_FINE;
    }
    return status == SUCCESS ? TOOL_FINE : tool_fail_status(tool, TOOL_FAILED);
}

anydnnStatus_t entrant_call(const struct contender *contender, const struct entrant *entrant,
                            void *const pointers[])
{
    return anydnnProblemExecute(contender->handle, entrant->problem, pointers, entrant->memory,
                                entrant->workspace);
}

/* Checks the record for forbidden properties and stores the first in `declined`. */
static void check_how(struct contender *contender, struct entrant *entrant)
{
    static const struct {
        const char *key;
        int64_t bits;
        int plain; /* applies to plain contenders only */
        const char *sentence;
    } unwanted[] = {
        {"notes", 2, 1, "it runs this as a transform, which is excluded"},
        {"staged", 1, 0, "it ran in another memory space, with copied operands"},
        {"workspace_short", 1, 0, "its plan needs more workspace than it got, so another plan ran"},
        {"unaligned", 1, 0, "it ran with a plan for less aligned operands"},
    };

    for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]) && entrant->declined == NULL;
         i++) {
        int64_t said = 0;

        if (contender->plain >= unwanted[i].plain &&
            anydnnGetDispatchInfoInt(contender->handle, unwanted[i].key, &said) == SUCCESS &&
            (said & unwanted[i].bits) != 0)
            decline(entrant, unwanted[i].sentence);
    }
}

void entrant_check(struct contender *contender, struct entrant *entrant, int lesser_math)
{
    char *backend = tool_ask_handle(contender->handle, "backend");
    char *math = tool_ask_handle(contender->handle, "math");
    char sentence[256];

    if (backend == NULL || !contender_has(contender, backend)) {
        snprintf(sentence, sizeof(sentence), "%s ran instead",
                 backend != NULL ? backend : "nobody");
        decline(entrant, sentence);
    } else if (!lesser_math && has_math(entrant->text) &&
               (math == NULL || strcmp(math, contender->math) != 0)) {
        snprintf(sentence, sizeof(sentence), "it runs this only in %s math",
                 math != NULL ? math : "unknown");
        decline(entrant, sentence);
    }
    check_how(contender, entrant);
    free(backend);
    free(math);
}

void entrant_free(struct contender *contender, struct entrant *entrant)
{
    if (entrant->memory != NULL)
        anydnnMemFree(contender->handle, entrant->memory);
    anydnnProblemDestroy(entrant->problem);
    free(entrant->text);
    free(entrant->declined);
    memset(entrant, 0, sizeof(*entrant));
}
