/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the layers that cuDNN 7 and 9 share, on small tensors in host memory, and prints the bits
 * of the outputs. The first argument is the library. The others are commands: `all` calls every
 * layer, `fork` does the same in a child, `threads` in four threads. */
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Functions with any arguments. The caller's arguments have the types of cuDNN. */
typedef int (*entry)();
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#endif

static void *library;
static const float one = 1, half = 0.5f, zero = 0;
static FILE *out;

static entry find(const char *name)
{
    void *symbol = dlsym(library, name);
    entry function;

    if (symbol == NULL) {
        printf("%s: no such function\n", name);
        exit(3);
    }
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

static void *make(const char *kind)
{
    char name[80];
    void *made = NULL;

    snprintf(name, sizeof(name), "cudnnCreate%sDescriptor", kind);
    if (find(name)(&made) != 0)
        exit(3);
    return made;
}

/* Returns a descriptor of a packed float tensor. */
static void *tensor(int n, int c, int h, int w)
{
    const int dim[4] = {n, c, h, w}, stride[4] = {c * h * w, h * w, w, 1};
    void *it = make("Tensor");

    if (find("cudnnSetTensorNdDescriptor")(it, 0, 4, dim, stride) != 0)
        exit(3);
    return it;
}

enum { ELEMENTS = 4096 };

/* Returns numbers that differ from each other. */
static float *data(int seed)
{
    float *it = malloc(ELEMENTS * sizeof(*it));

    for (int i = 0; i < ELEMENTS; i++)
        it[i] = (float)((i * 37 + seed * 11) % 64 - 32) / 16;
    return it;
}

static void print(const char *name, int status, const float *y, int count)
{
    fprintf(out, "%s: %d", name, status);
    for (int i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &y[i], sizeof(bits));
        fprintf(out, " %08x", (unsigned)bits);
    }
    fprintf(out, "\n");
}

static void convolutions(void *handle)
{
    const int filter[4] = {6, 2, 3, 3}, ones[2] = {1, 1}, pad[2] = {1, 2}, stride[2] = {2, 1};
    void *x = tensor(2, 4, 7, 6), *y = tensor(2, 6, 4, 8), *bias = tensor(1, 6, 1, 1);
    void *w = make("Filter"), *conv = make("Convolution"), *relu = make("Activation");
    float *xs = data(1), *ws = data(2), *ys = data(3), *zs = data(4), *bs = data(5);

    find("cudnnSetFilterNdDescriptor")(w, 0, 0, 4, filter);
    find("cudnnSetConvolutionNdDescriptor")(conv, 2, pad, stride, ones, 1, 0);
    find("cudnnSetConvolutionGroupCount")(conv, 2);
    find("cudnnSetActivationDescriptor")(relu, 1, 0, 0.0);
    print("convolution_forward",
          find("cudnnConvolutionForward")(handle, &half, x, xs, w, ws, conv, 1, NULL, (size_t)0,
                                          &one, y, ys),
          ys, 400);
    print("convolution_backward_data",
          find("cudnnConvolutionBackwardData")(handle, &one, w, ws, y, zs, conv, 1, NULL, (size_t)0,
                                               &half, x, xs),
          xs, 400);
    print("convolution_backward_filter",
          find("cudnnConvolutionBackwardFilter")(handle, &one, x, xs, y, zs, conv, 1, NULL,
                                                 (size_t)0, &zero, w, ws),
          ws, 120);
    print("convolution_backward_bias",
          find("cudnnConvolutionBackwardBias")(handle, &one, y, zs, &zero, bias, bs), bs, 8);
    print("convolution_bias_activation_forward",
          find("cudnnConvolutionBiasActivationForward")(handle, &one, x, xs, w, ws, conv, 1, NULL,
                                                        (size_t)0, &half, y, zs, bias, bs, relu, y,
                                                        ys),
          ys, 400);
}

