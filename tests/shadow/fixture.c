/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, handles and problems of the shadow tests. */
#include "tests/shadow/fixture.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/anydnn-shadow-XXXXXX";
static char warnings[65536];
static atomic_size_t warnings_end;

/* Stores a warning. Any thread calls this: each warning has its own slot. */
static void take_warning(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                         const char *message)
{
    size_t length = strlen(message);
    size_t at = atomic_fetch_add(&warnings_end, length + 1);

    (void)severity;
    (void)user;
    (void)debug;
    if (at + length + 1 >= sizeof(warnings))
        return;
    memcpy(warnings + at, message, length);
    warnings[at + length] = '\n';
}

int fixture_group_setup(void **state)
{
    const char *plugins = getenv("ANYDNN_TEST_PLUGINDIR");
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");
    char path[600], command[1400];
    FILE *file;

    (void)state;
    if (plugins == NULL || build == NULL || mkdtemp(folder) == NULL)
        return -1;
    snprintf(command, sizeof(command), "cp %s/anydnn_cpu_ref.so %s/copy.so", plugins, folder);
    if (system(command) != 0)
        return -1;
    snprintf(path, sizeof(path), "%s/anydnn.conf", folder);
    file = fopen(path, "w");
    if (file == NULL)
        return -1;
    fprintf(file,
            "[anydnn]\nplugin_path = %s\nlog = off\n[plugin faulty]\nmodule = "
            "%s/tests/tools/.libs/anydnn_faulty.so\nset.copy = %s/copy.so\nset.fault = rare\n"
            "set.rate = 1\nset.rows = 3\n",
            plugins, build, folder);
    fclose(file);
    setenv("ANYDNN_CONFIG", path, 1);
    return anydnnSetCallback(ANYDNN_SEV_WARNING_EN, NULL, take_warning) == ANYDNN_STATUS_SUCCESS
               ? 0
               : -1;
}

int fixture_group_teardown(void **state)
{
    char command[600];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

const char *fixture_folder(void)
{
    return folder;
}

const char *fixture_warnings(void)
{
    static char text[sizeof(warnings)];

    memcpy(text, warnings, sizeof(text));
    memset(warnings, 0, sizeof(warnings));
    warnings_end = 0;
    return text;
}

anydnnHandle_t fixture_handle(const char *list)
{
    anydnnHandle_t handle;

    assert_ok(anydnnCreateOnDevice(&handle, "cpu"));
    assert_ok(anydnnSetRoute(handle, "*", NULL, list));
    return handle;
}

/* Fills the buffer: floats from 0.5 to 1.5, or small bytes and integers. */
static void fill(void *data, size_t bytes, int floats, unsigned seed)
{
    for (size_t i = 0; floats && i < bytes / sizeof(float); i++) {
        seed = seed * 1103515245U + 12345U;
        ((float *)data)[i] = 0.5F + (float)(seed >> 16 & 0x7fff) / 32768.0F;
    }
    if (!floats)
        memset(data, 1, bytes);
}

void fixture_problem_make(anydnnHandle_t handle, const char *text, struct fixture_problem *made)
{
    anydnnTensorDescriptor_t desc;

    memset(made, 0, sizeof(*made));
    assert_ok(anydnnProblemParse(text, &made->problem));
    assert_ok(anydnnProblemGetOperandCount(made->problem, &made->count));
    assert_ok(anydnnCreateTensorDescriptor(&desc));
    for (int i = 0; i < made->count; i++) {
        int dims[ANYDNN_DIM_MAX], strides[ANYDNN_DIM_MAX], count;
        anydnnDataType_t type;

        assert_ok(anydnnProblemGetOperand(made->problem, i, NULL, desc, NULL));
        assert_ok(anydnnGetTensorSizeInBytes(desc, &made->bytes[i]));
        assert_ok(anydnnGetTensorNdDescriptor(desc, ANYDNN_DIM_MAX, &type, &count, dims, strides));
        made->data[i] = aligned_alloc(256, (made->bytes[i] / 256 + 1) * 256);
        assert_non_null(made->data[i]);
        fill(made->data[i], made->bytes[i], type == ANYDNN_DATA_FLOAT, (unsigned)i + 1);
    }
    assert_ok(anydnnDestroyTensorDescriptor(desc));
    assert_ok(anydnnProblemGetWorkspaceSize(handle, made->problem, &made->workspace_bytes));
    made->workspace = aligned_alloc(256, (made->workspace_bytes / 256 + 1) * 256);
    assert_non_null(made->workspace);
}

anydnnStatus_t fixture_problem_run(anydnnHandle_t handle, const struct fixture_problem *problem)
{
    return anydnnProblemExecute(handle, problem->problem, problem->data, problem->workspace,
                                problem->workspace_bytes);
}

void fixture_problem_free(struct fixture_problem *problem)
{
    for (int i = 0; i < problem->count; i++)
        free(problem->data[i]);
    free(problem->workspace);
    anydnnProblemDestroy(problem->problem);
}

void fixture_run(anydnnHandle_t handle, const char *text)
{
    struct fixture_problem problem;

    fixture_problem_make(handle, text, &problem);
    assert_ok(fixture_problem_run(handle, &problem));
    fixture_problem_free(&problem);
}

int64_t fixture_found(anydnnHandle_t handle, const char *key)
{
    int64_t value = -1;

    assert_ok(anydnnGetShadowInfoInt(handle, key, &value));
    return value;
}

const char *fixture_said(anydnnHandle_t handle, const char *key)
{
    static char text[16384];

    assert_ok(anydnnGetShadowInfo(handle, key, text, sizeof(text)));
    return text;
}
