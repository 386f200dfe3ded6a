/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the answer as text: the table, reasons, failures with the commands that repeat them, and
 * what failures have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/terminal.h"
#include "tools/verify/tally.h"

/* ---- commands */

static char *join(const char *const *parts)
{
    size_t size = 1;
    char *text;

    for (int i = 0; parts[i] != NULL; i++)
        size += strlen(parts[i]);
    text = tool_alloc(size);
    text[0] = '\0';
    for (int i = 0; parts[i] != NULL; i++)
        strcat(text, parts[i]);
    return text;
}

char *verify_repeat_run(const struct verify_options *options, const char *problem, const char *edge)
{
    const char *slash = strrchr(options->path, '/');
    const char *const checked[] = {"anydnn", "run", "--check", "cpu_ref", problem, NULL};
    const char *const edged[] = {"anydnn", "run", "--edge", edge, problem, NULL};
    char *command = tool_shell_command(edge != NULL ? edged : checked);
    char folder[4096] = "";
    char *word, *text;

    if (options->by_path && slash != NULL)
        snprintf(folder, sizeof(folder), "%.*s", (int)(slash - options->path), options->path);
    word = tool_shell_word(folder);
    text = join((const char *const[]){
        folder[0] != '\0' ? "ANYDNN_PLUGIN_PATH=" : "", folder[0] != '\0' ? word : "",
        folder[0] != '\0' ? " ANYDNN_ROUTE=" : "ANYDNN_ROUTE=", options->name, " ", command, NULL});
    free(word);
    free(command);
    return text;
}

char *verify_repeat_verify(const struct verify_options *options, const char *problem)
{
    char processes[24], seed[24];
    const char *words[10] = {"anydnn", "verify", options->by_path ? options->path : options->name};
    int count = 3;

    if (options->processes > 1) {
        snprintf(processes, sizeof(processes), "%llu", options->processes);
        words[count++] = "--processes";
        words[count++] = processes;
    }
    snprintf(seed, sizeof(seed), "%llu", options->seed);
    words[count++] = "--seed";
    words[count++] = seed;
    words[count++] = "--problem";
    words[count++] = problem;
    words[count] = NULL;
    return tool_shell_command(words);
}

/* ---- table */

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static json_int_t unreached(const json_t *object)
{
    return number(object, "cases") - number(object, "passed") - number(object, "declined") -
           number(object, "failed") - number(object, "unjudged");
}

static void print_table(const json_t *table, int cut)
{
    printf("%-36s %-6s %-12s %7s %8s %7s%s\n", "operation", "type", "layout", "passed", "declined",
           "failed", cut ? " not reached" : "");
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        const char *operation = tool_text_of(row, "operation");
        const char *layout = tool_text_of(row, "layout");

        printf("%-36s %-6s %-12s %7lld %8lld %7lld", operation[0] != '\0' ? operation : "(backend)",
               tool_text_of(row, "type"), layout[0] != '\0' ? layout : "(rules)",
               (long long)(number(row, "passed") + number(row, "unjudged")),
               (long long)number(row, "declined"), (long long)number(row, "failed"));
        if (cut)
            printf(" %11lld", (long long)unreached(row));
        if (number(row, "unjudged") > 0)
            printf("  (%lld without a known answer)", (long long)number(row, "unjudged"));
        printf("\n");
    }
}

static void print_reasons(const json_t *table)
{
    int any = 0;

    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        const json_t *reasons = json_object_get(row, "reasons");

        for (size_t k = 0; k < json_array_size(reasons); k++) {
            const json_t *reason = json_array_get(reasons, k);
            const char *word = tool_text_of(reason, "reason");

            if (!any++)
                printf("\nDeclined or not judged:\n");
            printf("  %s %s %s: %lld: %s%s%s\n", tool_text_of(row, "operation"),
                   tool_text_of(row, "type"), tool_text_of(row, "layout"),
                   (long long)number(reason, "cases"), word, word[0] != '\0' ? ": " : "",
                   tool_text_of(reason, "sentence"));
        }
    }
}

static void print_failures(const struct verify_options *options, const json_t *failures)
{
    if (json_array_size(failures) > 0)
        printf("\nFailed:\n");
    for (size_t i = 0; i < json_array_size(failures); i++) {
        const json_t *failure = json_array_get(failures, i);

        printf("  [%s] %s %s %s%s%s\n      %s\n", tool_text_of(failure, "check"),
               tool_text_of(failure, "operation"), tool_text_of(failure, "type"),
               tool_text_of(failure, "layout"),
               tool_text_of(failure, "label")[0] != '\0' ? ": " : "",
               tool_text_of(failure, "label"), tool_text_of(failure, "sentence"));
        if (json_object_get(failure, "processes") != NULL)
            printf("      in %lld of %llu processes\n", (long long)number(failure, "processes"),
                   options->processes);
        if (tool_text_of(failure, "run")[0] != '\0')
            printf("      %s\n      %s\n", tool_text_of(failure, "run"),
                   tool_text_of(failure, "verify"));
    }
}

