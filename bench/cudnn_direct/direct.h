/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of cudnn_direct share: one convolution and the two ways to run it. */
#ifndef CUDNN_DIRECT_H
#define CUDNN_DIRECT_H

#include "../onednn_direct/direct.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#define ROUNDS_MAX 101

/* The kinds: half NHWC in tensor_op math, or float NCHW in default math. */
enum kind { HALF_NHWC, FLOAT_NCHW, KIND_END };

struct case_ {
    const struct layer *layer;
    enum direction direction;
    enum kind kind;
    void *data[OPERAND_END]; /* device memory */
};

/* Implemented in through_anydnn.c. Opens the public API, routed to one backend without fallback. */
void anydnn_direct_begin(void);
void anydnn_direct_end(void);
void *anydnn_memory(size_t bytes);
void anydnn_release(void *memory);
struct way anydnn_convolution(const struct case_ *c);
/* Returns the engine of the last call. */
uint64_t anydnn_engine(void);
/* Returns ReLU of x, or the case's convolution, for the host cost. */
struct way anydnn_small(int activation, const struct case_ *c);

/* Implemented in through_cudnn.c. Uses cuDNN's own calls, with the first engine configuration that
 * it proposes in the math mode. */
void cudnn_direct_begin(void);
void cudnn_direct_end(void);
struct way cdn_way(const struct case_ *c, uint64_t *engine);
struct way cdn_activation(void *x, void *y);

/* cudnn_direct.c */
void try_cuda(cudaError_t error);
double median(double *values, int count);
const char *kind_name(enum kind kind);
void make_data(struct case_ *c);
void free_data(const struct case_ *c);

/* Implemented in host_cost.c. Prints its lines. */
void measure_host(int rounds);

#endif
