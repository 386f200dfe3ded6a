/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries cuDNN 9 on a GPU: which operands of a call may share an address, and which may be null?
 * Runs each variation of a call and the plain call, and compares the results. The README here has
 * the command; the build does not include this program. If a call ends its process, a new process
 * continues after it.
 */
#include "cudnn_aliases.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)

enum { N = 4, C = 32, H = 28, W = 26 };

cudnnHandle_t handle;
void *workspace;
static void *buffer[MAX_OPERANDS];
static unsigned char *host[MAX_OPERANDS], *plain[MAX_OPERANDS], *varied[MAX_OPERANDS];
static int *next; /* the first trial that no process has begun */
static int number;

cudnnTensorDescriptor_t tensor(cudnnDataType_t type, cudnnTensorFormat_t format, int n, int c,
                               int h, int w)
{
    cudnnTensorDescriptor_t desc;

    cudnnCreateTensorDescriptor(&desc);
    cudnnSetTensor4dDescriptor(desc, format, type, n, c, h, w);
    return desc;
}

struct operand in(const char *role, cudnnTensorDescriptor_t desc)
{
    return (struct operand){.role = role, .desc = desc};
}

struct operand out(const char *role, cudnnTensorDescriptor_t desc)
{
    return (struct operand){.role = role, .desc = desc, .output = 1};
}

/* ---- numbers: all are exact in half */

static uint16_t to_half(float value)
{
    int exponent;
    float fraction = frexpf(fabsf(value), &exponent);

    if (value == 0)
        return 0;
    return (uint16_t)((value < 0) << 15 | (exponent + 14) << 10 | ((int)(fraction * 2048) & 0x3ff));
}

static float from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    float value = exponent == 31 ? ((bits & 0x3ff) ? NAN : INFINITY)
                                 : ldexpf((float)((bits & 0x3ff) | (exponent ? 1024 : 0)),
                                          (exponent ? exponent : 1) - 25);

    return bits >> 15 ? -value : value;
}

static size_t extent(const struct operand *operand, cudnnDataType_t *type)
{
    size_t bytes = operand->bytes;
    int ndims, dims[8], strides[8];

    *type = CUDNN_DATA_INT8;
    if (operand->desc) {
        cudnnGetTensorSizeInBytes(operand->desc, &bytes);
        cudnnGetTensorNdDescriptor(operand->desc, 8, type, &ndims, dims, strides);
    }
    return bytes;
}

static void fill(int slot, const struct operand *operand)
{
    cudnnDataType_t type;
    size_t bytes = extent(operand, &type), width = type == CUDNN_DATA_HALF ? 2 : 4;
    uint32_t state = 12345u + 977u * (uint32_t)slot;

    memset(host[slot], 0, BUFFER_BYTES);
    for (size_t i = 0; operand->desc && i < bytes / width; i++) {
        float value;

        state = state * 1664525u + 1013904223u;
        value = (float)((int)(state >> 24) - 127) / 64;
        if (operand->positive)
            value = fabsf(value) + 0.5f;
        if (width == 2)
            ((uint16_t *)(void *)host[slot])[i] = to_half(value);
        else
            ((float *)(void *)host[slot])[i] = value;
    }
}

/* Returns the largest difference of two results, relative to the largest number of the first. NaN
 * equals NaN. */
static double distance(const struct operand *operand, const void *a, const void *b)
{
    cudnnDataType_t type;
    size_t bytes = extent(operand, &type), width = type == CUDNN_DATA_HALF ? 2 : 4;
    double most = 0, largest = 1e-3;

    if (!operand->desc)
        return memcmp(a, b, bytes) ? 1 : 0;
    for (size_t i = 0; i < bytes / width; i++) {
        double p = width == 2 ? from_half(((const uint16_t *)a)[i]) : ((const float *)a)[i];
        double q = width == 2 ? from_half(((const uint16_t *)b)[i]) : ((const float *)b)[i];

        if (isnan(p) && isnan(q))
            continue;
        if (!(fabs(p - q) <= most))
            most = isnan(p - q) ? INFINITY : fabs(p - q);
        if (fabs(p) > largest)
            largest = fabs(p);
    }
    return most / largest;
}

/* ---- variations */

struct variation {
    int same_as[MAX_OPERANDS]; /* the slot whose address it has, or its own number */
    int absent[MAX_OPERANDS];  /* 1: no pointer; 2: no pointer and no descriptor */
};