static void print_warnings(const json_t *warnings)
{
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const json_t *warning = json_array_get(warnings, i);

        printf("%s  [%s] %s\n      %s\n", i == 0 ? "\nWarnings, which are no failures:\n" : "",
               tool_text_of(warning, "check"), tool_text_of(warning, "operation"),
               tool_text_of(warning, "sentence"));
    }
}

/* ---- common causes */

/* Returns 1 if the comma-separated `labels` contain the word. */
static int has_word(const char *labels, const char *word, size_t length)
{
    while (*labels != '\0') {
        size_t size = strcspn(labels, ",");

        if (size == length && memcmp(labels, word, length) == 0)
            return 1;
        labels += size + (labels[size] == ',');
    }
    return 0;
}

/* Counts the cases with the word, and those without. Keys are OPERATION
 * failed|fine
 * LABELS. */
static void count_word(const json_t *labels, const char *operation, const char *state,
                       const char *word, size_t length, int *with, int *without)
{
    char head[128];
    const char *key;
    json_t *one;
    size_t size = (size_t)snprintf(head, sizeof(head), "%s\n%s\n", operation, state);

    *with = *without = 0;
    json_object_foreach((json_t *)labels, key, one)
    {
        if (strncmp(key, head, size) != 0)
            continue;
        if (has_word(key + size, word, length))
            ++*with;
        else
            ++*without;
    }
}

/* Adds a word as the common cause if all failing cases of an operation have it and no other case
 * does. */
static void add_common(const json_t *answer, json_t *common, const char *operation,
                       const char *list)
{
    const json_t *labels = json_object_get(answer, "labels");

    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        int failed_with, failed_without, fine_with, fine_without;
        char sentence[300];

        count_word(labels, operation, "failed", list, length, &failed_with, &failed_without);
        count_word(labels, operation, "fine", list, length, &fine_with, &fine_without);
        if (failed_without == 0 && fine_with == 0 && fine_without > 0) {
            snprintf(sentence, sizeof(sentence),
                     "%s: every case with `%.*s` fails, and no other case does", operation,
                     (int)length, list);
            json_array_append_new(common, json_string(sentence));
        }
        list += length + (list[length] == ',');
    }
}

/* Marks common words once per operation. Only the words of its first failure can be in all of
 * them. */
static void mark_common(json_t *answer)
{
    const json_t *failures = json_object_get(answer, "failures");
    json_t *common = json_array();
    json_t *seen = json_object();

    for (size_t i = 0; i < json_array_size(failures); i++) {
        const json_t *failure = json_array_get(failures, i);
        const char *operation = tool_text_of(failure, "operation");
        char words[400];

        if (operation[0] == '\0' || tool_text_of(failure, "problem")[0] == '\0' ||
            strcmp(tool_text_of(failure, "layout"), "golden") == 0 ||
            json_object_get(seen, operation) != NULL)
            continue;
        json_object_set_new(seen, operation, json_true());
        verify_words(failure, words, sizeof(words));
        add_common(answer, common, operation, words);
    }
    json_object_set_new(answer, "common", common);
    json_object_del(answer, "labels");
    json_decref(seen);
}

void verify_finish(json_t *answer)
{
    mark_common(answer);
    json_object_set_new(answer, "not_reached", json_integer(unreached(answer)));
}

void verify_report(const struct verify_options *options, const json_t *answer)
{
    const json_t *common = json_object_get(answer, "common");
    const char *cut = tool_text_of(answer, "cut");
    const char *vectors = tool_text_of(answer, "vectors_error");

    printf("%s %s (%s)\n%s\n\n", options->name, tool_text_of(answer, "version"),
           tool_text_of(answer, "space"), options->path);
    print_table(json_object_get(answer, "table"), cut[0] != '\0');
    print_reasons(json_object_get(answer, "table"));
    print_failures(options, json_object_get(answer, "failures"));
    print_warnings(json_object_get(answer, "warnings"));
    for (size_t i = 0; i < json_array_size(common); i++)
        printf("%s  %s\n", i == 0 ? "\nIn common:\n" : "",
               json_string_value(json_array_get(common, i)));
    if (vectors[0] != '\0')
        printf("\nWithout golden vectors: %s\n", vectors);
    if (json_is_false(json_object_get(answer, "oracle")))
        printf("\nWithout cpu_ref: results were not judged.\n");
    if (cut[0] != '\0')
        printf("\nStopped early: %s; %lld cases were not reached.\n", cut,
               (long long)number(answer, "not_reached"));
    if (options->processes > 1)
        printf("\n%llu processes at once; each case counts once for each.\n", options->processes);
    printf("\n%lld cases: %lld passed, %lld declined, %lld failed",
           (long long)number(answer, "cases"), (long long)number(answer, "passed"),
           (long long)number(answer, "declined"), (long long)number(answer, "failed"));
    if (number(answer, "unjudged") > 0)
        printf(", %lld without a known answer", (long long)number(answer, "unjudged"));
    printf("\n");
}
