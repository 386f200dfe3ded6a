/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the variant packs of a plan, for the most recent sets of pointers. */
#include "kernels.h"

#include <string.h>

static cudnnStatus_t make_pack(const struct anydnn_plugin_plan *plan, const struct cdn_pack *wanted,
                               cudnnBackendDescriptor_t *pack)
{
    void *data[CDN_CONVOLUTION_SLOTS], *workspace = wanted->workspace;
    int64_t number[CDN_CONVOLUTION_SLOTS], count = 0;
    struct cdn_parts parts = {.count = 0};
    cudnnBackendDescriptor_t made =
        cdn_part(&parts, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "a variant pack");
    cudnnStatus_t status;

    for (int32_t slot = 0; slot < CDN_CONVOLUTION_SLOTS; slot++) {
        if (!(plan->problem.present >> slot & 1))
            continue;
        number[count] = slot + 1;
        data[count++] = wanted->data[slot];
    }
    cdn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, number);
    cdn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, data);
    cdn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    cdn_finalize(&parts, made, "a variant pack");
    status = parts.status;
    if (status == CUDNN_STATUS_SUCCESS) {
        *pack = made;
        parts.count = 0;
    }
    cdn_parts_destroy(&parts);
    return status;
}

cudnnStatus_t cdn_pack_of(const struct anydnn_plugin_plan *plan, struct cdn_variant *variant,
                          const struct cdn_pack *wanted, cudnnBackendDescriptor_t *pack)
{
    struct cdn_pack *slot;
    cudnnStatus_t status;

    for (int32_t i = 0; i < CDN_PACKS; i++) {
        slot = &variant->pack[i];
        if (slot->pack && memcmp(slot->data, wanted->data, sizeof slot->data) == 0 &&
            slot->workspace == wanted->workspace) {
            *pack = slot->pack;
            return CUDNN_STATUS_SUCCESS;
        }
    }
    status = make_pack(plan, wanted, pack);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    slot = &variant->pack[variant->next];
    variant->next = (variant->next + 1) % CDN_PACKS;
    if (slot->pack)
        (void)cudnn.cudnnBackendDestroyDescriptor(slot->pack);
    *slot = *wanted;
    slot->pack = *pack;
    return CUDNN_STATUS_SUCCESS;
}

void cdn_packs_destroy(struct cdn_variant *variant)
{
    for (int32_t i = 0; i < CDN_PACKS; i++) {
        if (variant->pack[i].pack)
            (void)cudnn.cudnnBackendDestroyDescriptor(variant->pack[i].pack);
    }
}