static int slot_of(const struct call *call, const char *role)
{
    for (int i = 0; i < call->count; i++)
        if (strcmp(call->operand[i].role, role) == 0)
            return i;
    fprintf(stderr, "%s has no %s\n", call->name, role);
    exit(2);
}

static void read_word(const struct call *call, char *word, struct variation *variation)
{
    char *rest = word, *equal = strchr(word, '='), *role;
    int absent = word[0] == '-' ? 1 : word[0] == '!' ? 2 : 0, first = -1, owner = -1;

    if (equal) {
        *equal = 0;
        owner = slot_of(call, word);
        rest = equal + 1;
    } else if (absent) {
        rest = word + 1;
    }
    while ((role = strsep(&rest, ","))) {
        int slot = slot_of(call, role);

        if (absent)
            variation->absent[slot] = absent;
        else if (first < 0)
            variation->same_as[owner] = first = slot;
        else
            variation->same_as[slot] = first;
    }
}

static struct variation read_variation(const struct call *call, const char *text)
{
    struct variation variation = {{0}, {0}};
    char copy[200], *rest = copy, *word;

    for (int i = 0; i < MAX_OPERANDS; i++)
        variation.same_as[i] = i;
    snprintf(copy, sizeof(copy), "%s", text);
    while ((word = strsep(&rest, " ")))
        if (*word)
            read_word(call, word, &variation);
    return variation;
}

static int has_alias(const struct call *call, const struct variation *variation)
{
    for (int i = 0; i < call->count; i++)
        if (variation->same_as[i] != i)
            return 1;
    return 0;
}

/* ---- one trial */

static void upload(const struct call *call, const struct variation *variation)
{
    for (int i = 0; i < call->count; i++)
        cudaMemcpy(buffer[i], host[variation->same_as[i]], BUFFER_BYTES, cudaMemcpyHostToDevice);
    cudaMemset(workspace, 0, MAX_WORKSPACE);
}

/* Returns the arguments of the plain call: each operand has its own address. */
static struct given apart(const struct call *call, float beta)
{
    struct given given = {.alpha = 1.5f, .beta = beta};

    for (int i = 0; i < call->count; i++) {
        given.at[i] = buffer[i];
        given.desc[i] = call->operand[i].desc;
    }
    return given;
}

static cudnnStatus_t finish(cudnnStatus_t status, const struct call *call,
                            const struct given *given, unsigned char **results)
{
    cudaError_t error = cudaDeviceSynchronize();

    if (error != cudaSuccess) {
        printf(" the device fails: %s\n", cudaGetErrorName(error));
        fflush(stdout);
        _exit(1);
    }
    for (int i = 0; i < call->count; i++)
        if (given->at[i])
            cudaMemcpy(results[i], given->at[i], BUFFER_BYTES, cudaMemcpyDeviceToHost);
    return status;
}

static void ask_one(const struct call *call, const char *text, float beta)
{
    struct variation variation = read_variation(call, text);
    struct given given;
    cudnnStatus_t status;
    double most = 0;

    if (number++ < *next)
        return;
    *next = number;
    alarm(30);
    printf("%s | %s%s |", call->name, text, beta != 0 ? " blended" : "");
    fflush(stdout);
    for (int i = 0; i < call->count; i++)
        fill(i, &call->operand[i]);
    given = apart(call, 0);
    if (call->before) {
        struct variation none = read_variation(call, "");

        upload(call, &none);
        status = finish(call->before(call, &given), call, &given, host);
        if (status != CUDNN_STATUS_SUCCESS) {
            printf(" before it %s\n", cudnnGetErrorString(status));
            return;
        }
    }
    given = apart(call, beta);
    upload(call, &variation);
    status = finish(call->run(call, &given), call, &given, plain);
    if (status != CUDNN_STATUS_SUCCESS) {
        printf(" plain %s\n", cudnnGetErrorString(status));
        return;
    }
    for (int i = 0; i < call->count; i++) {
        given.at[i] = variation.absent[i] ? NULL : buffer[variation.same_as[i]];
        if (variation.absent[i] == 2)
            given.desc[i] = NULL;
    }
    upload(call, &variation);
    status = finish(call->run(call, &given), call, &given, varied);
    if (status != CUDNN_STATUS_SUCCESS) {
        printf(" %s\n", cudnnGetErrorString(status));
        return;
    }
    for (int i = 0; i < call->count; i++)
        if (call->operand[i].output && given.at[i])
            most = fmax(most, distance(&call->operand[i], plain[i], varied[i]));
    if (most == 0)
        printf(" same\n");
    else
        printf(" %s %.2g\n", most < 2e-5 ? "same but for" : "DIFFERS", most);
}

