/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for the real libcudnn.so.9. cudnn9.sh adds the functions that this file does not
 * define; they return 0. MOCK_VERSION and MOCK_CUDART are the versions of it and CUDA, and
 * MOCK_MIXED makes its parts disagree. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MOCK_VERSION
#define MOCK_VERSION 91900
#endif

#ifndef MOCK_CUDART
#define MOCK_CUDART 13010
#endif

static _Thread_local char message[100];

size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void)
{
    return MOCK_VERSION;
}

size_t cudnnGetCudartVersion(void);
size_t cudnnGetCudartVersion(void)
{
    return MOCK_CUDART;
}

size_t cudnnGetMaxDeviceVersion(void);
size_t cudnnGetMaxDeviceVersion(void)
{
    return 1210;
}

/* Loads a part as the real library does, from LD_LIBRARY_PATH or beside itself. */
int cudnnGraphVersionCheck(void);
int cudnnGraphVersionCheck(void)
{
    (void)dlopen("libcudnn_graph.so.9", RTLD_NOW);
    return 0;
}

const char *cudnnGetErrorString(int status);
const char *cudnnGetErrorString(int status)
{
    static _Thread_local char text[40];

    snprintf(text, sizeof(text), "MOCK_STATUS_%d", status);
    return text;
}

void cudnnGetLastErrorString(char *text, size_t size);
void cudnnGetLastErrorString(char *text, size_t size)
{
    snprintf(text, size, "%s", message);
    message[0] = '\0';
}

int cudnnCreate(void **made);
int cudnnCreate(void **made)
{
    if (made == NULL) {
        snprintf(message, sizeof(message), "mock: handle is NULL");
        return 2000;
    }
    *made = malloc(1);
    return *made != NULL ? 0 : 1001;
}

int cudnnOpsVersionCheck(void);
int cudnnOpsVersionCheck(void)
{
#ifdef MOCK_MIXED
    snprintf(message, sizeof(message), "mock: ops 9.1.0, graph 9.2.0.");
    return 1002;
#else
    return 0;
#endif
}

/* The functions with these names have other arguments in cuDNN. This one has more of every kind
 * than registers hold. */
int cudnnRNNForward(long a, double p, long b, double q, long c, double r, long d, double s, long e,
                    double t, long f, double u, long g, double v, long h, double w, long i,
                    double x);
int cudnnRNNForward(long a, double p, long b, double q, long c, double r, long d, double s, long e,
                    double t, long f, double u, long g, double v, long h, double w, long i,
                    double x)
{
    return a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 && i == 9 &&
                   p == .1 && q == .2 && r == .3 && s == .4 && t == .5 && u == .6 && v == .7 &&
                   w == .8 && x == .9
               ? 4711
               : 5000;
}
