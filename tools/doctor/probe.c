/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the version functions of a libcudnn.so.9 in a child process. The library loads its parts
 * for them, from where programs in this environment would get them. */
#include "doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A damaged library may hang. */
enum { SECONDS = 60 };

static size_t number_of(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    size_t (*function)(void);

    memcpy(&function, &symbol, sizeof(function));
    return symbol != NULL ? function() : 0;
}

static void add_check(void *library, json_t *checks, const char *part)
{
    void *message = dlsym(library, "cudnnGetLastErrorString");
    void (*get)(char *text, size_t size);
    char name[60], text[1000] = "";
    int (*check)(void);
    json_t *one;
    void *symbol;

    snprintf(name, sizeof(name), "cudnn%sVersionCheck", part);
    symbol = dlsym(library, name);
    if (symbol == NULL)
        return;
    memcpy(&check, &symbol, sizeof(check));
    one = json_object();
    json_object_set_new(one, "name", json_string(name));
    json_object_set_new(one, "status", json_integer(check()));
    memcpy(&get, &message, sizeof(get));
    if (message != NULL)
        get(text, sizeof(text));
    json_object_set_new(one, "message", tool_json_text(text));
    json_array_append_new(checks, one);
}

static int add_part(struct dl_phdr_info *object, size_t size, void *cookie)
{
    const char *slash = object->dlpi_name != NULL ? strrchr(object->dlpi_name, '/') : NULL;

    (void)size;
    if (slash != NULL && strncmp(slash + 1, "libcudnn_", 9) == 0)
        json_array_append_new(cookie, tool_json_text(object->dlpi_name));
    return 0;
}

static json_t *examine(const char *file)
{
    static const char *const checks[] = {"Graph", "Ops", "Cnn", "Adv"};
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    json_t *answer = json_object();
    json_t *list = json_array();
    json_t *parts = json_array();

    if (library == NULL) {
        json_object_set_new(answer, "failure", tool_json_text(dlerror()));
    } else if (dlsym(library, "anydnnCudnn9Real") != NULL) {
        json_object_set_new(answer, "front", json_true());
    } else {
        json_object_set_new(answer, "version",
                            json_integer((json_int_t)number_of(library, "cudnnGetVersion")));
        json_object_set_new(answer, "cuda",
                            json_integer((json_int_t)number_of(library, "cudnnGetCudartVersion")));
        json_object_set_new(
            answer, "newest",
            json_integer((json_int_t)number_of(library, "cudnnGetMaxDeviceVersion")));
        for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
            add_check(library, list, checks[i]);
        dl_iterate_phdr(add_part, parts);
    }
    json_object_set_new(answer, "checks", list);
    json_object_set_new(answer, "parts", parts);
    return answer;
}

/* Runs in the child. Messages of the library must not mix with this program's output. */
static void write_answer(const char *file, int to)
{
    int null = open("/dev/null", O_WRONLY);
    json_t *answer;

    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    alarm(SECONDS);
    answer = examine(file);
    _exit(json_dumpfd(answer, to, 0) == 0 ? 0 : 1);
}

void doctor_probe(json_t *installation)
{
    const char *file = tool_text_of(installation, "file");
    json_t *answer = NULL;
    int ends[2];
    int status = 0;
    pid_t child;

    fflush(NULL);
    if (pipe(ends) != 0) {
        json_object_set_new(installation, "failure", tool_json_text(strerror(errno)));
        return;
    }
    child = fork();
    if (child == 0) {
        close(ends[0]);
        write_answer(file, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        answer = json_loadfd(ends[0], 0, NULL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    if (answer != NULL)
        json_object_update(installation, answer);
    else
        json_object_set_new(installation, "failure",
                            WIFSIGNALED(status)
                                ? json_sprintf("its version functions end the process by signal %d",
                                               WTERMSIG(status))
                                : json_string("its version functions cannot be called"));
    json_decref(answer);
}
