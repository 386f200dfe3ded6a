/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in the style of cuDNN 7, in C. It runs a layer of three groups as three calls on parts
 * of the same tensors. Each group has its own stream and handle, as frameworks did before cuDNN had
 * groups. The parts are interleaved, so a call that touches more than its elements corrupts those
 * of another stream. The program uses nothing of anydnn; it is compiled against cuDNN and against
 * anydnn's cudnn.h.
 *
 *   groups [NAME=VALUE ...]
 *     rounds=N       rounds of each shape (20)
 *     processes=N    concurrent processes, each of which judges its own results (1)
 *     handles=1|3    one handle for all groups, or one each (3)
 *     streams=1|3    one stream for all groups, or one each (3)
 *     workspace=0|1  0: one for all groups; 1: a part of one allocation each (1)
 *     start=N        floats between the aligned address and the first element (0)
 *     algorithm=N    cuDNN's number for the forward convolution (0)
 *     bias=0|1       1: the bias is added after the convolution (1)
 *
 * Whole numbers make every correct result exact, and outputs hold NaN before each round. The
 * program prints the sum and the norm of each output. It prints each wrong element to stderr, and
 * returns 1 if there is one.
 */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudnnStatus_t status_ = (call);                                                            \
        if (status_ != CUDNN_STATUS_SUCCESS) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudnnGetErrorString(status_));      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define CUDA(call)                                                                                 \
    do {                                                                                           \
        if ((call) != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: CUDA fails\n", __FILE__, __LINE__);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { N = 2, GROUPS = 3, TAPS = 3, STRIDE = 2, SHAPES = 3, FILTER = GROUPS * TAPS * TAPS };
/* The shapes. y has 2, 9 and 8 floats per group. In the first two, the second group does not begin
 * at a multiple of 16 bytes. */
static const struct {
    int h, w;
} shapes[SHAPES] = {{6, 4}, {7, 7}, {5, 9}};

static struct {
    const char *name;
    int value;
} options[] = {{"rounds", 20},   {"processes", 1}, {"handles", GROUPS}, {"streams", GROUPS},
               {"workspace", 1}, {"start", 0},     {"algorithm", 0},    {"bias", 1}};
enum { ROUNDS, PROCESSES, HANDLES, STREAMS, WORKSPACE, START, ALGORITHM, BIAS, OPTIONS };

static int value(int option)
{
    return options[option].value;
}

struct layer {
    int h, w, p, q; /* height and width of x and of y */
    cudnnTensorDescriptor_t x, y, bias_desc;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    float *in, *weights, *bias, *out, *back; /* on the device */
    char *workspace;
    size_t bytes;
    float *want_out, *want_back, *got;
};

static cudnnHandle_t handle[GROUPS];
static cudaStream_t stream[GROUPS];

static int in_count(const struct layer *l)
{
    return N * GROUPS * l->h * l->w;
}

static int out_count(const struct layer *l)
{
    return N * GROUPS * l->p * l->q;
}

static float number(int i, int step)
{
    return (float)((i * step + i / 5) % 7 - 3);
}

static float *device(int count, int step)
{
    float *host = (float *)malloc((size_t)count * sizeof(float)), *pointer;

    for (int i = 0; i < count; i++)
        host[i] = number(i, step);
    CUDA(cudaMalloc((void **)&pointer, (size_t)(count + value(START)) * sizeof(float)));
    pointer += value(START);
    CUDA(cudaMemcpy(pointer, host, (size_t)count * sizeof(float), cudaMemcpyHostToDevice));
    free(host);
    return pointer;
}

static void drop(float *pointer)
{
    CUDA(cudaFree(pointer - value(START)));
}

/* ------------------------------------------------------------------ expected results */

/* Adds one product of the layer to both results. As an input of the backward pass, y is `number` by
 * 5. */
static void add_product(const struct layer *l, int image, int at, int tap)
{
    int p = at / l->q, q = at % l->q, r = tap / TAPS, s = tap % TAPS;
    int x = image * l->h * l->w + (p * STRIDE + r) * l->w + q * STRIDE + s;
    int y = image * l->p * l->q + at;
    float weight = number(image % GROUPS * TAPS * TAPS + tap, 3);

    l->want_out[y] += number(x, 2) * weight;
    l->want_back[x] += number(y, 5) * weight;
}

static void expect(struct layer *l)
{
    l->want_out = (float *)calloc((size_t)out_count(l), sizeof(float));
    l->want_back = (float *)calloc((size_t)in_count(l), sizeof(float));
    l->got = (float *)calloc((size_t)in_count(l) + (size_t)out_count(l), sizeof(float));
    for (int image = 0; image < N * GROUPS; image++)
        for (int at = 0; at < l->p * l->q; at++) {
            for (int tap = 0; tap < TAPS * TAPS; tap++)
                add_product(l, image, at, tap);
            if (value(BIAS))
                l->want_out[image * l->p * l->q + at] += number(image % GROUPS, 4);
        }
}

static int judge(struct layer *l, const char *name, const float *from, const float *want, int count)
{
    int wrong = 0;

    CUDA(cudaMemcpy(l->got, from, (size_t)count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        if (l->got[i] != want[i] && wrong++ < 3)
            fprintf(stderr, "%s of %dx%d: element %d is %g, not %g\n", name, l->h, l->w, i,
                    (double)l->got[i], (double)want[i]);
    return wrong;
}

static void print(const struct layer *l, const char *name, const float *values, int count)
{
    double sum = 0, squares = 0;

    for (int i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    printf("%s_%dx%d %.6g %.6g\n", name, l->h, l->w, sum, sqrt(squares));
}

/* ------------------------------------------------------------------ the layer */

static void describe(struct layer *l)
{
    CHECK(cudnnCreateTensorDescriptor(&l->x));
    CHECK(cudnnCreateTensorDescriptor(&l->y));
    CHECK(cudnnCreateTensorDescriptor(&l->bias_desc));
    CHECK(cudnnCreateFilterDescriptor(&l->filter));
    CHECK(cudnnCreateConvolutionDescriptor(&l->conv));
    CHECK(cudnnSetTensor4dDescriptorEx(l->x, CUDNN_DATA_FLOAT, N, 1, l->h, l->w,
                                       GROUPS * l->h * l->w, l->h * l->w, l->w, 1));
    CHECK(cudnnSetTensor4dDescriptorEx(l->y, CUDNN_DATA_FLOAT, N, 1, l->p, l->q,
                                       GROUPS * l->p * l->q, l->p * l->q, l->q, 1));
    CHECK(
        cudnnSetTensor4dDescriptor(l->bias_desc, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1));
    CHECK(cudnnSetFilter4dDescriptor(l->filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, TAPS,
                                     TAPS));
    CHECK(cudnnSetConvolution2dDescriptor(l->conv, 0, 0, STRIDE, STRIDE, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
}

static void take_workspace(struct layer *l)
{
    size_t back = 0;

    CHECK(cudnnGetConvolutionForwardWorkspaceSize(handle[0], l->x, l->filter, l->conv, l->y,
                                                  (cudnnConvolutionFwdAlgo_t)value(ALGORITHM),
                                                  &l->bytes));
    CHECK(cudnnGetConvolutionBackwardDataWorkspaceSize(handle[0], l->filter, l->y, l->conv, l->x,
                                                       CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, &back));
    l->bytes = l->bytes > back ? l->bytes : back;
    CUDA(cudaMalloc((void **)&l->workspace, GROUPS * l->bytes + 1));
}

static void make(struct layer *l, int shape)
{
    memset(l, 0, sizeof(*l));
    l->h = shapes[shape].h;
    l->w = shapes[shape].w;
    l->p = (l->h - TAPS) / STRIDE + 1;
    l->q = (l->w - TAPS) / STRIDE + 1;
    describe(l);
    l->in = device(in_count(l), 2);
    l->weights = device(FILTER, 3);
    l->bias = device(GROUPS, 4);
    l->out = device(out_count(l), 5);
    l->back = device(in_count(l), 1);
    take_workspace(l);
    expect(l);
}

static void release(struct layer *l)
{
    CHECK(cudnnDestroyTensorDescriptor(l->x));
    CHECK(cudnnDestroyTensorDescriptor(l->y));
    CHECK(cudnnDestroyTensorDescriptor(l->bias_desc));
    CHECK(cudnnDestroyFilterDescriptor(l->filter));
    CHECK(cudnnDestroyConvolutionDescriptor(l->conv));
    drop(l->in);
    drop(l->weights);
    drop(l->bias);
    drop(l->out);
    drop(l->back);
    CUDA(cudaFree(l->workspace));
    free(l->want_out);
    free(l->want_back);
    free(l->got);
}

static cudnnHandle_t handle_of(int group)
{
    if (value(HANDLES) != 1)
        return handle[group];
    CHECK(cudnnSetStream(handle[0], stream[value(STREAMS) == 1 ? 0 : group]));
    return handle[0];
}

/* Runs one group's forward pass. Work of the default stream before and after it is ordered with
 * every group's. */
static void forward(struct layer *l, int group)
{
    const float one = 1, zero = 0;
    cudnnHandle_t h = handle_of(group);
    float *y = l->out + group * l->p * l->q;

    CHECK(cudnnConvolutionForward(
        h, &one, l->x, l->in + group * l->h * l->w, l->filter, l->weights + group * TAPS * TAPS,
        l->conv, (cudnnConvolutionFwdAlgo_t)value(ALGORITHM),
        l->workspace + (value(WORKSPACE) ? group : 0) * l->bytes, l->bytes, &zero, l->y, y));
    if (value(BIAS))
        CHECK(cudnnAddTensor(h, &one, l->bias_desc, l->bias + group, &one, l->y, y));
}

static void backward(struct layer *l, int group)
{
    const float one = 1, zero = 0;

    CHECK(cudnnConvolutionBackwardData(
        handle_of(group), &one, l->filter, l->weights + group * TAPS * TAPS, l->y,
        l->out + group * l->p * l->q, l->conv, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
        l->workspace + (value(WORKSPACE) ? group : 0) * l->bytes, l->bytes, &zero, l->x,
        l->back + group * l->h * l->w));
}

/* Runs one round. As in a gradient checker, memory is allocated and freed between the rounds. */
static int run_round(struct layer *l)
{
    float *dy = device(out_count(l), 5), *out = l->out;
    int wrong;

    CUDA(cudaMemset(l->out, 0xff, (size_t)out_count(l) * sizeof(float)));
    for (int group = 0; group < GROUPS; group++)
        forward(l, group);
    wrong = judge(l, "y", l->out, l->want_out, out_count(l));
    CUDA(cudaMemset(l->back, 0xff, (size_t)in_count(l) * sizeof(float)));
    l->out = dy;
    for (int group = 0; group < GROUPS; group++)
        backward(l, group);
    l->out = out;
    wrong += judge(l, "dx", l->back, l->want_back, in_count(l));
    drop(dy);
    return wrong;
}

static int run_all(int prints)
{
    long wrong = 0;

    for (int group = 0; group < GROUPS; group++) {
        CUDA(cudaStreamCreate(&stream[group]));
        CHECK(cudnnCreate(&handle[group]));
        CHECK(cudnnSetStream(handle[group], stream[value(STREAMS) == 1 ? 0 : group]));
    }
    for (int shape = 0; shape < SHAPES; shape++) {
        struct layer layer;

        make(&layer, shape);
        for (int round = 0; round < value(ROUNDS); round++)
            wrong += run_round(&layer);
        if (prints) {
            print(&layer, "y", layer.want_out, out_count(&layer));
            print(&layer, "dx", layer.want_back, in_count(&layer));
        }
        release(&layer);
    }
    for (int group = 0; group < GROUPS; group++) {
        CHECK(cudnnDestroy(handle[group]));
        CUDA(cudaStreamDestroy(stream[group]));
    }
    if (wrong)
        fprintf(stderr, "%ld elements are wrong\n", wrong);
    return wrong != 0;
}

/* ------------------------------------------------------------------ processes */

/* Runs the processes; children are forked before CUDA is used. */
static int run_processes(void)
{
    int failed = 0, status;

    for (int i = 0; i < value(PROCESSES); i++) {
        pid_t pid = fork();

        if (pid == 0)
            exit(run_all(0));
        failed += pid < 0;
    }
    while (wait(&status) > 0)
        failed += status != 0;
    printf("%d of %d processes failed\n", failed, value(PROCESSES));
    return failed != 0;
}

static int read_option(const char *word)
{
    for (int i = 0; i < OPTIONS; i++) {
        size_t length = strlen(options[i].name);

        if (strncmp(word, options[i].name, length) == 0 && word[length] == '=') {
            options[i].value = atoi(word + length + 1);
            return 0;
        }
    }
    fprintf(stderr,
            "groups: %s: it takes NAME=VALUE, of rounds, processes, handles, streams, "
            "workspace, start, algorithm, bias\n",
            word);
    return -1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (read_option(argv[i]) != 0)
            return 2;
    return value(PROCESSES) > 1 ? run_processes() : run_all(1);
}