static void layers(void *handle)
{
    const int window[2] = {3, 2}, pad[2] = {1, 0}, stride[2] = {2, 2};
    void *x = tensor(2, 5, 6, 4), *y = tensor(2, 5, 3, 2);
    void *pool = make("Pooling"), *elu = make("Activation"), *lrn = make("LRN");
    float *a = data(1), *b = data(2), *c = data(3), *d = data(4);

    find("cudnnSetPoolingNdDescriptor")(pool, 2, 1, 2, window, pad, stride);
    find("cudnnSetActivationDescriptor")(elu, 4, 0, 0.75);
    find("cudnnSetLRNDescriptor")(lrn, 3U, 1e-2, 0.75, 1.5);
    print("pooling_forward", find("cudnnPoolingForward")(handle, pool, &one, x, a, &half, y, b), b,
          70);
    print("pooling_backward",
          find("cudnnPoolingBackward")(handle, pool, &one, y, b, y, c, x, a, &zero, x, d), d, 250);
    print("activation_forward",
          find("cudnnActivationForward")(handle, elu, &one, x, a, &zero, x, b), b, 250);
    print("activation_backward",
          find("cudnnActivationBackward")(handle, elu, &one, x, b, x, c, x, a, &half, x, d), d,
          250);
    print("activation in place",
          find("cudnnActivationForward")(handle, elu, &one, x, a, &zero, x, a), a, 250);
    print("lrn_forward",
          find("cudnnLRNCrossChannelForward")(handle, lrn, 0, &one, x, a, &zero, x, b), b, 250);
    print("lrn_backward",
          find("cudnnLRNCrossChannelBackward")(handle, lrn, 0, &one, x, b, x, c, x, a, &zero, x, d),
          d, 250);
    print("softmax_forward", find("cudnnSoftmaxForward")(handle, 2, 1, &one, x, a, &zero, x, b), b,
          250);
    print("softmax_backward",
          find("cudnnSoftmaxBackward")(handle, 2, 1, &one, x, b, x, c, &zero, x, d), d, 250);
}

static void arithmetic(void *handle)
{
    void *x = tensor(2, 5, 6, 4), *bias = tensor(1, 5, 1, 1);
    void *op = make("OpTensor"), *reduce = make("ReduceTensor");
    float *a = data(1), *b = data(2), *c = data(3), *mean = data(4), *space = data(5);
    float variance[5] = {1, 2, 3, 4, 5};

    find("cudnnSetOpTensorDescriptor")(op, 1, 0, 0);
    find("cudnnSetReduceTensorDescriptor")(reduce, 5, 0, 0, 0, 0);
    print("add_tensor", find("cudnnAddTensor")(handle, &one, bias, b, &one, x, c), c, 250);
    print("transform_tensor", find("cudnnTransformTensor")(handle, &half, x, a, &one, x, c), c,
          250);
    print("op_tensor", find("cudnnOpTensor")(handle, op, &one, x, a, &half, bias, b, &zero, x, c),
          c, 250);
    print("reduce_tensor",
          find("cudnnReduceTensor")(handle, reduce, NULL, (size_t)0, space, (size_t)16384, &one, x,
                                    a, &zero, bias, b),
          b, 8);
    print("batch_normalization",
          find("cudnnBatchNormalizationForwardInference")(handle, 1, &one, &half, x, a, x, c, bias,
                                                          b, b, mean, variance, 1e-4),
          c, 250);
}

static void all(void)
{
    void *handle = NULL;

    if (find("cudnnCreate")(&handle) != 0)
        exit(3);
    for (int i = 0; i < 2; i++) {
        convolutions(handle);
        layers(handle);
        arithmetic(handle);
    }
    fprintf(out, "destroy: %d\n", find("cudnnDestroy")(handle));
}

static void in_child(void)
{
    int status = 0;
    pid_t child;

    fflush(out);
    child = fork();
    if (child == 0) {
        all();
        fflush(out);
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("child ended: %d\n", status);
}

static void *thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++)
        all();
    return NULL;
}

static void threads(void)
{
    pthread_t made[4];

    out = fopen("/dev/null", "w");
    for (int i = 0; i < 4; i++)
        pthread_create(&made[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(made[i], NULL);
    printf("threads ended\n");
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    out = stdout;
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL)
        return 2;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "fork") == 0)
            in_child();
        else if (strcmp(argv[i], "threads") == 0)
            threads();
        else
            all();
    return 0;
}
