/* SPDX-License-Identifier: Apache-2.0 */
/* Tests errata as data: patterns, the grammar of files, layers, trust and matching. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "errata/errata.h"
#include "errata/pattern.h"
#include "errata/read.h"
#include "problem/text.h"
#include "tests/holds.h"

#define CONV                                                                                       \
    "convolution_forward x=f16:2,8,9,9:nhwc w=f16:16,8,3,5:nhwc y=f16:2,16,9,9:nhwc pad=1,2"

static char folder[] = "/tmp/anydnn_errata_XXXXXX";

/* ---- patterns */

static void numbers_match_ranges(void **state)
{
    static const struct {
        const char *pattern;
        int64_t number;
        int holds;
    } rows[] = {{"3", 3, 1},       {"3", 4, 0},       {"4..", 4, 1},    {"4..", 3, 0},
                {"..4", 4, 1},     {"..4", 5, 0},     {"2..4", 2, 1},   {"2..4", 5, 0},
                {"1, 5..7", 6, 1}, {"1, 5..7", 4, 0}, {"!1", 1, 0},     {"!1", 2, 1},
                {"!1,3..", 2, 1},  {"!1,3..", 9, 0},  {"-3..-1", -2, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(adn_pattern_numbers(rows[i].pattern, &rows[i].number, 1), rows[i].holds);
        assert_true(adn_pattern_is_numbers(rows[i].pattern));
    }
}

/* Any axis is enough; behind a `!`, no axis may match. */
static void lists_match_in_any_place(void **state)
{
    static const int64_t two[] = {1, 13};

    (void)state;
    assert_true(adn_pattern_numbers("13..", two, 2));
    assert_true(adn_pattern_numbers("1", two, 2));
    assert_false(adn_pattern_numbers("2..12", two, 2));
    assert_false(adn_pattern_numbers("!13..", two, 2));
    assert_true(adn_pattern_numbers("!14..", two, 2));
}

static void bad_numbers_are_none(void **state)
{
    static const char *const bad[] = {"", "x", "1,", "..", "5..4", "1.5", "1...3", "3x", "!"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(adn_pattern_is_numbers(bad[i]));
}

static void words_match_with_stars(void **state)
{
    (void)state;
    assert_true(adn_pattern_word("f16, bf16", "bf16"));
    assert_false(adn_pattern_word("f16, bf16", "f32"));
    assert_true(adn_pattern_word("*H100*, *H200*", "NVIDIA H200, 132 multiprocessors"));
    assert_false(adn_pattern_word("*H100*", "NVIDIA A100"));
    assert_true(adn_pattern_word("a*b*c", "aXbYbc"));
    assert_false(adn_pattern_word("a*b*c", "aXbY"));
    assert_true(adn_pattern_word("!nhwc", "nchw"));
    assert_true(adn_pattern_text("2..", "4"));
    assert_false(adn_pattern_text("!1", "1"));
}

static void version_ranges_are_half_open(void **state)
{
    (void)state;
    assert_true(adn_versions_hold("9.19 .. 9.20", "9.19.0"));
    assert_true(adn_versions_hold("9.19 .. 9.20", "9.19.7"));
    assert_false(adn_versions_hold("9.19 .. 9.20", "9.20"));
    assert_false(adn_versions_hold("9.19 .. 9.20", "9.20.0"));
    assert_false(adn_versions_hold("9.19 .. 9.20", "9.18.9"));
    assert_true(adn_versions_hold("9.9..9.10", "9.9.1"));
    assert_true(adn_versions_hold("9.19 ..", "10.0"));
    assert_true(adn_versions_hold(".. 9.20", "8"));
    assert_false(adn_versions_hold("9.19 .. 9.20", "unknown"));
    assert_false(adn_versions_valid("9.19"));
    assert_false(adn_versions_valid(".."));
    assert_false(adn_versions_valid("9.19 .. x"));
    assert_false(adn_versions_valid("9.20 .. 9.19"));
    assert_false(adn_versions_valid("9.19 .. 9.19.0"));
    assert_true(adn_versions_valid("9.19.."));
}

/* ---- files */

/* Writes a file into a sub-folder and returns the folder. */
static const char *put(const char *layer, const char *name, const char *text)
{
    static char path[4][300];
    static int turn;
    char *at = path[turn++ % 4], file[400];
    FILE *stream;

    snprintf(at, sizeof(path[0]), "%s/%s", folder, layer);
    mkdir(at, 0755);
    snprintf(file, sizeof(file), "%s/%s", at, name);
    stream = fopen(file, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    chmod(file, 0644);
    return at;
}

static int count_of(struct adn_errata *errata)
{
    int count = 0;

    while (adn_errata_at(errata, count))
        count++;
    return count;
}

static struct adn_errata *load(const char *system, const char *user, const char *config)
{
    struct adn_errata_sources sources = {system, user, config};
    struct adn_errata *errata = adn_errata_load_from(&sources);

    assert_non_null(errata);
    return errata;
}

/* Loads one text as the system's layer, and checks the numbers of entries and dropped files. */
static void reads(const char *text, int entries, int dropped)
{
    struct adn_errata *errata = load(put("grammar", "one.ini", text), NULL, NULL);

    if (count_of(errata) != entries || adn_errata_dropped(errata) != dropped)
        fail_msg("%d entries and %d dropped files for: %s", count_of(errata),
                 adn_errata_dropped(errata), text);
    adn_errata_free(errata);
}

#define GOOD "[good]\nbackend = b\nverdict = wrong\n"

static void the_grammar_is_kept(void **state)
{
    (void)state;
    reads(GOOD, 1, 0);
    reads("# comment\n; comment\n\n[good]\r\nbackend = b ; comment\nverdict=wrong", 1, 0);
    reads("backend = b\n" GOOD, 0, 1);
    reads(" [good]\nbackend = b\nverdict = wrong\n", 0, 1);
    reads("[Good]\n", 0, 1);
    reads("[]\n", 0, 1);
    reads("[good\n", 0, 1);
    reads(GOOD GOOD, 0, 1);
    reads("[good]\nbackend = b\nbackend = c\nverdict = wrong\n", 0, 1);
    reads("[good]\nbackend\nverdict = wrong\n", 0, 1);
    reads(GOOD "source = a\001b\n", 0, 1);
}

/* Ignoring the key would widen the entry. */
static void what_is_not_understood_is_skipped(void **state)
{
    (void)state;
    reads(GOOD "colour = red\n[other]\nbackend = b\nverdict = nan\n", 1, 0);
    reads(GOOD "pad = wide\n", 0, 0);
    reads(GOOD "epsilon = 1\n", 0, 0);
    reads(GOOD "versions = 9.19\n", 0, 0);
    reads(GOOD "types = f16, half\n", 0, 0);
    reads(GOOD "layout = nchwx\n", 0, 0);
    reads(GOOD "operations = convolution_fwd\n", 0, 0);
    reads(GOOD "engine = fast\n", 0, 0);
    reads(GOOD "knobs = split_k\n", 0, 0);
    reads(GOOD "algorithm = quick\n", 0, 0);
    reads(GOOD "versions = 9.20 .. 9.19\n", 0, 0);
    reads("[good]\nbackend = b\nverdict = bad\n", 0, 0);
    reads("[good]\nbackend = b\n", 0, 0);
    reads("[good]\nverdict = wrong\n", 0, 0);
    reads("[good]\nverdict = none\n", 1, 0);
}

/* A `!` before a word that no problem can have would match every problem. */
static void words_are_known(void **state)
{
    char text[700] = GOOD "devices = !";
    size_t length = strlen(text);

    (void)state;
    reads(GOOD "activation = !rellu\n", 0, 0);
    reads(GOOD "mode = cros\n", 0, 0);
    reads(GOOD "mode =\n", 0, 0);
    reads(GOOD "compute = !float\n", 0, 0);
    reads(GOOD "compute = f32, f64\nmode = c*\nactivation = !gelu\n", 1, 0);
    reads(GOOD "operations = !softmax_forward, !lrn_forward\n", 0, 0);
    reads(GOOD "operations = !\n", 0, 0);
    reads(GOOD "devices = !\n", 0, 0);
    reads(GOOD "devices = *H100*,\n", 0, 0);
    reads("[good]\nbackend = !\nverdict = wrong\n", 0, 0);
    reads(GOOD "knobs = tile=!\n", 0, 0);
    reads(GOOD "knobs = tile=3,x, y=1\n", 0, 0);
    reads(GOOD "knobs = tile=!8..2\n", 0, 0);
    /* The most bytes of a word are 255. */
    memset(text + length, 'x', 255);
    reads(text, 1, 0);
    memset(text + length, 'x', 256);
    reads(text, 0, 0);
    strcpy(text, GOOD "knobs = tile=!");
    length = strlen(text);
    memset(text + length, 'x', 255);
    strcpy(text + length + 100, ",");
    memset(text + length + 101, 'y', 200);
    reads(text, 0, 0);
}

static void long_lines_hold_problems(void **state)
{
    char text[9000] = GOOD "problem = ";
    size_t begin = strlen(text), line = strlen("problem = ");

    (void)state;
    memset(text + begin, 'x', 4096 - line);
    strcpy(text + begin + 4096 - line, "\n");
    reads(text, 1, 0);
    strcpy(text + begin + 4096 - line, "x\n");
    reads(text, 0, 1);
}

/* Files that are no text are dropped one by one, without waiting. */
static void odd_files_are_dropped(void **state)
{
    char path[400];
    struct adn_errata *errata;
    const char *odd = put("odd", "good.ini", GOOD);
    FILE *stream;

    (void)state;
    put("odd", "empty.ini", "");
    put("odd", "bom.ini", "\xef\xbb\xbf" GOOD);
    put("odd", ".hidden.ini", "?");
    put("odd", "note.txt", "?");
    odd = put("odd", "latin.ini", "[latin]\nbackend = b\nverdict = nan\nsource = \xe4\n");
    snprintf(path, sizeof(path), "%s/folder.ini", odd);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/pipe.ini", odd);
    assert_int_equal(mkfifo(path, 0644), 0);
    snprintf(path, sizeof(path), "%s/lost.ini", odd);
    assert_int_equal(symlink("/nowhere/at/all", path), 0);
    snprintf(path, sizeof(path), "%s/long.ini", odd);
    stream = fopen(path, "w");
    assert_non_null(stream);
    for (int i = 0; i < 1024 * 1024; i++)
        fputc('x', stream);
    fclose(stream);
    snprintf(path, sizeof(path), "%s/zero.ini", odd);
    stream = fopen(path, "w");
    assert_non_null(stream);
    fwrite(GOOD "\0", 1, sizeof(GOOD), stream);
    fclose(stream);
    errata = load(odd, NULL, NULL);
    assert_int_equal(count_of(errata), 2);
    assert_int_equal(adn_errata_dropped(errata), 6);
    adn_errata_free(errata);
}

/* ---- matching */

static char device[] = "NVIDIA H200";

static void write_device(void *cookie, char *text, size_t size)
{
    snprintf(text, size, "%s", (const char *)cookie);
}

/* Returns whether an entry with these lines matches the problem and the words. */
static int matches(const char *lines, const char *problem_text, const char *words)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof(candidate), .engine = 1234, .words = words};
    struct adn_problem problem;
    struct adn_values values;
    struct anydnn_plugin_problem view;
    struct adn_errata_query query = {"b", "9.19.0", write_device, device, &view, &candidate};
    char text[2000];
    struct adn_errata *errata;
    int at = 0, found;

    assert_int_equal(adn_problem_parse(problem_text, &problem, &values), ANYDNN_STATUS_SUCCESS);
    adn_problem_view(&problem, 0, &view);
    snprintf(text, sizeof(text), GOOD "%s", lines);
    errata = load(put("match", "one.ini", text), NULL, NULL);
    assert_int_equal(count_of(errata), 1);
    found = adn_errata_next(errata, &query, &at) != NULL;
    adn_errata_free(errata);
    return found;
}

static void every_key_narrows(void **state)
{
    static const struct {
        const char *yes, *no;
    } rows[] = {
        {"operations = convolution_*\n", "operations = convolution_backward_*\n"},
        {"types = f16, bf16\n", "types = f32\n"},
        {"layout = nhwc\n", "layout = nchw\n"},
        {"layout = !nchw\n", "layout = !nhwc\n"},
        {"filter = 5\n", "filter = 6..\n"},
        {"pad = 2..\n", "pad = 3..\n"},
        {"stride = 1\n", "stride = 2..\n"},
        {"dilation = 1\n", "dilation = !1\n"},
        {"groups = 1\n", "groups = 2..\n"},
        {"mode = cross\n", "mode = convolution\n"},
        {"compute = f32\n", "compute = f16\n"},
        {"math = default\n", "math = tensor_op\n"},
        {"engine = 76\n", "engine = 77..\n"},
        {"knobs = split_k=!1\n", "knobs = split_k=1\n"},
        {"knobs = split_k=2..8 layout=nchw\n", "knobs = split_k=2..8 layout=nhwc\n"},
        {"knobs = split_k=4\n", "knobs = tile=!1\n"},
        {"versions = 9.19 .. 9.20\n", "versions = 9.20 ..\n"},
        {"devices = *H200*\n", "devices = *A100*\n"},
        {"pad = 2\nstride = 1\n", "pad = 2\nstride = 2\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static const char words[] = "engine=76 split_k=4 layout=nchw";

        if (!matches(rows[i].yes, CONV, words) || matches(rows[i].no, CONV, words))
            fail_msg("%s or %s", rows[i].yes, rows[i].no);
    }
}

/* The backend's own number counts if the candidate has no other. */
static void engines_have_one_number(void **state)
{
    (void)state;
    assert_true(matches("engine = 1234\n", CONV, NULL));
    assert_false(matches("engine = 1235\n", CONV, "tile=3"));
    assert_false(matches("engine = 77..\n", CONV, "tile=3 engine=76"));
    assert_true(matches("engine = 76\n", CONV, "tile=3 engine=76"));
}

/* A key that the operation lacks does not match, whatever its value is. */
static void missing_parameters_do_not_match(void **state)
{
    (void)state;
    assert_false(matches("pad = !77\n", "softmax_forward x=f32:2,3,1,1", NULL));
    assert_false(matches("filter = !77\n", "softmax_forward x=f32:2,3,1,1", NULL));
    assert_true(matches("mode = channel\n", "softmax_forward x=f32:2,3,1,1 mode=channel", NULL));
}

/* Every name of a parameter matches, also those that count from 1000. */
static void every_name_of_a_parameter_matches(void **state)
{
    static const char with[] = "normalization_forward x=f32:2,8,4,4 kind=group groups=2 axes=1,2,3";
    char problem[200];

    (void)state;
    snprintf(problem, sizeof(problem), "%s activation=gelu", with);
    assert_true(matches("activation = gelu\n", problem, NULL));
    assert_true(matches("activation = gelu*\n", problem, NULL));
    assert_false(matches("activation = !gelu\n", problem, NULL));
    assert_false(matches("activation = gelu_tanh\n", problem, NULL));
    assert_true(matches("axes = 3\n", with, NULL));
    assert_false(matches("axes = 0\n", with, NULL));
    assert_false(matches("axes = !1\n", with, NULL));
    assert_true(matches("axes = !0\n", with, NULL));
}

/* ---- layers */

static struct adn_errata *layered(const char *system, const char *user, const char *config)
{
    return load(system ? put("system", "a.ini", system) : NULL,
                user ? put("user", "a.ini", user) : NULL,
                config ? put("config", "a.ini", config) : NULL);
}

/* Returns the verdicts in force for CONV on backend b. */
static uint32_t verdicts(struct adn_errata *errata)
{
    struct adn_problem problem;
    struct adn_values values;
    struct anydnn_plugin_problem view;
    struct adn_errata_query query = {"b", "9.19.0", NULL, NULL, &view, NULL};

    assert_int_equal(adn_problem_parse(CONV, &problem, &values), ANYDNN_STATUS_SUCCESS);
    adn_problem_view(&problem, 0, &view);
    return adn_errata_verdicts(errata, &query, NULL);
}

#define ENTRY(id, verdict) "[" id "]\nbackend = b\nverdict = " verdict "\n"
#define BIT(name)          ADN_ERRATUM_BIT(ADN_ERRATUM_##name)

static void later_layers_replace_and_withdraw(void **state)
{
    struct adn_errata *errata;

    (void)state;
    errata = layered(ENTRY("one", "wrong"), ENTRY("two", "nan"), NULL);
    assert_int_equal(verdicts(errata), BIT(WRONG) | BIT(NAN));
    adn_errata_publish(errata, "b", ENTRY("one", "short_sums") ENTRY("three", "finer"));
    assert_int_equal(verdicts(errata), BIT(WRONG) | BIT(NAN) | BIT(FINER));
    /* The list counts once. */
    adn_errata_publish(errata, "b", ENTRY("four", "slow"));
    assert_int_equal(verdicts(errata), BIT(WRONG) | BIT(NAN) | BIT(FINER));
    adn_errata_free(errata);

    errata = layered(ENTRY("one", "wrong"), ENTRY("one", "slow"), "[one]\nverdict = none\n");
    assert_int_equal(verdicts(errata), 0);
    adn_errata_free(errata);

    /* An earlier layer withdraws nothing of a later one. */
    errata = layered("[one]\nverdict = none\n", ENTRY("one", "slow"), NULL);
    assert_int_equal(verdicts(errata), BIT(SLOW));
    adn_errata_free(errata);
}

static void published_lists_are_for_their_backend(void **state)
{
    struct adn_errata *errata = layered("", NULL, NULL);

    (void)state;
    adn_errata_publish(errata, "c", ENTRY("one", "wrong"));
    assert_int_equal(verdicts(errata), 0);
    assert_int_equal(count_of(errata), 0);
    adn_errata_free(errata);
}

/* A backend does not change what is known of another one. */
static void published_lists_replace_nothing(void **state)
{
    struct adn_errata *errata = layered("", NULL, NULL);

    (void)state;
    adn_errata_publish(errata, "b", ENTRY("one", "wrong"));
    adn_errata_publish(errata, "c", "[one]\nbackend = c\nverdict = none\n");
    adn_errata_publish(errata, "d", "[one]\nbackend = d\nverdict = slow\n");
    assert_int_equal(verdicts(errata), BIT(WRONG));
    adn_errata_free(errata);
}

/* Gives a file of the system's layer to another user. */
static void give_away(const char *name, const char *text)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/%s", put("system", name, text), name);
    assert_int_equal(chown(path, 12345, 12345), 0);
}

static void take_back(const char *name)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/system/%s", folder, name);
    unlink(path);
}

