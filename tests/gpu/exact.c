/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares one backend with another on the same device, on problems of any size.
 *
 *   exact [OPTION...] TESTED REFERENCE <PROBLEMS
 *     --device DEVICE  the device (default: cuda)
 *     --random         random numbers; only for convolutions of two operands without blends
 *     --double         the reference computes whole numbers of floating types in double, too, and
 *                      its results are rounded here: an oracle that shares no kernel with TESTED
 *     --ways LIST      how a program selects an engine, separated by commas: default, algorithms
 *                      (names each one), find (the answers of Find); each engine is tested once
 *                      per problem (default: default)
 *     --processes N    N processes test all problems at once on one device; not with --done
 *     --seconds N      no further problem begins after N seconds
 *     --done FILE      tested problems are added to the file; those already in it are counted, and
 *                      not tested again
 *
 * Operands are whole numbers whose results have the same bits in any order of summation in float.
 * Each problem runs on two kinds: numbers around 0, and numbers whose sums pile up beyond what
 * 16-bit types hold exactly. Operands and results stay on the device. If --random is given, the
 * reference runs in double, and each element must be within the bound of `anydnn compare`, on the
 * host. The relative L2 error of each choice is printed before the problem. Results with the note
 * `transform` are always judged by this error.
 *
 * PROBLEMS has one problem per line in text form, as `anydnn bench --list` prints them (NAME:
 * PROBLEM). A repeated problem counts once. Outputs hold other values before each run, so blends
 * (beta) are not possible. If a backend declines a problem, the reason is printed. The exit status
 * is 0 if everything that ran is right, and 1 if a result is wrong, a problem failed or none ran.
 * It is 2 for wrong usage, and 77 if the device does not exist.
 */
#include "exact.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Returns the text after `NAME: `. Problems contain no colon before a blank. */
static char *problem_of(char *line)
{
    char *name_end = strstr(line, ": ");

    line[strcspn(line, "\n")] = '\0';
    return name_end ? name_end + 2 : line;
}

/* Adds a text to the list. Returns 0 if it is new, and 1 if the list already has it. */
static int remember(char ***seen, size_t *count, const char *text)
{
    char **grown;

    for (size_t i = 0; i < *count; i++)
        if (strcmp((*seen)[i], text) == 0)
            return 1;
    grown = realloc(*seen, (*count + 1) * sizeof(*grown));
    if (!grown || !(grown[*count] = strdup(text)))
        exit(1);
    *seen = grown;
    ++*count;
    return 0;
}

/* ---- one problem */

static const char *const words[] = {"right", "WRONG", "declined", "FAILED"};

static enum verdict judge_choice(struct exact *exact, struct held *held, const char *text,
                                 int *side)
{
    struct work choice = {.count = 0};
    enum verdict verdict = FAILED;

    *side = TESTED;
    exact->sentence[0] = '\0';
    if (exact_parse(text, &choice) == 0)
        verdict = exact->random ? exact_random(exact, held, &choice, text, side)
                                : exact_whole(exact, held, &choice, side);
    if ((verdict == FAILED || verdict == DECLINED) && exact->sentence[0] == '\0')
        anydnnGetLastErrorString(exact->sentence, sizeof(exact->sentence));
    anydnnProblemDestroy(choice.problem);
    return verdict;
}

static void tell(struct exact *exact, enum verdict verdict, int side, const char *text)
{
    char engine[40] = "?", notes[100] = "";

    printf("%s: %s: %s: %s", words[verdict], exact->name[side], text, exact->sentence);
    if (verdict == BAD &&
        anydnnGetDispatchInfo(exact->handle[TESTED], "engine", engine, sizeof(engine)) == SUCCESS) {
        anydnnGetDispatchInfo(exact->handle[TESTED], "notes", notes, sizeof(notes));
        printf("; engine %s, notes: %s", engine, notes);
    }
    putchar('\n');
}

/* Bytes of each allocation that a problem leaves to the next ones, enough for most. This limit
 * keeps many processes on a device from holding the memory of their largest problems. */
#define KEPT ((size_t)128 << 20)

/* Counts the verdicts of a problem. A named algorithm that is declined does not count. */
static void judge_problem(struct exact *exact, const char *text, long count[VERDICTS])
{
    struct held held = {.text = text};
    char *choice[CHOICES] = {NULL};
    int choices = 0, side = TESTED;
    enum verdict verdict = GOOD;

    exact->engines = 0;
    if (exact_parse(text, &held.work) == 0)
        choices = exact_choices(exact, &held, choice);
    if (choices == 0) {
        anydnnGetLastErrorString(exact->sentence, sizeof(exact->sentence));
        count[FAILED]++;
        tell(exact, FAILED, TESTED, text);
    }
    for (int i = 0; i < choices; i++) {
        verdict = choice[i] ? judge_choice(exact, &held, choice[i], &side) : FAILED;
        if (verdict == SEEN || (verdict == DECLINED && i > 0))
            continue;
        count[verdict]++;
        if (verdict != GOOD)
            tell(exact, verdict, side, choice[i] ? choice[i] : text);
        if (verdict <= BAD && exact->engines < ENGINES)
            anydnnGetDispatchInfoInt(exact->handle[TESTED], "engine",
                                     &exact->engine[exact->engines++]);
    }
    while (choices > 0)
        free(choice[--choices]);
    exact_drop(&held);
    exact_trim(exact, KEPT);
}

/* ---- all of them */

/* The tested problems and their verdicts, from the file of --done. */
struct record {
    FILE *file; /* NULL if none is kept */
    char **text;
    size_t count;
};