void ask(const struct call *call, const char *variations)
{
    char copy[600], *rest = copy, *text;

    snprintf(copy, sizeof(copy), "%s", variations);
    while ((text = strsep(&rest, ";"))) {
        struct variation variation = read_variation(call, text);

        ask_one(call, text, 0);
        if (has_alias(call, &variation))
            ask_one(call, text, 0.5f);
    }
}

/* ---- layers of x, y, dy and dx */

static const char backward_aliases[] = "dx=dy;dx=x;dx=y;dx=x,y;dx=dy,y;dx=dy,x;dx=dy,x,y";
static const char backward_absent[] =
    "-x;-y;-x,y;!x;!y;!x,y;dx=x -y;dx=y -x;dx=dy -x;dx=dy -y;dx=dy -x,y";

static cudnnStatus_t pool(const struct call *call, const struct given *g)
{
    return cudnnPoolingForward(handle, call->desc, &g->alpha, g->desc[0], g->at[0], &g->beta,
                               g->desc[1], g->at[1]);
}

static cudnnStatus_t pool_first(const struct call *call, const struct given *g)
{
    return cudnnPoolingForward(handle, call->desc, &(float){1}, g->desc[2], g->at[2], &(float){0},
                               g->desc[0], g->at[0]);
}

static cudnnStatus_t pool_back(const struct call *call, const struct given *g)
{
    return cudnnPoolingBackward(handle, call->desc, &g->alpha, g->desc[0], g->at[0], g->desc[1],
                                g->at[1], g->desc[2], g->at[2], &g->beta, g->desc[3], g->at[3]);
}

static void pooling(cudnnDataType_t type, cudnnTensorFormat_t format, const char *label, int absent)
{
    static const char *const modes[] = {"max", "average_include", "average_exclude",
                                        "max_deterministic"};
    static const int shapes[][3] = {{3, 1, 1}, {2, 0, 2}, {3, 1, 2}};
    cudnnTensorDescriptor_t x = tensor(type, format, N, C, H, W);

    for (int mode = 0; mode < COUNT(modes); mode++)
        for (int s = 0; s < COUNT(shapes); s++) {
            const int *k = shapes[s];
            cudnnTensorDescriptor_t y = tensor(type, format, N, C, (H + 2 * k[1] - k[0]) / k[2] + 1,
                                               (W + 2 * k[1] - k[0]) / k[2] + 1);
            struct call forward = {.operand = {in("x", x), out("y", y)}, .count = 2, .run = pool};
            struct call back = {.operand = {in("y", y), in("dy", y), in("x", x), out("dx", x)},
                                .count = 4,
                                .before = pool_first,
                                .run = pool_back};
            cudnnPoolingDescriptor_t desc;

            cudnnCreatePoolingDescriptor(&desc);
            cudnnSetPooling2dDescriptor(desc, (cudnnPoolingMode_t)mode, CUDNN_NOT_PROPAGATE_NAN,
                                        k[0], k[0], k[1], k[1], k[2], k[2]);
            forward.desc = back.desc = desc;
            snprintf(forward.name, sizeof(forward.name),
                     "pooling_forward %s %s window=%d stride=%d", modes[mode], label, k[0], k[2]);
            snprintf(back.name, sizeof(back.name), "pooling_backward %s %s window=%d stride=%d",
                     modes[mode], label, k[0], k[2]);
            ask(&forward, "y=x");
            ask(&back, backward_aliases);
            if (absent && s == 2)
                ask(&back, backward_absent);
        }
}

static cudnnStatus_t act(const struct call *call, const struct given *g)
{
    return cudnnActivationForward(handle, call->desc, &g->alpha, g->desc[0], g->at[0], &g->beta,
                                  g->desc[1], g->at[1]);
}

static cudnnStatus_t act_first(const struct call *call, const struct given *g)
{
    return cudnnActivationForward(handle, call->desc, &(float){1}, g->desc[2], g->at[2],
                                  &(float){0}, g->desc[0], g->at[0]);
}

