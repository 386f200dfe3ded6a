/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcudnn.so.7 on anydnn: what its functions share. Each has the name and the binary interface of
 * cuDNN 7.6.5's and calls the entry of anydnn: handles and descriptors are anydnn's own,
 * enumerations have the same numbers. What differs is mended here: statuses that cuDNN 7 lacks, and
 * lists of results, whose members have 48 bytes there.
 */
#ifndef CUDNN7_SHIM_H
#define CUDNN7_SHIM_H

#include "cudnn7/answers.h"

#define CUDNN7_NAME(name)         cudnn##name
#define CUDNN7_RESULTS(direction) struct cudnn7_perf *

/* cuDNN 7's cudnnConvolution...AlgoPerf_t, the same for the three directions. */
struct cudnn7_perf {
    int algo;
    int status;
    float time;
    size_t memory;
    int determinism;
    int mathType;
    int reserved[3];
};

_Static_assert(sizeof(struct cudnn7_perf) == 48, "cuDNN 7's results have 48 bytes");

/* cuDNN 7's cudnnDebug_t. */
struct cudnn7_debug {
    unsigned cudnn_version;
    int cudnnStatus;
    unsigned time_sec; /* since 1970 */
    unsigned time_usec;
    unsigned time_delta; /* seconds since the library was loaded */
    void *handle;
    void *stream;
    unsigned long long pid;
    unsigned long long tid;
    int cudaDeviceId;
    int reserved[15];
};

_Static_assert(sizeof(struct cudnn7_debug) == 120, "cuDNN 7's description has 120 bytes");

/* Hands out at most `requested` of the `count` answers, if the search succeeded. */
anydnnStatus_t cudnn7_found(anydnnStatus_t status, const union cudnn7_answers *answers, int count,
                            int requested, int *returned, struct cudnn7_perf *results);

/* SUCCESS, or a refusal where cuDNN 7 itself is in the process, too. */
anydnnStatus_t cudnn7_alone(const char *entry);

#endif
