/* SPDX-License-Identifier: Apache-2.0 */
/* Calls libcudnn.so.9 as programs do, and prints what they see. The first argument is the library's
 * name or path, as for dlopen; the others are commands. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;

typedef int (*entry)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *);

static void *find(const char *name)
{
    void *symbol = dlsym(library, name);

    if (symbol == NULL) {
        printf("%s: no such function\n", name);
        exit(3);
    }
    return symbol;
}

/* Calls a function with null arguments. */
static int call(const char *name)
{
    void *symbol = find(name);
    entry function;

    memcpy(&function, &symbol, sizeof(function));
    return function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void say_message(void)
{
    void *symbol = find("cudnnGetLastErrorString");
    void (*get)(char *, size_t);
    char text[4000] = "";

    memcpy(&get, &symbol, sizeof(get));
    get(text, sizeof(text));
    printf("message: %s\n", text);
}

static void say_status(const char *name)
{
    printf("%s: %d\n", name, call(name));
}

static void say_strings(void)
{
    void *symbol = find("cudnnGetErrorString");
    const char *(*get)(int);

    memcpy(&get, &symbol, sizeof(get));
    for (int status = -1; status < 6000; status++)
        printf("%d %s\n", status, get(status));
}

static int arguments_pass(void)
{
    void *symbol = find("cudnnRNNForward");
    int (*function)(long, double, long, double, long, double, long, double, long, double, long,
                    double, long, double, long, double, long, double);

    memcpy(&function, &symbol, sizeof(function));
    return function(1, .1, 2, .2, 3, .3, 4, .4, 5, .5, 6, .6, 7, .7, 8, .8, 9, .9);
}

/* Calls each function on standard input with null arguments, in a child: many of them crash. */
static void each(void)
{
    char name[200];

    while (scanf("%199s", name) == 1) {
        int status;
        pid_t child;

        fflush(stdout);
        child = fork();
        if (child == 0) {
            alarm(60);
            (void)!freopen("/dev/null", "w", stderr);
            if (dlsym(library, name) == NULL) {
                printf("%s: absent\n", name);
            } else {
                say_status(name);
                say_message();
            }
            fflush(stdout);
            _exit(0);
        }
        if (waitpid(child, &status, 0) == child && WIFSIGNALED(status))
            printf("%s: signal %d\n", name, WTERMSIG(status));
    }
}

static void *many(void *name)
{
    long wrong = 0;

    for (int i = 0; i < 1000; i++)
        wrong += call(name) != 0 || arguments_pass() != 4711;
    return (void *)wrong;
}

static void threads(void)
{
    static char name[] = "cudnnBackendExecute";
    pthread_t thread[8];
    long wrong = 0;

    for (int i = 0; i < 8; i++)
        if (pthread_create(&thread[i], NULL, many, name) != 0)
            exit(3);
    for (int i = 0; i < 8; i++) {
        void *result;

        pthread_join(thread[i], &result);
        wrong += (long)result;
    }
    printf("threads: %ld wrong\n", wrong);
}

static void in_child(void)
{
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        printf("child: %d %d\n", call("cudnnBackendExecute"), arguments_pass());
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("child ended: %d\n", status);
}

/* Closes the library and calls on; nothing may be unmapped. */
static void close_it(void)
{
    void *symbol = find("cudnnBackendExecute");
    int (*function)(void *, void *, void *);

    memcpy(&function, &symbol, sizeof(function));
    dlclose(library);
    printf("after dlclose: %d\n", function(0, 0, 0));
}

static void late(void)
{
    call("cudnnBackendExecute");
}

static void run(const char *command)
{
    if (strcmp(command, "message") == 0)
        say_message();
    else if (strcmp(command, "strings") == 0)
        say_strings();
    else if (strcmp(command, "arguments") == 0)
        printf("arguments: %d\n", arguments_pass());
    else if (strcmp(command, "each") == 0)
        each();
    else if (strcmp(command, "threads") == 0)
        threads();
    else if (strcmp(command, "fork") == 0)
        in_child();
    else if (strcmp(command, "dlclose") == 0)
        close_it();
    else if (strcmp(command, "atexit") == 0)
        atexit(late);
    else if (strncmp(command, "?", 1) == 0)
        printf("%s: %s\n", command + 1, dlsym(library, command + 1) != NULL ? "present" : "absent");
    else
        say_status(command);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 2;
    }
    for (int i = 2; i < argc; i++)
        run(argv[i]);
    return 0;
}
