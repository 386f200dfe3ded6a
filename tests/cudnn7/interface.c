/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program linked to cuDNN 7's names that uses nothing of anydnn. It checks results of 48 bytes
 * with guard bytes after them, versions, names of statuses, the receiver of messages, and calls
 * that anydnn lacks.
 *
 *   interface               checks all of that; exits with 0 if it matches cuDNN 7's interface
 *   interface create        prints the status of cudnnCreate
 *   interface beside FILE   opens another library first, and prints the same
 */
#include <cudnn.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong;

#define EXPECT(what)                                                                               \
    ((what) ? (void)0 : (void)(wrong++, fprintf(stderr, "line %d: %s\n", __LINE__, #what)))

/* ---- lists of results */

struct convolution {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    float *data[3];
};

static void make(struct convolution *c)
{
    EXPECT(cudnnCreate(&c->handle) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnCreateTensorDescriptor(&c->x) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnCreateTensorDescriptor(&c->y) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnCreateFilterDescriptor(&c->w) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnCreateConvolutionDescriptor(&c->conv) == CUDNN_STATUS_SUCCESS);
    cudnnSetTensor4dDescriptor(c->x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 8, 7);
    cudnnSetFilter4dDescriptor(c->w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 3, 3, 3);
    cudnnSetTensor4dDescriptor(c->y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 4, 8, 7);
    EXPECT(cudnnSetConvolution2dDescriptor(c->conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                           CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS);
    for (int i = 0; i < 3; i++)
        c->data[i] = calloc(2 * 4 * 8 * 7, sizeof(float));
}

static void unmake(struct convolution *c)
{
    for (int i = 0; i < 3; i++)
        free(c->data[i]);
    EXPECT(cudnnDestroyConvolutionDescriptor(c->conv) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnDestroyFilterDescriptor(c->w) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnDestroyTensorDescriptor(c->y) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnDestroyTensorDescriptor(c->x) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnDestroy(c->handle) == CUDNN_STATUS_SUCCESS);
}

/* The number of calls that ask() makes, and the capacity of a buffer in results. */
enum { ASKED = 9, MOST = 40 };

static cudnnStatus_t ask(struct convolution *c, int which, int most, int *count, void *results)
{
    switch (which) {
    case 0:
        return cudnnFindConvolutionForwardAlgorithm(c->handle, c->x, c->w, c->conv, c->y, most,
                                                    count, results);
    case 1:
        return cudnnFindConvolutionForwardAlgorithmEx(c->handle, c->x, c->data[0], c->w, c->data[1],
                                                      c->conv, c->y, c->data[2], most, count,
                                                      results, NULL, 0);
    case 2:
        return cudnnGetConvolutionForwardAlgorithm_v7(c->handle, c->x, c->w, c->conv, c->y, most,
                                                      count, results);
    case 3:
        return cudnnFindConvolutionBackwardDataAlgorithm(c->handle, c->w, c->y, c->conv, c->x, most,
                                                         count, results);
    case 4:
        return cudnnFindConvolutionBackwardDataAlgorithmEx(c->handle, c->w, c->data[1], c->y,
                                                           c->data[2], c->conv, c->x, c->data[0],
                                                           most, count, results, NULL, 0);
    case 5:
        return cudnnGetConvolutionBackwardDataAlgorithm_v7(c->handle, c->w, c->y, c->conv, c->x,
                                                           most, count, results);
    case 6:
        return cudnnFindConvolutionBackwardFilterAlgorithm(c->handle, c->x, c->y, c->conv, c->w,
                                                           most, count, results);
    case 7:
        return cudnnFindConvolutionBackwardFilterAlgorithmEx(c->handle, c->x, c->data[0], c->y,
                                                             c->data[2], c->conv, c->w, c->data[1],
                                                             most, count, results, NULL, 0);
    default:
        return cudnnGetConvolutionBackwardFilterAlgorithm_v7(c->handle, c->x, c->y, c->conv, c->w,
                                                             most, count, results);
    }
}

/* The members of a result, read one by one from cuDNN 7's 48 bytes. */
struct result {
    int algo, status, determinism, math;
    float time;
    size_t memory;
};

static struct result read_result(const unsigned char *bytes)
{
    struct result r;

    memcpy(&r.algo, bytes, 4);
    memcpy(&r.status, bytes + 4, 4);
    memcpy(&r.time, bytes + 8, 4);
    memcpy(&r.memory, bytes + 16, 8);
    memcpy(&r.determinism, bytes + 24, 4);
    memcpy(&r.math, bytes + 28, 4);
    return r;
}

static void check_result(const struct result *r, int which, int permitted, int *ran)
{
    static const int algorithms[] = {8, 6, 7};

    EXPECT(r->algo >= 0 && r->algo < algorithms[which / 3]);
    EXPECT(r->status >= 0 && r->status <= 13);
    EXPECT(r->determinism == 0 || r->determinism == 1);
    EXPECT(r->math >= 0 && r->math <= permitted);
    EXPECT(r->time == -1.0f || (r->time >= 0.0f && r->time < 1e6f));
    EXPECT(r->memory < (size_t)1 << 40);
    *ran += r->status == 0;
}

/* Checks that the call writes at most `most` results, and no byte after them. */
static void check_list(struct convolution *c, int which, int most, int permitted)
{
    unsigned char bytes[48 * MOST];
    int count = -7, ran = 0;

    memset(bytes, 0xa5, sizeof(bytes));
    EXPECT(ask(c, which, most, &count, bytes) == CUDNN_STATUS_SUCCESS);
    EXPECT(count >= 1 && count <= most && count < MOST);
    for (int i = 0; i < count && i < MOST; i++) {
        struct result r = read_result(bytes + 48 * i);

        check_result(&r, which, permitted, &ran);
    }
    EXPECT(ran >= 1);
    for (size_t i = count > 0 ? 48 * (size_t)count : 0; i < sizeof(bytes); i++)
        if (bytes[i] != 0xa5) {
            fprintf(stderr, "query %d, at most %d: byte %zu behind %d results\n", which, most, i,
                    count);
            wrong++;
            return;
        }
}

static void check_refused(struct convolution *c, int which)
{
    unsigned char bytes[48];
    int count = -7;

    memset(bytes, 0xa5, sizeof(bytes));
    EXPECT(ask(c, which, 0, &count, bytes) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(ask(c, which, -1, &count, bytes) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(ask(c, which, 1, NULL, bytes) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(ask(c, which, 1, &count, NULL) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(count == -7);
    for (size_t i = 0; i < sizeof(bytes); i++)
        EXPECT(bytes[i] == 0xa5);
}

static void check_lists(void)
{
    static const int most[] = {1, 2, 8, MOST - 1, 2000000000};
    struct convolution c;

    make(&c);
    for (int math = 0; math <= 2; math++) {
        EXPECT(cudnnSetConvolutionMathType(c.conv, (cudnnMathType_t)math) == CUDNN_STATUS_SUCCESS);
        for (int which = 0; which < ASKED; which++)
            for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
                check_list(&c, which, most[i], math);
    }
    for (int which = 0; which < ASKED; which++)
        check_refused(&c, which);
    unmake(&c);
}

/* ---- versions, names, state */

static void check_words(void)
{
    static const char *const names[] = {"SUCCESS",
                                        "NOT_INITIALIZED",
                                        "ALLOC_FAILED",
                                        "BAD_PARAM",
                                        "INTERNAL_ERROR",
                                        "INVALID_VALUE",
                                        "ARCH_MISMATCH",
                                        "MAPPING_ERROR",
                                        "EXECUTION_FAILED",
                                        "NOT_SUPPORTED",
                                        "LICENSE_ERROR",
                                        "RUNTIME_PREREQUISITE_MISSING",
                                        "RUNTIME_IN_PROGRESS",
                                        "RUNTIME_FP_OVERFLOW"};
    static const int strange[] = {14, 100, 102, -1, 0x7fffffff, -0x7fffffff - 1};
    int value[3] = {0, 0, 0};

    EXPECT(cudnnGetVersion() == 7605);
    EXPECT(cudnnGetCudartVersion() >= 9000);
    EXPECT(cudnnGetProperty(MAJOR_VERSION, &value[0]) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnGetProperty(MINOR_VERSION, &value[1]) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnGetProperty(PATCH_LEVEL, &value[2]) == CUDNN_STATUS_SUCCESS);
    EXPECT(value[0] == 7 && value[1] == 6 && value[2] == 5);
    EXPECT(cudnnGetProperty((libraryPropertyType)3, &value[0]) == CUDNN_STATUS_INVALID_VALUE);
    EXPECT(cudnnGetProperty(MAJOR_VERSION, NULL) == CUDNN_STATUS_BAD_PARAM);
    for (int i = 0; i < 14; i++) {
        const char *name = cudnnGetErrorString((cudnnStatus_t)i);

        EXPECT(strncmp(name, "CUDNN_STATUS_", 13) == 0 && strcmp(name + 13, names[i]) == 0);
    }
    for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
        EXPECT(strcmp(cudnnGetErrorString((cudnnStatus_t)strange[i]), "CUDNN_UNKNOWN_STATUS") == 0);
}

static void check_state(void)
{
    cudnnHandle_t handle = NULL;
    cudnnStatus_t state = CUDNN_STATUS_INTERNAL_ERROR;

    EXPECT(cudnnCreate(NULL) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS && handle);
    EXPECT(cudnnQueryRuntimeError(handle, &state, CUDNN_ERRQUERY_BLOCKING, NULL) ==
           CUDNN_STATUS_SUCCESS);
    EXPECT(state == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnQueryRuntimeError(handle, NULL, CUDNN_ERRQUERY_BLOCKING, NULL) ==
           CUDNN_STATUS_BAD_PARAM);
    EXPECT(cudnnDestroy(handle) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnSetStream(NULL, NULL) == CUDNN_STATUS_NOT_INITIALIZED);
}

/* ---- messages */

static int heard[2];
static char last[400];

/* Counts a message as programs do, without a check that dbg is not NULL. */
static void hear(cudnnSeverity_t sev, void *udata, const cudnnDebug_t *dbg, const char *msg)
{
    heard[*(int *)udata]++;
    EXPECT((int)sev >= 0 && (int)sev <= 3);
    EXPECT(dbg->cudnn_version == 7605);
    EXPECT((int)dbg->cudnnStatus >= 0 && (int)dbg->cudnnStatus <= 13);
    EXPECT(dbg->pid == (unsigned long long)getpid() && dbg->tid != 0);
    EXPECT(dbg->time_sec > 1500000000u && dbg->time_usec < 1000000u && dbg->time_delta < 3600u);
    snprintf(last, sizeof(last), "%s", msg);
}

static void check_messages(void)
{
    static int numbers[2] = {0, 1};
    cudnnCallback_t fptr = NULL;
    void *udata = &heard;
    unsigned mask = 99;
    int before;

    EXPECT(cudnnGetCallback(&mask, &udata, &fptr) == CUDNN_STATUS_SUCCESS);
    EXPECT(mask == 0 && !udata && !fptr);
    EXPECT(cudnnSetCallback(CUDNN_SEV_WARNING_EN | CUDNN_SEV_ERROR_EN, &numbers[0], hear) ==
           CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnSetTensor4dDescriptor(NULL, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1) ==
           CUDNN_STATUS_BAD_PARAM);
    EXPECT(heard[0] == 1 && strstr(last, "SetTensor4dDescriptor"));
    EXPECT(cudnnGetCallback(&mask, &udata, &fptr) == CUDNN_STATUS_SUCCESS);
    EXPECT(mask == (CUDNN_SEV_WARNING_EN | CUDNN_SEV_ERROR_EN) && udata == &numbers[0] &&
           fptr == hear);
    EXPECT(cudnnGetCallback(NULL, &udata, &fptr) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(cudnnGetCallback(&mask, &udata, NULL) == CUDNN_STATUS_BAD_PARAM);
    before = heard[0];
    EXPECT(cudnnSetCallback(CUDNN_SEV_WARNING_EN, &numbers[1], hear) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnSetFilter4dDescriptor(NULL, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, 1) ==
           CUDNN_STATUS_BAD_PARAM);
    EXPECT(heard[0] == before && heard[1] == 1);
    EXPECT(cudnnSetCallback(0, NULL, NULL) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnDestroyTensorDescriptor(NULL) == CUDNN_STATUS_SUCCESS);
    EXPECT(cudnnSetPooling2dDescriptor(NULL, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 1, 1, 0, 0,
                                       1, 1) == CUDNN_STATUS_BAD_PARAM);
    EXPECT(heard[1] == 1);
}

/* ---- functions that anydnn lacks */

/* Checks a program that would use recurrent layers: it gets an error status and continues
 * without them. */
static void check_lacking(void)
{
    cudnnRNNDescriptor_t rnn = NULL;
    cudnnAttnDescriptor_t attention = NULL;
    cudnnFusedOpsPlan_t plan = NULL;
    size_t bytes = 0;

    for (int i = 0; i < 3; i++) {
        EXPECT(cudnnCreateRNNDescriptor(&rnn) == CUDNN_STATUS_NOT_SUPPORTED);
        EXPECT(cudnnGetRNNWorkspaceSize(NULL, rnn, 3, NULL, &bytes) == CUDNN_STATUS_NOT_SUPPORTED);
        EXPECT(cudnnRNNForwardInference(NULL, rnn, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                        0) == CUDNN_STATUS_NOT_SUPPORTED);
        EXPECT(cudnnDestroyRNNDescriptor(rnn) == CUDNN_STATUS_NOT_SUPPORTED);
    }
    EXPECT(cudnnCreateAttnDescriptor(&attention) == CUDNN_STATUS_NOT_SUPPORTED);
    EXPECT(cudnnCreateFusedOpsPlan(&plan, CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS) ==
           CUDNN_STATUS_NOT_SUPPORTED);
    check_state();
}

/* ---- the end of the process */

static void at_exit(void)
{
    cudnnHandle_t handle = NULL;

    /* The shim must translate anydnn's SHUTTING_DOWN, which cuDNN 7 does not have. */
    if (cudnnCreate(&handle) != CUDNN_STATUS_NOT_INITIALIZED) {
        fprintf(stderr, "cudnnCreate while the process exits\n");
        _exit(1);
    }
}

static int print_create(void)
{
    cudnnHandle_t handle = NULL;
    cudnnStatus_t status = cudnnCreate(&handle);

    puts(cudnnGetErrorString(status));
    if (handle)
        cudnnDestroy(handle);
    return (handle != NULL) != (status == CUDNN_STATUS_SUCCESS);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "beside") == 0 && !dlopen(argv[2], RTLD_NOW | RTLD_LOCAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (argc > 1)
        return print_create();
    atexit(at_exit);
    check_words();
    check_messages();
    check_state();
    check_lists();
    check_lacking();
    return wrong != 0;
}
