/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries cuDNN 9 on a GPU: which element types does each operation of its legacy interface accept,
 * and how does it compute integers? The README here has the command; the build does not include
 * this program. A child process runs the queries. If it ends or hangs, a new child continues after
 * that query.
 */
#define _GNU_SOURCE
#include "cudnn_types.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTION_SECONDS 40

cudnnHandle_t handle;

static volatile int *asked; /* queries begun, in memory that all processes share */
static int number;          /* queries reached by this process */
static int skipped;         /* queries that earlier processes began */

int ask(const char *format, ...)
{
    va_list args;

    if (number++ < skipped)
        return 0;
    *asked = number;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    return 1;
}

const char *said(cudnnStatus_t status)
{
    const char *text = cudnnGetErrorString(status);
    const char *prefix = "CUDNN_STATUS_";

    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text;
}

int answer(const char *what, cudnnStatus_t status)
{
    cudaError_t error = cudaDeviceSynchronize();

    printf("  %-10s %s\n", what, said(status));
    if (error == cudaSuccess)
        return status == CUDNN_STATUS_SUCCESS;
    printf("  %-10s then CUDA: %s\n", what, cudaGetErrorString(error));
    exit(2);
}

/* ---- types */

static const struct {
    const char *name;
    int size; /* bytes of a scalar */
    int lanes;
} types[] = {
    [F32] = {"f32", 4, 1},   [F64] = {"f64", 8, 1},   [F16] = {"f16", 2, 1},
    [S8] = {"s8", 1, 1},     [S32] = {"s32", 4, 1},   [S8X4] = {"s8x4", 1, 4},
    [U8] = {"u8", 1, 1},     [U8X4] = {"u8x4", 1, 4}, [S8X32] = {"s8x32", 1, 32},
    [BF16] = {"bf16", 2, 1}, [S64] = {"s64", 8, 1},
};

const char *type_name(int type)
{
    return types[type].name;
}

const char *format_name(int format)
{
    return format == NCHW ? "NCHW" : format == NHWC ? "NHWC" : "VECT_C";
}

int lanes(int type)
{
    return types[type].lanes;
}

int format_of(int type)
{
    return lanes(type) > 1 ? VECT : NCHW;
}

/* The values are exact in every type, so bits may be truncated here. */
static uint16_t short_bits(int type, float value)
{
    uint32_t bits, sign, exponent;

    memcpy(&bits, &value, sizeof(bits));
    sign = bits >> 16 & 0x8000;
    exponent = bits >> 23 & 255;
    if (type == BF16 || bits << 1 == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)(sign | (exponent - 112) << 10 | (bits >> 13 & 1023));
}

static void store(unsigned char *to, int type, double value)
{
    float single = (float)value;

    if (type == F32) {
        memcpy(to, &single, sizeof(single));
    } else if (type == F64) {
        memcpy(to, &value, sizeof(value));
    } else if (type == F16 || type == BF16) {
        uint16_t bits = short_bits(type, single);

        memcpy(to, &bits, sizeof(bits));
    } else {
        int64_t whole = (int64_t)value;

        memcpy(to, &whole, (size_t)types[type].size);
    }
}

static double load_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction > 0 ? NAN : INFINITY)
                                    : ldexp(fraction + 1024, exponent - 25);

    return bits & 0x8000 ? -value : value;
}

static double load(const unsigned char *from, int type)
{
    uint32_t bits = 0;
    uint16_t bits16;
    int32_t int32;
    int64_t int64;
    float single;
    double value;

    switch (type) {
    case F64:
        memcpy(&value, from, 8);
        return value;
    case F16:
        memcpy(&bits16, from, 2);
        return load_half(bits16);
    case BF16:
        memcpy((char *)&bits + 2, from, 2);
        memcpy(&single, &bits, 4);
        return (double)single;
    case F32:
        memcpy(&single, from, 4);
        return (double)single;
    case S32:
        memcpy(&int32, from, 4);
        return int32;
    case S64:
        memcpy(&int64, from, 8);
        return (double)int64;
    default:
        return type == U8 || type == U8X4 ? from[0] : (double)(signed char)from[0];
    }
}

/* ---- arrays */