/* A file that may only add neither withdraws nor permits nor replaces. */
static void strangers_only_add(void **state)
{
    struct adn_errata *errata;

    (void)state;
    if (geteuid() != 0)
        skip();
    give_away("b.ini", "[one]\nverdict = none\n" ENTRY("two", "finer") ENTRY("three", "nan"));
    give_away("c.ini", ENTRY("one", "slow"));
    errata = layered(ENTRY("one", "wrong"), NULL, NULL);
    take_back("b.ini");
    take_back("c.ini");
    assert_int_equal(verdicts(errata), BIT(WRONG) | BIT(NAN) | BIT(SLOW));
    adn_errata_free(errata);
}

/* Winners of a contest are forgotten if files change what concerns the problem, and only then. */
static void the_digest_follows_files(void **state)
{
    struct adn_problem problem;
    struct adn_values values;
    struct anydnn_plugin_problem view;
    struct adn_errata_query query = {"b", "9.19.0", NULL, NULL, &view, NULL};
    struct adn_errata *errata;
    uint64_t one, withdrawn;

    (void)state;
    assert_int_equal(adn_problem_parse(CONV, &problem, &values), ANYDNN_STATUS_SUCCESS);
    adn_problem_view(&problem, 0, &view);
    errata = layered(NULL, NULL, NULL);
    adn_errata_publish(errata, "b", ENTRY("one", "wrong"));
    assert_int_equal(adn_errata_digest(errata, &query), 0);
    adn_errata_free(errata);
    errata = layered(ENTRY("two", "wrong"), NULL, NULL);
    one = adn_errata_digest(errata, &query);
    assert_true(one != 0);
    adn_errata_free(errata);
    errata = layered(ENTRY("two", "wrong") "pad = 50..\n", NULL, NULL);
    assert_int_equal(adn_errata_digest(errata, &query), 0);
    adn_errata_free(errata);
    errata = layered("[one]\nverdict = none\n", NULL, NULL);
    adn_errata_publish(errata, "b", ENTRY("one", "wrong"));
    withdrawn = adn_errata_digest(errata, &query);
    assert_true(withdrawn != 0 && withdrawn != one);
    adn_errata_free(errata);
}

