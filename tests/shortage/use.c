/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a program, from the creation of its handle to the end; each may fail. */
#include "tests/shortage/use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anydnn/anydnn.h>

static const char *const problems[] = {
    "pooling_forward x=f32:2,3,8,6 y=f32:2,3,4,3 window=2,2 stride=2,2",
    "softmax_forward x=f32:2,3,4,5 y=f32:2,3,4,5",
    "activation_forward x=f32:2,3,4,5 y=f32:2,3,4,5 activation=relu",
};

static float data[4][4096];
static char workspace[1 << 20] __attribute__((aligned(256)));

/* Records a status: success, or a shortage with a sentence; anything else is wrong. Returns 1 on
 * success. */
static int fine(struct use *use, const char *what, anydnnStatus_t status)
{
    char text[300];

    if (status == ANYDNN_STATUS_SUCCESS)
        return 1;
    anydnnGetLastErrorString(text, sizeof text);
    use->refused++;
    if (status != ANYDNN_STATUS_ALLOC_FAILED || text[0] == '\0') {
        use->wrong++;
        snprintf(use->sentence, sizeof use->sentence, "%s: %s: %s", what,
                 anydnnGetErrorString(status), text);
    }
    return 0;
}

#define FINE(call) fine(use, #call, call)

struct layer {
    anydnnTensorDescriptor_t x, y;
    anydnnFilterDescriptor_t w;
    anydnnConvolutionDescriptor_t conv;
};

static int describe(struct use *use, struct layer *l)
{
    return FINE(anydnnCreateTensorDescriptor(&l->x)) && FINE(anydnnCreateTensorDescriptor(&l->y)) &&
           FINE(anydnnCreateFilterDescriptor(&l->w)) &&
           FINE(anydnnCreateConvolutionDescriptor(&l->conv)) &&
           FINE(anydnnSetTensor4dDescriptor(l->x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 8,
                                            6)) &&
           FINE(anydnnSetTensor4dDescriptor(l->y, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 4, 8,
                                            6)) &&
           FINE(anydnnSetFilter4dDescriptor(l->w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 4, 3, 3,
                                            3)) &&
           FINE(anydnnSetConvolution2dDescriptor(l->conv, 1, 1, 1, 1, 1, 1,
                                                 ANYDNN_CROSS_CORRELATION, ANYDNN_DATA_FLOAT));
}

static void convolve(struct use *use, anydnnHandle_t handle, const struct layer *l)
{
    anydnnConvolutionFwdAlgoPerf_t found[4];
    const float one = 1, zero = 0;
    char backend[40] = "";
    int count = 0;

    for (int i = 0; i < 2; i++)
        if (FINE(anydnnConvolutionForward(handle, &one, l->x, data[0], l->w, data[1], l->conv,
                                          ANYDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, workspace,
                                          sizeof workspace, &zero, l->y, data[2])) &&
            FINE(anydnnGetDispatchInfo(handle, "backend", backend, sizeof backend)) &&
            strcmp(backend, use->backend) != 0) {
            use->wrong++;
            snprintf(use->sentence, sizeof use->sentence, "ran on %s", backend);
        }
    FINE(
        anydnnFindConvolutionForwardAlgorithm(handle, l->x, l->w, l->conv, l->y, 4, &count, found));
    FINE(anydnnGetConvolutionForwardAlgorithm_v2(handle, l->x, l->w, l->conv, l->y,
                                                 sizeof workspace, 4, &count, found));
}

static void run_text(struct use *use, anydnnHandle_t handle, const char *text)
{
    void *pointers[2] = {data[0], data[2]};
    anydnnProblem_t problem = NULL;
    char told[2000];
    size_t bytes = 0;

    if (FINE(anydnnProblemParse(text, &problem))) {
        FINE(anydnnProblemExplain(handle, problem, told, sizeof told, &bytes));
        FINE(anydnnProblemGetWorkspaceSize(handle, problem, &bytes));
        FINE(anydnnProblemExecute(handle, problem, pointers, workspace, sizeof workspace));
    }
    FINE(anydnnProblemDestroy(problem));
}

static void record(struct use *use, anydnnHandle_t handle)
{
    anydnnRecording_t recording = NULL;
    anydnnMark_t mark = NULL;
    void *memory = NULL;

    if (FINE(anydnnRecordBegin(handle))) {
        run_text(use, handle, problems[0]);
        if (FINE(anydnnRecordEnd(handle, &recording)))
            FINE(anydnnReplay(handle, recording));
    }
    FINE(anydnnRecordingDestroy(handle, recording));
    FINE(anydnnMark(handle, &mark));
    FINE(anydnnMarkDestroy(handle, mark));
    FINE(anydnnMemAlloc(handle, 100, &memory));
    FINE(anydnnMemFree(handle, memory));
}

/* Sets trace, shadow and checks, and turns them off. */
static void watch(struct use *use, anydnnHandle_t handle)
{
    const char *folder = getenv("ANYDNN_TEST_SHORTAGE_FOLDER");
    char trace[4200];

    snprintf(trace, sizeof trace, "file = %s/calls; keep = 0", folder ? folder : "/tmp");
    if (FINE(anydnnSetTrace(handle, trace)))
        run_text(use, handle, problems[0]);
    FINE(anydnnSetTrace(handle, "file = off"));
    FINE(anydnnSetShadow(handle, "sample = off; operations = *; budget = none"));
    FINE(anydnnSetCheck(handle, "outputs = nan, inf"));
    FINE(anydnnSetCheck(handle, "outputs = off"));
}

static void with_handle(struct use *use, anydnnHandle_t handle)
{
    struct layer l = {NULL, NULL, NULL, NULL};

    FINE(anydnnSetRoute(handle, "*", NULL, use->backend));
    if (describe(use, &l))
        convolve(use, handle, &l);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        run_text(use, handle, problems[i]);
    record(use, handle);
    watch(use, handle);
    FINE(anydnnDestroyTensorDescriptor(l.x));
    FINE(anydnnDestroyTensorDescriptor(l.y));
    FINE(anydnnDestroyFilterDescriptor(l.w));
    FINE(anydnnDestroyConvolutionDescriptor(l.conv));
}

void use_library(struct use *use)
{
    anydnnHandle_t handle = NULL;

    if (FINE(anydnnCreateOnDevice(&handle, "cpu")))
        with_handle(use, handle);
    FINE(anydnnDestroy(handle));
}
