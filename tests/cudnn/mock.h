/* SPDX-License-Identifier: Apache-2.0 */
/* What the mock of cuDNN's library counts and is told, as the object `mock_cudnn` of it. */
#ifndef MOCK_CUDNN_H
#define MOCK_CUDNN_H

#include <cudnn.h>

/* One engine configuration that the mock proposes: mode A first, then the fallback. */
struct mock_engine {
    int64_t index, knob, workspace;
    uint32_t numerical; /* bits of CUDNN_NUMERICAL_NOTE_xxx */
    int fallback;
    int refuses; /* to become a plan */
    int splits;  /* the knob says into how many parts sums are split */
};

struct mock_transform {
    float alpha, beta;
    const void *from;
    void *to;
    int strides[8]; /* of what lies at `from` */
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
    int runs;                   /* of execution plans */
    int adds;                   /* cudnnAddTensor */
    int fused;                  /* cudnnConvolutionBiasActivationForward */
    int streams;                /* cudnnSetStream */
    float factor[2];            /* of the graph made last */
    int64_t strides[8][8];      /* of the operand of each slot in the graph made last */
    cudnnStatus_t execution;    /* what cudnnBackendExecute answers */
    cudnnStatus_t transforming; /* what cudnnTransformTensor answers */
    int refuse_factors;         /* no plan but for the factors 1 and 0 */
    int refuse_older; /* no convolution by the older calls: of integers, or (2) of any type */
    char calls[1000]; /* the older calls that run something, a blank behind each */
    struct mock_transform transform[8]; /* of cudnnTransformTensor, in turn */
    int transforms;
    double coef;         /* of the activation set last */
    const void *watched; /* an int */
    int seen;            /* of it, when the last plan was made */
    float *neighbour;    /* becomes 1 while a plan runs, as if another stream wrote it */
    /* Other engines than the usual ones. */
    const struct mock_engine *engine;
    int64_t engines;
};

#endif
