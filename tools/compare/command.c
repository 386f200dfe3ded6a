/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn compare: reads the options and compares one problem after the other. */
#include "tools/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common.h"
#include "tools/progress.h"
#include "tools/report/page.h"
#include "tools/terminal.h"

/* The batch size for the layers of a named suite. Two samples show a wrong sample stride, and the
 * reference of ResNet-50 forward takes only seconds. */
#define SUITE_BATCH 2

static const struct {
    const char *name;
    enum oracle_data inputs;
} inputs_names[] = {{"normal", ORACLE_NORMAL},        {"uniform", ORACLE_UNIFORM},
                    {"integers", ORACLE_INTEGERS},    {"wide", ORACLE_WIDE},
                    {"subnormals", ORACLE_SUBNORMAL}, {"specials", ORACLE_SPECIALS}};

#define INPUTS (sizeof(inputs_names) / sizeof(inputs_names[0]))

/* ---- options */

static int set_inputs(struct tool *tool, void *own, const char *value)
{
    struct compare_options *options = own;

    options->folder = strncmp(value, "npy:", 4) == 0 ? value + 4 : NULL;
    for (size_t i = 0; i < INPUTS; i++)
        if (strcmp(inputs_names[i].name, value) == 0) {
            options->inputs = inputs_names[i].inputs;
            return TOOL_FINE;
        }
    if (options->folder != NULL && options->folder[0] != '\0')
        return compare_dump_check(options->folder) == 0
                   ? TOOL_FINE
                   : tool_fail(tool, TOOL_USAGE, "--inputs=%s: %s", value, strerror(errno));
    return tool_fail(
        tool, TOOL_USAGE,
        "--inputs=%s: must be normal, uniform, integers, wide, subnormals, specials or npy:FOLDER",
        value);
}

int compare_check_reference(struct tool *tool, void *own, const char *value)
{
    (void)own;
    if (value[0] == '\0' || strchr(value, ':') != NULL)
        return tool_fail(
            tool, TOOL_USAGE,
            "--reference=%s: must be the name of a backend, which runs in double and default math",
            value);
    return TOOL_FINE;
}

static const struct tool_option option_table[] = {
    SUITE_OPTIONS,
    {"inputs", "KIND",
     "normal: N(0,1); uniform: [-1,1); integers: small, exact; wide: over many powers of two; "
     "subnormals; specials: NaN and infinities among whole numbers; npy:FOLDER: from its files "
     "x.npy, "
     "w.npy ... (normal)",
     .set = set_inputs},
    {"seed", "N", "seed of the inputs, the same for every problem (1)",
     TOOL_KEEP_NUMBER(compare_options, seed, 0, INT64_MAX)},
    {"repeat", "N", "runs of each side; the time is the median without the first run (3)",
     TOOL_KEEP_NUMBER(compare_options, repeat, 1, 1000000)},
    {"sample", "N",
     "judge N randomly drawn values of each convolution's result against sums in double (all)",
     TOOL_KEEP_NUMBER(compare_options, sample, 1, 1000000)},
    {"reference", "BACKEND", "backend that computes the reference results in double (cpu_ref)",
     TOOL_KEEP(compare_options, reference, TOOL_TEXT), .set = compare_check_reference},
    {"csv", "FILE", "also write the numbers to FILE", TOOL_KEEP(compare_options, csv, TOOL_FILE)},
    {"html", "FILE", "write an HTML page with tables, and figures drawn by gnuplot",
     TOOL_KEEP(compare_options, html, TOOL_FILE), .set = page_check},
    {"redraw", NULL, "run nothing; make the page from FILE..., the output of --json",
     TOOL_KEEP_FLAG(compare_options, redraw)},
    TOOL_OPTIONS_END,
};

/* Returns the inputs in the syntax of --inputs. */
static const char *inputs_name(const struct compare_options *options)
{
    for (size_t i = 0; i < INPUTS && options->folder == NULL; i++)
        if (inputs_names[i].inputs == options->inputs)
            return inputs_names[i].name;
    return options->folder != NULL ? options->folder - strlen("npy:") : "";
}

char *compare_again(const struct compare *compare, const char *problem)
{
    const char *device = compare->tool->device != NULL ? compare->tool->device : "";
    const char *config = compare->tool->config != NULL ? compare->tool->config : "";
    int samples = compare->options->sample > 0;
    char seed[24], sample[24] = "";
    const char *const words[] = {"anydnn",
                                 "compare",
                                 device[0] != '\0' ? "--device" : "",
                                 device,
                                 config[0] != '\0' ? "--config" : "",
                                 config,
                                 "--reference",
                                 compare->options->reference,
                                 "--inputs",
                                 inputs_name(compare->options),
                                 "--seed",
                                 seed,
                                 samples ? "--sample" : "",
                                 sample,
                                 compare->side[0].name,
                                 compare->side[1].name,
                                 problem,
                                 NULL};

    snprintf(seed, sizeof(seed), "%llu", compare->options->seed);
    if (samples)
        snprintf(sample, sizeof(sample), "%llu", compare->options->sample);
    return tool_shell_command(words);
}

