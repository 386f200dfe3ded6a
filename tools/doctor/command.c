/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn doctor: shows which cuDNN 9 is installed, and whether its files, CUDA and the driver fit
 * together. */
#include "doctor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CUDA 13 ended the support of older GPUs. */
enum { CUDA_13 = 13000, OLDEST_OF_CUDA_13 = 750, VERSION_MISMATCH = 1002 };

void doctor_problem(json_t *object, const char *format, ...)
{
    char sentence[2000];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    if (json_object_get(object, "problems") == NULL)
        json_object_set_new(object, "problems", json_array());
    json_array_append_new(json_object_get(object, "problems"), tool_json_text(sentence));
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? (size_t)(slash - path) : 0;
}

/* Reports parts that the library loads from another folder than its own. */
static void judge_parts(json_t *one)
{
    const json_t *parts = json_object_get(one, "parts");
    const char *file = tool_text_of(one, "real");

    for (size_t i = 0; i < json_array_size(parts); i++) {
        char *part = realpath(json_string_value(json_array_get(parts, i)), NULL);
        size_t length = part != NULL ? folder_length(part) : 0;

        if (part != NULL && (length != folder_length(file) || strncmp(part, file, length) != 0)) {
            doctor_problem(one,
                           "it loads %s from another folder; name one folder in LD_LIBRARY_PATH, "
                           "or none, and install all parts of one version there",
                           part);
            free(part);
            return;
        }
        free(part);
    }
}

/* Reports parts that the version functions do not load, but computing does. */
static void judge_files(json_t *one)
{
    static const char *const names[] = {"libcudnn_graph.so.9",
                                        "libcudnn_ops.so.9",
                                        "libcudnn_cnn.so.9",
                                        "libcudnn_adv.so.9",
                                        "libcudnn_heuristic.so.9",
                                        "libcudnn_engines_precompiled.so.9",
                                        "libcudnn_engines_runtime_compiled.so.9"};
    const char *file = tool_text_of(one, "file");
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)folder_length(file), file,
                             names[i]) < sizeof(path) &&
            access(path, R_OK) != 0)
            doctor_problem(one, "%s is missing beside it; reinstall cuDNN", names[i]);
}

static void judge_checks(json_t *one)
{
    const json_t *checks = json_object_get(one, "checks");

    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *check = json_array_get(checks, i);
        int status = (int)tool_number_of(check, "status");

        if (status == 0)
            continue;
        doctor_problem(one, "%s returns %d%s%s%s", tool_text_of(check, "name"), status,
                       status == VERSION_MISMATCH ? " (SUBLIBRARY_VERSION_MISMATCH)" : "",
                       *tool_text_of(check, "message") != '\0' ? ": " : "",
                       tool_text_of(check, "message"));
        return;
    }
}

static void judge_devices(json_t *one, const json_t *driver)
{
    const json_t *devices = json_object_get(driver, "devices");
    int cuda = (int)tool_number_of(one, "cuda"), newest = (int)tool_number_of(one, "newest");
    int supported = (int)tool_number_of(driver, "cuda_number");

    if (supported > 0 && cuda / 1000 > supported / 1000)
        doctor_problem(one,
                       "it is for CUDA %d, and the driver supports CUDA %s; update the driver or "
                       "install the cuDNN for CUDA %d (nvidia-cudnn-cu%d)",
                       cuda / 1000, tool_text_of(driver, "cuda"), supported / 1000,
                       supported / 1000);
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);
        int capability = (int)tool_number_of(device, "capability_number");

        if (newest > 0 && capability > newest)
            doctor_problem(one, "it is older than %s (capability %s); install a newer cuDNN",
                           tool_text_of(device, "name"), tool_text_of(device, "capability"));
        if (cuda >= CUDA_13 && capability < OLDEST_OF_CUDA_13)
            doctor_problem(one,
                           "it is for CUDA 13, which does not support %s (capability %s); install "
                           "the cuDNN for CUDA 12 (nvidia-cudnn-cu12)",
                           tool_text_of(device, "name"), tool_text_of(device, "capability"));
    }
}

static void add_texts(json_t *one)
{
    int version = (int)tool_number_of(one, "version"), cuda = (int)tool_number_of(one, "cuda");
    int newest = (int)tool_number_of(one, "newest");

    if (version == 0)
        return;
    json_object_set_new(
        one, "version_text",
        json_sprintf("%d.%d.%d", version / 10000, version / 100 % 100, version % 100));
    json_object_set_new(one, "cuda_text", json_sprintf("%d.%d", cuda / 1000, cuda % 1000 / 10));
    json_object_set_new(one, "newest_text", json_sprintf("%d.%d", newest / 100, newest % 100 / 10));
}

static void judge(json_t *one, const json_t *driver)
{
    doctor_probe(one);
    doctor_packages_of(one);
    if (json_is_true(json_object_get(one, "front")))
        return;
    if (*tool_text_of(one, "failure") != '\0')
        doctor_problem(one, "%s", tool_text_of(one, "failure"));
    add_texts(one);
    judge_files(one);
    judge_checks(one);
    judge_parts(one);
    judge_devices(one, driver);
}

static int run(struct tool *tool, int argc, char **argv)
{
    json_t *answer, *driver, *installations;
    size_t found = 0, problems = 0;
    int first;
    int code = tool_options(tool, &tool_doctor, NULL, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    answer = json_object();
    driver = doctor_driver();
    installations = doctor_installed(argv + first, argc - first);
    for (size_t i = 0; i < json_array_size(installations); i++) {
        json_t *one = json_array_get(installations, i);

        judge(one, driver);
        found += !json_is_true(json_object_get(one, "front"));
        problems += json_array_size(json_object_get(one, "problems"));
    }
    if (found == 0)
        doctor_problem(answer, "no cuDNN 9 was found; install it (pip install nvidia-cudnn-cu13), "
                               "or name its folder as an argument");
    json_object_set_new(answer, "driver", driver);
    json_object_set_new(answer, "installations", installations);
    json_object_set_new(answer, "libraries", doctor_libraries());
    code = problems + json_array_size(json_object_get(answer, "problems")) > 0 ? TOOL_FAILED
                                                                               : TOOL_FINE;
    if (!tool->json) {
        doctor_print(answer);
        json_decref(answer);
    } else if (tool_print_json(tool, answer) != TOOL_FINE) {
        code = TOOL_FAILED;
    }
    return code;
}

static const struct tool_option no_options[] = {TOOL_OPTIONS_END};

const struct tool_command tool_doctor = {
    "doctor",   "[FOLDER...]", "Examines the installed cuDNN 9, CUDA's libraries and the driver.",
    no_options, run,           0};