static void printing_reads_back(void **state)
{
    static const char text[] = "[one]\nbackend = b\nversions = 9.19 .. 9.20\noperations = "
                               "convolution_*\npad = 13..\nengine = 76\nknobs = split_k=!1\n"
                               "verdict = wrong\nsource = a; b\nproblem = " CONV "\n";
    struct adn_errata *errata = layered(text, NULL, NULL);
    char printed[2000], origin[500];

    (void)state;
    adn_erratum_print(adn_errata_at(errata, 0), printed, sizeof(printed));
    snprintf(origin, sizeof(origin), "# %s/system/a.ini:1\n", folder);
    assert_memory_equal(printed, origin, strlen(origin));
    assert_string_equal(printed + strlen(origin), text);
    adn_errata_free(errata);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_match_ranges),
        cmocka_unit_test(lists_match_in_any_place),
        cmocka_unit_test(bad_numbers_are_none),
        cmocka_unit_test(words_match_with_stars),
        cmocka_unit_test(version_ranges_are_half_open),
        cmocka_unit_test(the_grammar_is_kept),
        cmocka_unit_test(what_is_not_understood_is_skipped),
        cmocka_unit_test(words_are_known),
        cmocka_unit_test(long_lines_hold_problems),
        cmocka_unit_test(odd_files_are_dropped),
        cmocka_unit_test(every_key_narrows),
        cmocka_unit_test(engines_have_one_number),
        cmocka_unit_test(missing_parameters_do_not_match),
        cmocka_unit_test(every_name_of_a_parameter_matches),
        cmocka_unit_test(later_layers_replace_and_withdraw),
        cmocka_unit_test(published_lists_are_for_their_backend),
        cmocka_unit_test(published_lists_replace_nothing),
        cmocka_unit_test(strangers_only_add),
        cmocka_unit_test(the_digest_follows_files),
        cmocka_unit_test(printing_reads_back),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
