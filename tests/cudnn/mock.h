/* SPDX-License-Identifier: Apache-2.0 */
/* The counters and settings of the mock of cuDNN's library, which exports them as `mock_cudnn`. */
#ifndef MOCK_CUDNN_H
#define MOCK_CUDNN_H

#include <cudnn.h>

/* An engine configuration that the mock proposes: those of mode A first, then the fallback. */
struct mock_engine {
    int64_t index, knob, workspace;
    uint32_t numerical; /* bits of CUDNN_NUMERICAL_NOTE_xxx */
    int fallback;
    int refuses; /* 1 if no plan can be made of it */
    int splits;  /* 1 if the knob is the number of parts into which sums are split */
};

struct mock_transform {
    float alpha, beta;
    const void *from;
    void *to;
    int strides[8]; /* strides of the source tensor */
};

/* A tensor descriptor. */
struct mock_tensor {
    cudnnDataType_t type;
    int ndims, vectors;
    int dims[8], strides[8];
};

struct mock_cudnn {
    long live;                  /* descriptors of every kind */
    int plans;                  /* execution plans finalized */
    int packs;                  /* variant packs finalized */
    int runs;                   /* executions of plans */
    int adds;                   /* calls of cudnnAddTensor */
    int fused;                  /* calls of cudnnConvolutionBiasActivationForward */
    int streams;                /* calls of cudnnSetStream */
    float factor[2];            /* factors of the last graph */
    int64_t strides[8][8];      /* strides of each slot's operand in the last graph */
    cudnnStatus_t execution;    /* the status that cudnnBackendExecute returns */
    cudnnStatus_t transforming; /* the status that cudnnTransformTensor returns */
    int refuse_factors;         /* 1: plans only for the factors 1 and 0 */
    int refuse_older; /* 1: no integer convolution by the older calls; 2: none of any type */
    char calls[1000]; /* names of the older calls that ran something, each followed by a blank */
    struct mock_transform transform[8]; /* calls of cudnnTransformTensor, in turn */
    int transforms;
    double coef;         /* coefficient of the last activation */
    const void *watched; /* an int that is watched, or NULL */
    int seen;            /* its value when the last plan was made */
    float *neighbour;    /* set to 1 while a plan runs, as if another stream wrote it */
    /* The engines that the mock proposes; the usual ones by default. */
    const struct mock_engine *engine;
    int64_t engines;
};

#endif
