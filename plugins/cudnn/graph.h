/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of cuDNN's graph interface: one convolution, plain or fused, as an operation graph.
 */
#ifndef CUDNN_GRAPH_DESCRIPTORS_H
#define CUDNN_GRAPH_DESCRIPTORS_H

#include "backend.h"

#define CUDNN_PARTS_MAX 96

/* Descriptors that belong together, destroyed together, last first. What went wrong first stays in
 * `status`; whatever is asked after that does nothing. */
struct cudnn_parts {
    cudnnBackendDescriptor_t part[CUDNN_PARTS_MAX];
    int32_t count;
    cudnnStatus_t status;
    const char *what; /* that failed */
};

void cudnn_parts_destroy(struct cudnn_parts *parts);

/* A new descriptor, NULL after a failure. */
cudnnBackendDescriptor_t cudnn_part(struct cudnn_parts *parts, cudnnBackendDescriptorType_t type,
                                    const char *what);
void cudnn_set(struct cudnn_parts *parts, cudnnBackendDescriptor_t part,
               cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
               const void *values);
void cudnn_finalize(struct cudnn_parts *parts, cudnnBackendDescriptor_t part, const char *what);

/* alpha and beta of a plain convolution; alpha1 and alpha2 of a fused one. */
struct cudnn_factors {
    double factor[2];
};
/* The factors that a problem's first graph is made for. */
struct cudnn_factors cudnn_usual_factors(int32_t operation);

/* The graph of a convolution problem, or NULL with parts->status. Operand `slot` has the unique
 * number slot + 1. */
cudnnBackendDescriptor_t cudnn_graph_make(struct cudnn_parts *parts, cudnnHandle_t handle,
                                          const struct anydnn_plugin_problem *problem,
                                          const struct cudnn_factors *factors);

#endif