static cudnnStatus_t act_back(const struct call *call, const struct given *g)
{
    return cudnnActivationBackward(handle, call->desc, &g->alpha, g->desc[0], g->at[0], g->desc[1],
                                   g->at[1], g->desc[2], g->at[2], &g->beta, g->desc[3], g->at[3]);
}

static void activation(cudnnDataType_t type, cudnnTensorFormat_t format, const char *label,
                       int absent)
{
    static const char *const modes[] = {"sigmoid", "relu",     "tanh", "clipped_relu",
                                        "elu",     "identity", "swish"};
    cudnnTensorDescriptor_t x = tensor(type, format, N, C, H, W);

    for (int mode = 0; mode < COUNT(modes); mode++) {
        struct call forward = {.operand = {in("x", x), out("y", x)}, .count = 2, .run = act};
        struct call back = {.operand = {in("y", x), in("dy", x), in("x", x), out("dx", x)},
                            .count = 4,
                            .before = act_first,
                            .run = act_back};
        cudnnActivationDescriptor_t desc;

        cudnnCreateActivationDescriptor(&desc);
        cudnnSetActivationDescriptor(desc, (cudnnActivationMode_t)mode, CUDNN_NOT_PROPAGATE_NAN, 1);
        forward.desc = back.desc = desc;
        snprintf(forward.name, sizeof(forward.name), "activation_forward %s %s", modes[mode],
                 label);
        snprintf(back.name, sizeof(back.name), "activation_backward %s %s", modes[mode], label);
        ask(&forward, "y=x");
        ask(&back, backward_aliases);
        if (absent)
            ask(&back, backward_absent);
    }
}

static cudnnStatus_t soft(const struct call *call, const struct given *g)
{
    return cudnnSoftmaxForward(handle, (cudnnSoftmaxAlgorithm_t)call->mode,
                               (cudnnSoftmaxMode_t)call->mode2, &g->alpha, g->desc[0], g->at[0],
                               &g->beta, g->desc[1], g->at[1]);
}

static cudnnStatus_t soft_first(const struct call *call, const struct given *g)
{
    return cudnnSoftmaxForward(handle, (cudnnSoftmaxAlgorithm_t)call->mode,
                               (cudnnSoftmaxMode_t)call->mode2, &(float){1}, g->desc[0], g->at[0],
                               &(float){0}, g->desc[0], g->at[0]);
}

static cudnnStatus_t soft_back(const struct call *call, const struct given *g)
{
    return cudnnSoftmaxBackward(handle, (cudnnSoftmaxAlgorithm_t)call->mode,
                                (cudnnSoftmaxMode_t)call->mode2, &g->alpha, g->desc[0], g->at[0],
                                g->desc[1], g->at[1], &g->beta, g->desc[2], g->at[2]);
}

static void softmax(cudnnDataType_t type, cudnnTensorFormat_t format, const char *label, int absent)
{
    static const char *const algorithms[] = {"fast", "accurate", "log"};
    cudnnTensorDescriptor_t x = tensor(type, format, N, C, H, W);

    for (int algorithm = 0; algorithm < 3; algorithm++)
        for (int channel = 0; channel < 2; channel++) {
            struct call forward = {.operand = {in("x", x), out("y", x)}, .count = 2, .run = soft};
            struct call back = {.operand = {in("y", x), in("dy", x), out("dx", x)},
                                .count = 3,
                                .before = soft_first,
                                .run = soft_back};

            forward.mode = back.mode = algorithm;
            forward.mode2 = back.mode2 = channel;
            snprintf(forward.name, sizeof(forward.name), "softmax_forward %s %s %s",
                     algorithms[algorithm], channel ? "channel" : "instance", label);
            snprintf(back.name, sizeof(back.name), "softmax_backward %s %s %s",
                     algorithms[algorithm], channel ? "channel" : "instance", label);
            ask(&forward, "y=x");
            ask(&back, "dx=dy;dx=y;dx=dy,y");
            if (absent)
                ask(&back, "-y");
        }
}

static cudnnStatus_t lrn(const struct call *call, const struct given *g)
{
    return cudnnLRNCrossChannelForward(handle, call->desc, CUDNN_LRN_CROSS_CHANNEL_DIM1, &g->alpha,
                                       g->desc[0], g->at[0], &g->beta, g->desc[1], g->at[1]);
}