/* ---- arguments */

/* Returns 1 if the arguments name a suite, and not a file, standard input or a problem. */
static int is_suite_name(int argc, char **argv)
{
    size_t length = argc == 1 ? strlen(argv[0]) : 0;

    return argc == 1 && strcmp(argv[0], "-") != 0 && strpbrk(argv[0], "/=") == NULL &&
           !(length > 6 && strcmp(argv[0] + length - 6, ".suite") == 0);
}

static int open_all(struct compare *compare, struct compare_options *options, int argc, char **argv,
                    struct suite *suite)
{
    struct tool *tool = compare->tool;
    int code = TOOL_FINE;

    if (argc < COMPARE_SIDES + 1)
        return tool_fail(tool, TOOL_USAGE,
                         "compare requires two BACKEND:MATH and a suite or a problem, such as "
                         "`cpu_ref:default onednn:default resnet50`");
    for (int side = 0; side < COMPARE_SIDES && code == TOOL_FINE; side++)
        code = contender_open(tool, argv[side], 0, &compare->side[side]);
    argc -= COMPARE_SIDES;
    argv += COMPARE_SIDES;
    if (code == TOOL_FINE && suite_arguments(argc, argv) < argc)
        code = tool_fail(tool, TOOL_USAGE,
                         "`%s` is not part of a problem; words of a problem are KEY=VALUE",
                         argv[suite_arguments(argc, argv)]);
    if (code == TOOL_FINE && options->suite.batch == 0 && is_suite_name(argc, argv))
        options->suite.batch = SUITE_BATCH;
    if (code == TOOL_FINE)
        code = suite_open(tool, &options->suite, argc, argv, suite);
    if (code == TOOL_FINE)
        code = contender_open(compare->tool, compare->options->reference, 0, &compare->reference);
    return code;
}

/* ---- the problems */

static int run_all(struct compare *compare, FILE *csv, json_t *answers)
{
    const struct suite *suite = compare->suite;
    int worst = TOOL_FINE;

    for (int i = 0; i < suite->count; i++) {
        json_t *answer = json_object();
        int code;

        tool_progress(i, suite->count, suite->item[i].layer);
        code = compare_problem(compare, &suite->item[i], answer);
        worst = code > worst ? code : worst;
        json_array_append_new(answers, answer);
        compare_csv_add(csv, answer);
        tool_progress_end();
        if (compare->tool->json)
            continue;
        tool_begin_text(compare->tool);
        compare_print(answer);
        fflush(stdout);
    }
    return worst;
}

static int write_page(const struct compare *compare, const json_t *answers)
{
    const char *const names[COMPARE_SIDES] = {compare->side[0].name, compare->side[1].name};
    char title[512];

    if (compare->options->html == NULL)
        return TOOL_FINE;
    snprintf(title, sizeof(title), "%.100s beside %.100s: %.200s", names[0], names[1],
             compare->suite->name);
    return compare_html(compare->tool, compare->options->html, title, names, answers);
}

static int answer_all(struct compare *compare)
{
    json_t *whole = json_object();
    json_t *answers = json_array();
    json_t *summary;
    FILE *csv;
    int code = compare_csv_open(compare, &csv);
    int other;

    json_object_set_new(whole, "suite", tool_json_text(compare->suite->name));
    json_object_set_new(whole, "inputs", json_string(inputs_name(compare->options)));
    json_object_set_new(whole, "seed", json_integer((json_int_t)compare->options->seed));
    json_object_set_new(whole, "layers", answers);
    if (code == TOOL_FINE) {
        code = run_all(compare, csv, answers);
        other = compare_csv_close(compare, csv);
        code = other > code ? other : code;
        summary = compare_summary(compare, answers);
        json_object_set_new(whole, "summary", summary);
        if (compare->tool->json)
            tool_print_json(compare->tool, json_incref(whole));
        else if (json_array_size(answers) > 1)
            compare_summary_print(summary);
        other = write_page(compare, answers);
        code = other > code ? other : code;
        other = compare_verdict(compare, summary, answers);
        code = other > code ? other : code;
    }
    json_decref(whole);
    return code;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct compare_options options = {
        .seed = 1, .repeat = 3, .inputs = ORACLE_NORMAL, .reference = "cpu_ref"};
    struct suite suite = {.count = 0};
    struct compare compare = {.tool = tool, .options = &options, .suite = &suite};
    int first;
    int code = tool_options(tool, &tool_compare, &options, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (options.redraw)
        return compare_redraw(tool, options.html, argc - first, argv + first);
    code = open_all(&compare, &options, argc - first, argv + first, &suite);
    if (code == TOOL_FINE)
        code = answer_all(&compare);
    suite_close(&suite);
    for (int side = 0; side < COMPARE_SIDES; side++)
        contender_close(&compare.side[side]);
    contender_close(&compare.reference);
    return code;
}

const struct tool_command tool_compare = {
    .name = "compare",
    .arguments = "A B SUITE | PROBLEM | -",
    .summary = "Runs problems on two BACKEND:MATH and shows their errors against double precision.",
    .options = option_table,
    .run = run,
};
