/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the same problems in several processes at once, which share the device. */
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads the rest of the input, of which each process gets a copy. Returns NULL if memory is out. */
static char *read_input(size_t *size)
{
    char *text = NULL;
    FILE *copy = open_memstream(&text, size);
    int byte;

    if (!copy)
        return NULL;
    while ((byte = getchar()) != EOF)
        putc(byte, copy);
    return fclose(copy) == 0 ? text : NULL;
}

/* Starts one of the processes, with the copy as its input and a file of its own as its output.
 * Returns 1 in that process, 0 in its parent, and -1 if this fails. */
static int become(const char *text, size_t size, FILE *output, pid_t *pid)
{
    FILE *input = tmpfile();
    int is_child;

    if (!input || fwrite(text, 1, size, input) != size || fflush(input) != 0 ||
        fseek(input, 0, SEEK_SET) != 0) {
        if (input)
            fclose(input);
        return -1;
    }
    *pid = fork();
    is_child = *pid == 0;
    if (is_child &&
        (dup2(fileno(input), STDIN_FILENO) < 0 || dup2(fileno(output), STDOUT_FILENO) < 0))
        _exit(1);
    clearerr(stdin);
    fclose(input);
    return is_child ? 1 : *pid > 0 ? 0 : -1;
}

/* Copies the output of a process, with the number of the process before each line. */
static void print(FILE *output, int process)
{
    char *line = NULL;
    size_t size = 0;

    rewind(output);
    while (getline(&line, &size, output) > 0)
        printf("%d: %s", process, line);
    free(line);
}

/* Waits for the processes. Returns the largest of their exit statuses. */
static int finish(const pid_t *pids, FILE *const *outputs, int count)
{
    int failed = 0, code = 0;

    for (int i = 0; i < count; i++) {
        int status = 0, own;

        waitpid(pids[i], &status, 0);
        own = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        failed += own != 0;
        code = own > code ? own : code;
        print(outputs[i], i + 1);
        if (WIFSIGNALED(status))
            printf("%d: ended by signal %d\n", i + 1, WTERMSIG(status));
        fclose(outputs[i]);
    }
    printf("%d of %d processes at once failed\n", failed, count);
    return code;
}

static void free_all(pid_t *pids, FILE **outputs, char *text)
{
    free(text);
    free(outputs);
    free(pids);
}

int exact_together(int processes)
{
    pid_t *pids = calloc((size_t)processes, sizeof(*pids));
    FILE **outputs = calloc((size_t)processes, sizeof(FILE *));
    size_t size = 0;
    char *text = read_input(&size);
    int count = 0, code = 1;

    for (int is_child = 0; text && pids && outputs && count < processes; count++) {
        outputs[count] = tmpfile();
        is_child = outputs[count] ? become(text, size, outputs[count], &pids[count]) : -1;
        if (is_child > 0) {
            while (count >= 0)
                fclose(outputs[count--]);
            free_all(pids, outputs, text);
            return -1;
        }
        if (is_child < 0) {
            perror("exact");
            break;
        }
    }
    code = finish(pids, outputs, count);
    code = count < processes && code == 0 ? 1 : code;
    free_all(pids, outputs, text);
    return code;
}