/* Returns the position in memory of element `index` in logical order, in scalars. */
static size_t place(const struct array *a, int index)
{
    int w = index % a->dims[3], h = index / a->dims[3] % a->dims[2];
    int c = index / (a->dims[3] * a->dims[2]) % a->dims[1];
    int n = index / (a->dims[3] * a->dims[2] * a->dims[1]), v = lanes(a->type);
    int plane = a->dims[2] * a->dims[3], vectors = (a->dims[1] + v - 1) / v;

    if (a->format == NHWC)
        return (size_t)(((n * a->dims[2] + h) * a->dims[3] + w) * a->dims[1] + c);
    return (size_t)(((n * vectors + c / v) * plane + h * a->dims[3] + w) * v + c % v);
}

struct array *array(int type, int format, const int dims[4], const double *values, int count)
{
    struct array *a = calloc(1, sizeof(*a));
    size_t size = (size_t)types[type].size, bytes;
    unsigned char *host;

    a->type = type;
    a->format = format;
    memcpy(a->dims, dims, sizeof(a->dims));
    a->count = dims[0] * dims[1] * dims[2] * dims[3];
    bytes = ((size_t)a->count + 256) * size; /* more than any layout here needs */
    host = calloc(1, bytes);
    for (int i = 0; i < a->count; i++)
        store(host + place(a, i) * size, type, values[i % count]);
    cudnnCreateTensorDescriptor(&a->desc);
    a->status =
        cudnnSetTensor4dDescriptor(a->desc, (cudnnTensorFormat_t)format, (cudnnDataType_t)type,
                                   dims[0], dims[1], dims[2], dims[3]);
    cudnnCreateFilterDescriptor(&a->filter);
    cudnnSetFilter4dDescriptor(a->filter, (cudnnDataType_t)type, (cudnnTensorFormat_t)format,
                               dims[0], dims[1], dims[2], dims[3]);
    if (cudaMalloc(&a->data, bytes) != cudaSuccess ||
        cudaMemcpy(a->data, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        printf("no device memory\n");
        exit(2);
    }
    free(host);
    return a;
}

struct array *row(int type, int w, const double *values, int count)
{
    const int dims[4] = {1, lanes(type), 1, w};

    return array(type, format_of(type), dims, values, count);
}

void show(const char *name, const struct array *a, int count)
{
    size_t size = (size_t)types[a->type].size, bytes = ((size_t)a->count + 256) * size;
    unsigned char *host = malloc(bytes);

    cudaMemcpy(host, a->data, bytes, cudaMemcpyDeviceToHost);
    printf("  %-10s", name);
    for (int i = 0; i < count && i < a->count; i++)
        printf(" %.9g", load(host + place(a, i) * size, a->type));
    printf("\n");
    free(host);
}

const void *factor(int type, double value)
{
    static union {
        float single;
        double wide;
        int32_t whole;
    } values[8];
    static int next;

    next = (next + 1) % 8;
    if (type == F64)
        values[next].wide = value;
    else if (type == S32)
        values[next].whole = (int32_t)value;
    else
        values[next].single = (float)value;
    return &values[next];
}

void *workspace(size_t bytes)
{
    static void *memory;

    if (memory == NULL && cudaMalloc(&memory, (size_t)1 << 28) != cudaSuccess)
        exit(2);
    return bytes <= (size_t)1 << 28 ? memory : NULL;
}

/* ---- queries */

static void ask_all(void)
{
    if (cudnnCreate(&handle) != CUDNN_STATUS_SUCCESS) {
        printf("cudnnCreate failed\n");
        exit(3);
    }
    if (skipped == 0)
        printf("cuDNN %zu\n", cudnnGetVersion());
    ask_layers();
    ask_normalizations();
    ask_tensors();
    ask_mixes();
    ask_convolutions();
}

/* Waits for the child. Returns 1 once all queries have run. */
static int watch(pid_t child)
{
    int before = *asked, waited = 0, status;

    for (;;) {
        if (waitpid(child, &status, WNOHANG) == child)
            break;
        usleep(100000);
        waited = *asked == before ? waited + 1 : 0;
        before = *asked;
        if (waited > QUESTION_SECONDS * 10) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            printf("  hung\n");
            return 0;
        }
    }
    if (WIFSIGNALED(status))
        printf("  died of signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
}

int main(void)
{
    int done = 0, before = -1;

    setvbuf(stdout, NULL, _IOLBF, 1 << 16); /* keeps the lines of a process that dies */
    asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (asked == MAP_FAILED)
        return 1;
    while (!done && *asked > before) {
        pid_t child;

        before = *asked;
        fflush(stdout);
        child = fork();
        if (child < 0)
            return 1;
        if (child == 0) {
            skipped = *asked;
            ask_all();
            exit(0);
        }
        done = watch(child);
    }
    return 0;
}
