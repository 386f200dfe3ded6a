/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcudnn.so.7 on anydnn: what its functions share. Each has the name and the binary interface of
 * cuDNN 7.6.5's and calls the entry of anydnn: handles and descriptors are anydnn's own,
 * enumerations have the same numbers. What differs is mended here: statuses that cuDNN 7 lacks, and
 * lists of results, whose members have 48 bytes there.
 */
#ifndef CUDNN7_SHIM_H
#define CUDNN7_SHIM_H

#include <anydnn/anydnn.h>

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

/* No direction has more than 8 algorithms, and there are 4 math types. */
#define CUDNN7_ANSWERS 32

/* What anydnn answers; the three differ in the type of `algo` alone. */
union cudnn7_answers {
    anydnnConvolutionFwdAlgoPerf_t Fwd[CUDNN7_ANSWERS];
    anydnnConvolutionBwdDataAlgoPerf_t BwdData[CUDNN7_ANSWERS];
    anydnnConvolutionBwdFilterAlgoPerf_t BwdFilter[CUDNN7_ANSWERS];
};

/* The status of cuDNN 7 that is nearest: programs switch over them, or index arrays with them. */
static inline anydnnStatus_t cudnn7_status(anydnnStatus_t status)
{
    switch ((int)status) {
    case ANYDNN_STATUS_CONFIG_ERROR:
    case ANYDNN_STATUS_SHUTTING_DOWN:
        return ANYDNN_STATUS_NOT_INITIALIZED;
    case ANYDNN_STATUS_SPACE_POISONED:
        return ANYDNN_STATUS_EXECUTION_FAILED;
    default:
        return (int)status >= 0 && (int)status < 100 ? status : ANYDNN_STATUS_INTERNAL_ERROR;
    }
}

/* All answers are asked for, since some are none of cuDNN 7's; what anydnn refuses stays as it is.
 */
static inline int cudnn7_wanted(int requested)
{
    return requested < 1 ? requested : CUDNN7_ANSWERS;
}

/* Hands out at most `requested` of the `count` answers, if the search succeeded. */
anydnnStatus_t cudnn7_found(anydnnStatus_t status, const union cudnn7_answers *answers, int count,
                            int requested, int *returned, struct cudnn7_perf *results);

/* SUCCESS, or a refusal where cuDNN 7 itself is in the process, too. */
anydnnStatus_t cudnn7_alone(const char *entry);

/* A function that anydnn lacks. Whatever it is called with: the caller clears its arguments away.
 */
#define CUDNN7_MISSING(name)                                                                       \
    ANYDNN_API anydnnStatus_t name(void);                                                          \
    ANYDNN_API anydnnStatus_t name(void)                                                           \
    {                                                                                              \
        return cudnn7_status(anydnnNotImplemented(#name));                                         \
    }

#endif