static cudnnStatus_t lrn_first(const struct call *call, const struct given *g)
{
    return cudnnLRNCrossChannelForward(handle, call->desc, CUDNN_LRN_CROSS_CHANNEL_DIM1,
                                       &(float){1}, g->desc[2], g->at[2], &(float){0}, g->desc[0],
                                       g->at[0]);
}

static cudnnStatus_t lrn_back(const struct call *call, const struct given *g)
{
    return cudnnLRNCrossChannelBackward(handle, call->desc, CUDNN_LRN_CROSS_CHANNEL_DIM1, &g->alpha,
                                        g->desc[0], g->at[0], g->desc[1], g->at[1], g->desc[2],
                                        g->at[2], &g->beta, g->desc[3], g->at[3]);
}

static void normalization(cudnnDataType_t type, cudnnTensorFormat_t format, const char *label,
                          int absent)
{
    cudnnTensorDescriptor_t x = tensor(type, format, N, C, H, W);
    static const unsigned widths[] = {5, 2};

    for (int i = 0; i < COUNT(widths); i++) {
        struct call forward = {.operand = {in("x", x), out("y", x)}, .count = 2, .run = lrn};
        struct call back = {.operand = {in("y", x), in("dy", x), in("x", x), out("dx", x)},
                            .count = 4,
                            .before = lrn_first,
                            .run = lrn_back};
        cudnnLRNDescriptor_t desc;

        cudnnCreateLRNDescriptor(&desc);
        cudnnSetLRNDescriptor(desc, widths[i], 0.5, 0.75, 2);
        forward.desc = back.desc = desc;
        snprintf(forward.name, sizeof(forward.name), "lrn_forward %s n=%u", label, widths[i]);
        snprintf(back.name, sizeof(back.name), "lrn_backward %s n=%u", label, widths[i]);
        ask(&forward, "y=x");
        ask(&back, backward_aliases);
        if (absent)
            ask(&back, backward_absent);
    }
}

/* ---- all trials, in a process that may end */

static void everything(void)
{
    static const struct {
        const char *label;
        cudnnDataType_t type;
        cudnnTensorFormat_t format;
        int absent;
    } kinds[] = {{"f32 nchw", CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1},
                 {"f16 nhwc", CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, 1},
                 {"f32 nhwc", CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, 0},
                 {"f16 nchw", CUDNN_DATA_HALF, CUDNN_TENSOR_NCHW, 0}};

    for (int i = 0; i < COUNT(kinds); i++) {
        ask_tensors(kinds[i].type, kinds[i].format, kinds[i].absent);
        activation(kinds[i].type, kinds[i].format, kinds[i].label, kinds[i].absent);
        softmax(kinds[i].type, kinds[i].format, kinds[i].label, kinds[i].absent);
        pooling(kinds[i].type, kinds[i].format, kinds[i].label, kinds[i].absent);
        normalization(kinds[i].type, kinds[i].format, kinds[i].label, kinds[i].absent);
        ask_normalizations(kinds[i].type, kinds[i].format, kinds[i].absent);
    }
}

static int in_a_process(void)
{
    for (int i = 0; i < MAX_OPERANDS; i++) {
        host[i] = malloc(BUFFER_BYTES);
        plain[i] = malloc(BUFFER_BYTES);
        varied[i] = malloc(BUFFER_BYTES);
        if (!host[i] || !plain[i] || !varied[i] ||
            cudaMalloc(&buffer[i], BUFFER_BYTES) != cudaSuccess) {
            fprintf(stderr, "no memory\n");
            return 2;
        }
    }
    if (cudaMalloc(&workspace, MAX_WORKSPACE) != cudaSuccess ||
        cudnnCreate(&handle) != CUDNN_STATUS_SUCCESS) {
        fprintf(stderr, "cudnnCreate failed\n");
        return 2;
    }
    if (*next == 0)
        printf("cuDNN %zu\n", cudnnGetVersion());
    everything();
    fflush(stdout);
    return 0;
}

int main(void)
{
    int status = 1;

    next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (next == MAP_FAILED)
        return 2;
    do {
        pid_t child;

        fflush(stdout);
        child = fork();
        if (child == 0)
            _exit(in_a_process());
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 2;
        if (WIFSIGNALED(status))
            printf(" the process dies: %s\n", strsignal(WTERMSIG(status)));
    } while (WIFSIGNALED(status) || WEXITSTATUS(status) == 1);
    return WEXITSTATUS(status);
}