/* Reads the file. A line has the numbers of right, wrong, declined and failed choices, and the
 * problem. */
static int read_record(struct exact *exact, struct record *record, const char *path)
{
    long count[VERDICTS];
    char *line = NULL;
    size_t size = 0;
    int at;

    record->file = fopen(path, "a+");
    if (!record->file)
        return -1;
    rewind(record->file);
    while (getline(&line, &size, record->file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%ld %ld %ld %ld %n", &count[GOOD], &count[BAD], &count[DECLINED],
                   &count[FAILED], &at) != VERDICTS ||
            remember(&record->text, &record->count, line + at))
            continue;
        for (int i = 0; i < VERDICTS; i++)
            exact->count[i] += count[i];
    }
    free(line);
    return 0;
}

static void judge_and_record(struct exact *exact, const char *text, struct record *record)
{
    long count[VERDICTS] = {0};

    judge_problem(exact, text, count);
    for (int i = 0; i < VERDICTS; i++)
        exact->count[i] += count[i];
    if (record->file) {
        fprintf(record->file, "%ld %ld %ld %ld %s\n", count[GOOD], count[BAD], count[DECLINED],
                count[FAILED], text);
        fflush(record->file);
    }
    fflush(stdout);
}

static int judge(struct exact *exact, double seconds, struct record *record)
{
    const long *verdict = exact->count;
    char *line = NULL;
    size_t size = 0;
    long left = 0;
    time_t began = time(NULL);

    while (getline(&line, &size, stdin) > 0) {
        const char *text = problem_of(line);

        if (text[0] == '\0' || text[0] == '#' || remember(&record->text, &record->count, text))
            continue;
        if (difftime(time(NULL), began) >= seconds)
            left++;
        else
            judge_and_record(exact, text, record);
    }
    printf("%s held to %s: %ld right, %ld wrong, %ld declined, %ld failed, %ld not reached\n",
           exact->name[TESTED], exact->name[REFERENCE], verdict[GOOD], verdict[BAD],
           verdict[DECLINED], verdict[FAILED], left);
    free(line);
    return verdict[BAD] || verdict[FAILED] || !verdict[GOOD] ? 1 : 0;
}

/* ---- the program */

#define PROCESSES_MAX 1000

static int open_side(struct exact *exact, int side, const char *device, const char *name)
{
    char list[100];

    exact->name[side] = name;
    snprintf(list, sizeof(list), "%s, fallback:off", name);
    if (anydnnCreateOnDevice(&exact->handle[side], device) == SUCCESS &&
        anydnnSetRoute(exact->handle[side], "*", NULL, list) == SUCCESS)
        return 0;
    anydnnGetLastErrorString(exact->sentence, sizeof(exact->sentence));
    fprintf(stderr, "exact: %s\n", exact->sentence);
    return -1;
}

static int usage(void)
{
    fprintf(stderr, "usage: exact [--device DEVICE] [--random] [--double] [--ways LIST] "
                    "[--processes N] [--seconds N] [--done FILE] TESTED REFERENCE <PROBLEMS\n");
    return 2;
}

/* Returns the bits of the words, or 0 if a word is unknown. */
static unsigned ways_of(const char *list)
{
    static const char *const names[] = {"default", "algorithms", "find"};
    unsigned ways = 0;

    for (const char *word = list; *word;
         word += word[strcspn(word, ",")] ? strcspn(word, ",") + 1 : strcspn(word, ",")) {
        size_t length = strcspn(word, ",");
        int i = 0;

        while (i < 3 && (strlen(names[i]) != length || strncmp(names[i], word, length) != 0))
            i++;
        if (i == 3)
            return 0;
        ways |= 1U << i;
    }
    return ways;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'},    {"random", no_argument, NULL, 'r'},
        {"double", no_argument, NULL, 'w'},          {"ways", required_argument, NULL, 'c'},
        {"processes", required_argument, NULL, 'p'}, {"seconds", required_argument, NULL, 's'},
        {"done", required_argument, NULL, 'f'},      {NULL, 0, NULL, 0}};
    static struct exact exact = {.ways = BY_DEFAULT};
    struct record record = {.file = NULL};
    const char *device = "cuda", *done = NULL;
    double seconds = 1e9;
    int option, code, processes = 1;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        exact.random |= option == 'r';
        exact.wide |= option == 'w';
        device = option == 'd' ? optarg : device;
        done = option == 'f' ? optarg : done;
        seconds = option == 's' ? atof(optarg) : seconds;
        processes = option == 'p' ? atoi(optarg) : processes;
        exact.ways = option == 'c' ? ways_of(optarg) : exact.ways;
        if (option == '?' || exact.ways == 0)
            return usage();
    }
    if (argc - optind != SIDES || processes < 1 || processes > PROCESSES_MAX ||
        (processes > 1 && done))
        return usage();
    if (processes > 1 && (code = exact_together(processes)) >= 0)
        return code;
    if (done && read_record(&exact, &record, done) != 0) {
        perror(done);
        return 2;
    }
    for (int side = 0; side < SIDES; side++)
        if (open_side(&exact, side, device, argv[optind + side]) != 0)
            return 77;
    code = judge(&exact, seconds, &record);
    exact_free(&exact);
    for (int side = 0; side < SIDES; side++)
        anydnnDestroy(exact.handle[side]);
    while (record.count > 0)
        free(record.text[--record.count]);
    free(record.text);
    if (record.file)
        fclose(record.file);
    return code;
}
