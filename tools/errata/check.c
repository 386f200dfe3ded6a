/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the problems that show errata. `anydnn verify` judges the engines, each in a process that
 * may crash. */
#include "tools/errata/errata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/verify/verify.h"

#define CASE_LIMIT 120

/* Derives the result from verify's answer, with a sentence. A failure outside of a case, such as
 * that of a backend that cannot be loaded, shows nothing about the problem. */
static const char *result_of(const json_t *answer, const char **sentence)
{
    const json_t *failure = json_array_get(json_object_get(answer, "failures"), 0);
    const json_t *row = json_array_get(json_object_get(answer, "table"), 0);
    const json_t *reason = json_array_get(json_object_get(row, "reasons"), 0);

    *sentence = "";
    if (failure != NULL) {
        *sentence = tool_text_of(failure, "sentence");
        return tool_text_of(failure, "problem")[0] != '\0' ? "confirmed" : "does not apply";
    }
    if (tool_number_of(answer, "passed") > 0)
        return "not reproduced";
    *sentence = reason != NULL ? tool_text_of(reason, "sentence") : tool_text_of(answer, "usage");
    return "does not apply";
}

/* Returns 1 for a verdict that a comparison of results can confirm. */
static int is_judged(const char *verdict)
{
    return strcmp(verdict, "slow") != 0 && strcmp(verdict, "finer") != 0 &&
           strcmp(verdict, "none") != 0 && strcmp(verdict, "batch_variant") != 0;
}

static int check_item(struct tool *tool, const struct errata_item *item, json_t *result)
{
    struct verify_options options = {
        .seed = 1, .processes = 1, .shard = 1, .shards = 1, .case_limit = CASE_LIMIT};
    char *problem = errata_value(item, "problem"), *verdict = errata_value(item, "verdict");
    json_t *answer = json_object();
    const char *word = "does not apply", *sentence = "it states no problem";
    int code = TOOL_FINE;

    options.name = item->backend;
    options.path = verify_installed(item->backend);
    options.oracle = verify_installed("cpu_ref");
    options.problem = problem;
    options.erratum = item->id;
    options.settings = verify_settings_read();
    if (!is_judged(verdict))
        sentence = "results do not show this verdict";
    else if (problem[0] != '\0' && options.path != NULL) {
        code = verify_gather(tool, &options, answer);
        if (code == TOOL_FINE)
            word = result_of(answer, &sentence);
    }
    json_object_set_new(result, "id", tool_json_text(item->id));
    json_object_set_new(result, "result", tool_json_text(word));
    json_object_set_new(result, "sentence", tool_json_text(sentence));
    if (!tool->json && code == TOOL_FINE)
        printf("%-32s %s%s%s\n", item->id, word, sentence[0] != '\0' ? ": " : "", sentence);
    verify_settings_free(options.settings);
    free(options.path);
    free(options.oracle);
    free(problem);
    free(verdict);
    json_decref(answer);
    return code;
}

int errata_check(struct tool *tool, const struct errata_items *items, const char *id,
                 json_t *answer)
{
    json_t *results = json_array();
    int code = TOOL_FINE;

    json_object_set_new(answer, "results", results);
    for (int i = 0; i < items->count && code == TOOL_FINE; i++) {
        json_t *result;

        if (id != NULL ? strcmp(items->item[i].id, id) != 0 : !items->item[i].in_force)
            continue;
        result = json_object();
        code = check_item(tool, &items->item[i], result);
        json_array_append_new(results, result);
    }
    if (code == TOOL_FINE && id != NULL && json_array_size(results) == 0)
        return tool_fail(tool, TOOL_USAGE, "%s: there is no erratum of this id", id);
    return code;
}
