/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses every part of the library that writes files or needs much stack. The calls
 * run on a separate thread.
 *
 *   calls [stack=KIB] [locale=NAME] [print] [SECTION:TEXT]... [PROBLEM]...
 *
 * SECTION is route, trace, shadow or check. stack= prints the amount of stack that was used.
 * `print` writes a line to standard output and one to standard error.
 */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anydnn/anydnn.h>

#define FILL 0xa5

static int count;
static char **words;
static int failed;

static int fine(const char *what, anydnnStatus_t status)
{
    char text[300];

    if (status == ANYDNN_STATUS_SUCCESS)
        return 1;
    anydnnGetLastErrorString(text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, anydnnGetErrorString(status), text);
    failed = 1;
    return 0;
}

#define FINE(call) fine(#call, call)

static void run(anydnnHandle_t handle, const char *text)
{
    static _Alignas(256) float data[12][4096];
    static _Alignas(256) char workspace[1 << 20];
    void *pointers[12];
    anydnnProblem_t problem = NULL;
    size_t bytes;
    char told[200];

    for (int i = 0; i < 12; i++) {
        pointers[i] = data[i];
        for (int k = 0; k < 4096; k++)
            data[i][k] = (float)(k % 7) / 8;
    }
    if (FINE(anydnnProblemParse(text, &problem))) {
        FINE(anydnnProblemExplain(handle, problem, told, sizeof told, &bytes));
        FINE(anydnnProblemGetWorkspaceSize(handle, problem, &bytes));
        FINE(anydnnProblemExecute(handle, problem, pointers, workspace, sizeof workspace));
        FINE(anydnnGetDispatchInfo(handle, "problem", told, sizeof told));
    }
    FINE(anydnnProblemDestroy(problem));
}

static void search(anydnnHandle_t handle)
{
    anydnnTensorDescriptor_t x = NULL, y = NULL;
    anydnnFilterDescriptor_t w = NULL;
    anydnnConvolutionDescriptor_t conv = NULL;
    anydnnConvolutionFwdAlgoPerf_t found[4];
    int answers;

    if (FINE(anydnnCreateTensorDescriptor(&x)) && FINE(anydnnCreateTensorDescriptor(&y)) &&
        FINE(anydnnCreateFilterDescriptor(&w)) && FINE(anydnnCreateConvolutionDescriptor(&conv)) &&
        FINE(anydnnSetTensor4dDescriptor(x, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 3, 8, 6)) &&
        FINE(anydnnSetTensor4dDescriptor(y, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 2, 4, 8, 6)) &&
        FINE(anydnnSetFilter4dDescriptor(w, ANYDNN_DATA_FLOAT, ANYDNN_TENSOR_NCHW, 4, 3, 3, 3)) &&
        FINE(anydnnSetConvolution2dDescriptor(conv, 1, 1, 1, 1, 1, 1, ANYDNN_CROSS_CORRELATION,
                                              ANYDNN_DATA_FLOAT)))
        FINE(anydnnFindConvolutionForwardAlgorithm(handle, x, w, conv, y, 4, &answers, found));
    FINE(anydnnDestroyTensorDescriptor(x));
    FINE(anydnnDestroyTensorDescriptor(y));
    FINE(anydnnDestroyFilterDescriptor(w));
    FINE(anydnnDestroyConvolutionDescriptor(conv));
}

static void *use(void *unused)
{
    anydnnHandle_t handle;
    char text[400];

    if (!FINE(anydnnCreateOnDevice(&handle, "cpu")))
        return unused;
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "route:", 6) == 0)
            FINE(anydnnSetRoute(handle, "*", NULL, words[i] + 6));
        else if (strncmp(words[i], "trace:", 6) == 0)
            FINE(anydnnSetTrace(handle, words[i] + 6));
        else if (strncmp(words[i], "shadow:", 7) == 0)
            FINE(anydnnSetShadow(handle, words[i] + 7));
        else if (strncmp(words[i], "check:", 6) == 0)
            FINE(anydnnSetCheck(handle, words[i] + 6));
        else if (strcmp(words[i], "find") == 0)
            search(handle);
        else if (strcmp(words[i], "print") == 0)
            (void)!(printf("the program's output\n") + fflush(stdout) +
                    fprintf(stderr, "the program's error\n"));
        else if (strchr(words[i], ' '))
            run(handle, words[i]);
    }
    FINE(anydnnGetShadowInfo(handle, "reference", text, sizeof text));
    FINE(anydnnDestroy(handle));
    return NULL;
}

/* Runs on a stack of so many KiB; no byte below it may be written. */
static void use_stack(size_t kib)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = kib * 1024, used = size;
    unsigned char *base =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;

    if (base == MAP_FAILED || mprotect(base, page, PROT_NONE) != 0)
        exit(2);
    memset(base + page, FILL, size);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, base + page, size) != 0 ||
        pthread_create(&thread, &attributes, use, NULL) != 0)
        exit(2);
    pthread_join(thread, NULL);
    while (used > 0 && base[page + size - used] == FILL)
        used--;
    printf("stack: %zu KiB of %zu\n", (used + 1023) / 1024, kib);
}

int main(int argc, char **argv)
{
    size_t kib = 0;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "stack=", 6) == 0)
            kib = strtoul(argv[i] + 6, NULL, 10);
        if (strncmp(argv[i], "locale=", 7) == 0 && !setlocale(LC_ALL, argv[i] + 7)) {
            fprintf(stderr, "there is no locale %s\n", argv[i] + 7);
            return 77;
        }
    }
    count = argc - 1;
    words = argv + 1;
    if (kib > 0)
        use_stack(kib);
    else
        use(NULL);
    return failed;
}
