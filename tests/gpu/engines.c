/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries every engine configuration of cuDNN for a convolution, including those that the backend
 * does not offer. It prints the notes of cuDNN, and how far the results are from those of another
 * backend in double. The backend's table of engines with incomplete notes is based on this output.
 *
 *   engines [--device DEVICE] [--seconds N] [--compiled N] REFERENCE <PROBLEMS
 *
 * PROBLEMS has one problem per line in text form. The output has a line for each problem, followed
 * by a line for each configuration:
 *   engine INDEX OPERATION TYPE notes=WORDS math=N kernel=compiled|ready knobs=TYPE:VALUE,...
 *   integers=DIFFERENT/ALL:RELATIVE piled=... random=...
 * or by the reason why cuDNN refused. Inputs are those of tests/gpu/exact. Whole numbers give the
 * same bits in any order of summation in float. An engine that ends the process is reported and
 * skipped. No further problem begins after --seconds N. cuDNN compiles the kernels of some engines,
 * which takes seconds. --compiled N limits the configurations of such an engine for each operation
 * and type (default 1). The environment variable CUDNN_LIBRARY names cuDNN's library. The exit
 * status is 0, or 2 for wrong usage, or 77 if the device or cuDNN does not exist.
 */
#include "engines.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct trials {
    const char *device, *reference;
    long compiled_most;
    time_t end;
    char **line;
    long count;
};

static int open_side(struct exact *exact, int side, const struct trials *trials)
{
    char list[100];

    exact->name[side] = trials->reference;
    snprintf(list, sizeof(list), "%s, fallback:off", trials->reference);
    return anydnnCreateOnDevice(&exact->handle[side], trials->device) == SUCCESS &&
                   anydnnSetRoute(exact->handle[side], "*", NULL, list) == SUCCESS
               ? 0
               : -1;
}

static int try_all(const struct trials *trials, struct place *place)
{
    static struct trial trial;
    const char *sentence;

    trial.compiled_most = trials->compiled_most;
    if (open_side(&trial.exact, TESTED, trials) != 0 ||
        open_side(&trial.exact, REFERENCE, trials) != 0 || cdn_library_open(&sentence) != 0 ||
        cudnn.cudnnCreate(&trial.cudnn) != CUDNN_STATUS_SUCCESS)
        return 77;
    for (; place->problem < trials->count && time(NULL) < trials->end; place->problem++) {
        engines_try(&trial, trials->line[place->problem], place);
        fflush(stdout);
    }
    printf("%ld of %ld problems\n", place->problem, trials->count);
    return 0;
}

static int read_lines(struct trials *trials)
{
    char *text = NULL;
    size_t size = 0;

    while (getline(&text, &size, stdin) > 0) {
        text[strcspn(text, "\n")] = '\0';
        trials->line = realloc(trials->line, (size_t)(trials->count + 1) * sizeof(*trials->line));
        if (!trials->line || !(trials->line[trials->count++] = strdup(text)))
            return -1;
    }
    free(text);
    return 0;
}

/* Tries the engines in child processes. Each one continues after the engine that ended the previous
 * process. */
static int try_apart(const struct trials *trials, struct place *place)
{
    for (;;) {
        int status = 0;
        pid_t pid;

        fflush(stdout);
        pid = fork();
        if (pid == 0)
            exit(try_all(trials, place));
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            return 1;
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77))
            return WEXITSTATUS(status);
        printf(" ended with %d\n", status);
        place->engine++;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"compiled", required_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    struct trials trials = {.device = "cuda", .compiled_most = 1};
    long seconds = 1000000;
    struct place *place;
    int option;

    engines_begin();
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'd')
            trials.device = optarg;
        else if (option == 's')
            seconds = atol(optarg);
        else if (option == 'c')
            trials.compiled_most = atol(optarg);
        else
            argc = 0;
    }
    if (argc - optind != 1) {
        fprintf(stderr, "usage: engines [--device DEVICE] [--seconds N] [--compiled N] REFERENCE "
                        "<PROBLEMS\n");
        return 2;
    }
    trials.reference = argv[optind];
    trials.end = time(NULL) + seconds;
    place = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || read_lines(&trials) != 0)
        return 1;
    return try_apart(&trials, place);
}
