/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each case in a process of its own, so that the effects of an error end with it. */
#include "work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SKIPPED 77

int gpu_says(const char *words)
{
    return strstr(must_error(), words) != NULL;
}

void gpu_skip(const char *why)
{
    printf("# skipped: %s\n", why);
    fflush(stdout);
    _exit(SKIPPED);
}

static void find_device(void)
{
    anydnnHandle_t handle;

    if (anydnnCreateOnDevice(&handle, "cuda:0") != SUCCESS)
        gpu_skip(must_error());
}

/* Returns the exit code, or 128 plus the number of the signal that ended the case. */
static int run_case(const struct gpu_case *one)
{
    int status = 0;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(GPU_SECONDS);
        one->run();
        exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int is_wanted(const char *name, int argc, char **argv)
{
    int wanted = argc < 2;

    for (int i = 1; i < argc; i++)
        wanted |= strcmp(argv[i], name) == 0;
    return wanted;
}

int gpu_run(const struct gpu_case cases[], int count, int argc, char **argv)
{
    static const struct gpu_case device = {"device", find_device, 0};
    int failed = 0, number = 0;

    if (run_case(&device) == SKIPPED) {
        puts("1..0 # SKIP no CUDA device");
        return SKIPPED;
    }
    for (int i = 0; i < count; i++) {
        int code;

        if (!is_wanted(cases[i].name, argc, argv))
            continue;
        code = run_case(&cases[i]);
        number++;
        if (code == SKIPPED) {
            printf("ok %d - %s # SKIP\n", number, cases[i].name);
            continue;
        }
        failed |= code != cases[i].code;
        printf("%sok %d - %s\n", code == cases[i].code ? "" : "not ", number, cases[i].name);
        if (code != cases[i].code)
            printf("# it ended with %d, not %d\n", code, cases[i].code);
    }
    printf("1..%d\n", number);
    return failed;
}
