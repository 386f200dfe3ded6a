/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, fills and finalizes descriptors of the graph interface. */
#include "graph.h"

#include <string.h>

void cdn_parts_destroy(struct cdn_parts *parts)
{
    while (parts->count > 0)
        (void)cudnn.cudnnBackendDestroyDescriptor(parts->part[--parts->count]);
    memset(parts, 0, sizeof *parts);
}

static int failed(struct cdn_parts *parts, cudnnStatus_t status, const char *what)
{
    if (parts->status == CUDNN_STATUS_SUCCESS && status != CUDNN_STATUS_SUCCESS) {
        parts->status = status;
        parts->what = what;
    }
    return parts->status != CUDNN_STATUS_SUCCESS;
}

cudnnBackendDescriptor_t cdn_part(struct cdn_parts *parts, cudnnBackendDescriptorType_t type,
                                  const char *what)
{
    cudnnBackendDescriptor_t made = NULL;

    if (parts->status != CUDNN_STATUS_SUCCESS)
        return NULL;
    if (parts->count == CDN_PARTS_MAX) {
        failed(parts, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, what);
        return NULL;
    }
    if (failed(parts, cudnn.cudnnBackendCreateDescriptor(type, &made), what))
        return NULL;
    parts->part[parts->count++] = made;
    return made;
}

void cdn_set(struct cdn_parts *parts, cudnnBackendDescriptor_t part,
             cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
             const void *values)
{
    if (parts->status == CUDNN_STATUS_SUCCESS)
        failed(parts, cudnn.cudnnBackendSetAttribute(part, name, type, count, values),
               "an attribute");
}

void cdn_finalize(struct cdn_parts *parts, cudnnBackendDescriptor_t part, const char *what)
{
    if (parts->status == CUDNN_STATUS_SUCCESS)
        failed(parts, cudnn.cudnnBackendFinalize(part), what);
}
