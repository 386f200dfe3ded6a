/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of libcudnn.so.7 on anydnn. Each function has the name and the binary interface of
 * cuDNN 7.6.5 and calls the entry of anydnn. Handles and descriptors are anydnn's own, and
 * enumerations have the same numbers. The functions translate what differs: statuses that cuDNN 7
 * lacks, and lists of results, whose elements have 48 bytes in cuDNN 7. */
#ifndef CUDNN7_SHIM_H
#define CUDNN7_SHIM_H

#include "cudnn7/answers.h"

#define CUDNN7_NAME(name)         cudnn##name
#define CUDNN7_RESULTS(direction) struct cudnn7_perf *

/* The struct cudnnConvolution...AlgoPerf_t of cuDNN 7, which is the same for the three directions.
 */
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

/* The struct cudnnDebug_t of cuDNN 7. */
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

/* Returns at most `requested` of the `count` answers if the search succeeded. */
anydnnStatus_t cudnn7_found(anydnnStatus_t status, const union cudnn7_answers *answers, int count,
                            int requested, int *returned, struct cudnn7_perf *results);

/* Returns SUCCESS, or refuses if cuDNN 7 itself is also in the process. */
anydnnStatus_t cudnn7_alone(const char *entry);

#endif
