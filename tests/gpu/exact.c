/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds one backend to another on the same device, on problems of any size.
 *
 *   exact [--device DEVICE] [--seconds N] [--random] TESTED REFERENCE <PROBLEMS
 *
 * Operands are whole numbers whose results are the same bits in any order of summation; operands
 * and results stay on the device. With --random, which takes convolutions without blends alone, the
 * reference runs in double, each element is held to the bound of `anydnn compare` on the host, and
 * each problem's relative L2 error is printed before the problem.
 *
 * PROBLEMS: one a line, in text form, as `anydnn bench --list` prints them (NAME: PROBLEM). A
 * problem that comes twice counts once. Outputs hold something else before, so that there are no
 * blends (beta). Whoever has declined one is told with the reason; --seconds N stops then, and says
 * what was not reached. Exit status 0 when all that ran is right, 1 when something is not or
 * failed, 2 for wrong usage, 77 where there is no such device.
 */
#include "exact.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What follows NAME:, whose colon has a blank behind it; problems have none such. */
static char *problem_of(char *line)
{
    char *name_end = strstr(line, ": ");

    line[strcspn(line, "\n")] = '\0';
    return name_end ? name_end + 2 : line;
}

/* 0 when it is new. */
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

static int judge(struct exact *exact, double seconds)
{
    static const char *const words[] = {"right", "WRONG", "declined", "FAILED"};
    char **seen = NULL, *line = NULL;
    size_t count = 0, size = 0;
    long left = 0;
    time_t began = time(NULL);

    while (getline(&line, &size, stdin) > 0) {
        const char *text = problem_of(line);
        enum verdict verdict;
        int side;

        if (text[0] == '\0' || text[0] == '#' || remember(&seen, &count, text))
            continue;
        if (difftime(time(NULL), began) >= seconds) {
            left++;
            continue;
        }
        verdict = (exact->random ? exact_random : exact_run)(exact, text, &side);
        exact->count[verdict]++;
        if (verdict != GOOD)
            printf("%s: %s: %s: %s\n", words[verdict], exact->name[side], text, exact->sentence);
        fflush(stdout);
    }
    printf("%s held to %s: %ld right, %ld wrong, %ld declined, %ld failed, %ld not reached\n",
           exact->name[TESTED], exact->name[REFERENCE], exact->count[GOOD], exact->count[BAD],
           exact->count[DECLINED], exact->count[FAILED], left);
    while (count > 0)
        free(seen[--count]);
    free(seen);
    free(line);
    return exact->count[BAD] || exact->count[FAILED] || !exact->count[GOOD] ? 1 : 0;
}

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
    fprintf(stderr,
            "usage: exact [--device DEVICE] [--seconds N] [--random] TESTED REFERENCE <PROBLEMS\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"random", no_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    struct exact exact = {.handle = {NULL}};
    const char *device = "cuda";
    double seconds = 1e9;
    int option, code;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'd')
            device = optarg;
        else if (option == 's')
            seconds = atof(optarg);
        else if (option == 'r')
            exact.random = 1;
        else
            return usage();
    }
    if (argc - optind != SIDES)
        return usage();
    for (int side = 0; side < SIDES; side++)
        if (open_side(&exact, side, device, argv[optind + side]) != 0)
            return 77;
    code = judge(&exact, seconds);
    exact_free(&exact);
    for (int side = 0; side < SIDES; side++)
        anydnnDestroy(exact.handle[side]);
    return code;
}
