/* SPDX-License-Identifier: Apache-2.0 */
/* Declares descriptors of cuDNN's graph interface: one convolution, plain or fused, as an operation
 * graph. */
#ifndef CDN_GRAPH_DESCRIPTORS_H
#define CDN_GRAPH_DESCRIPTORS_H

#include "backend.h"

#define CDN_PARTS_MAX 96

/* A group of descriptors that are destroyed together, in reverse order. `status` keeps the first
 * failure; later calls then do nothing. */
struct cdn_parts {
    cudnnBackendDescriptor_t part[CDN_PARTS_MAX];
    int32_t count;
    cudnnStatus_t status;
    const char *what; /* what failed */
};

void cdn_parts_destroy(struct cdn_parts *parts);

/* Creates a descriptor. Returns NULL after a failure. */
cudnnBackendDescriptor_t cdn_part(struct cdn_parts *parts, cudnnBackendDescriptorType_t type,
                                  const char *what);
void cdn_set(struct cdn_parts *parts, cudnnBackendDescriptor_t part,
             cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
             const void *values);
void cdn_finalize(struct cdn_parts *parts, cudnnBackendDescriptor_t part, const char *what);

/* The factors: alpha and beta of a plain convolution, alpha1 and alpha2 of a fused one. */
struct cdn_factors {
    double factor[2];
};
/* Returns the factors of a problem's first graph. */
struct cdn_factors cdn_usual_factors(int32_t operation);

/* Returns the graph of a convolution problem, or NULL after a failure in parts->status. Operand
 * `slot` has the unique number slot + 1. */
cudnnBackendDescriptor_t cdn_graph_make(struct cdn_parts *parts, cudnnHandle_t handle,
                                        const struct anydnn_plugin_problem *problem,
                                        const struct cdn_factors *factors);

#endif
