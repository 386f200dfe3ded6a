/* SPDX-License-Identifier: Apache-2.0 */
/* cuDNN's variant packs of a plan: one for each set of pointers that it met last. */
#include "kernels.h"

#include <string.h>

static cudnnStatus_t make_pack(const struct anydnn_plugin_plan *plan, const struct cudnn_pack *wish,
                               cudnnBackendDescriptor_t *pack)
{
    void *data[CUDNN_CONVOLUTION_SLOTS], *workspace = wish->workspace;
    int64_t number[CUDNN_CONVOLUTION_SLOTS], count = 0;
    struct cudnn_parts parts = {.count = 0};
    cudnnBackendDescriptor_t made =
        cudnn_part(&parts, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "a variant pack");
    cudnnStatus_t status;

    for (int32_t slot = 0; slot < CUDNN_CONVOLUTION_SLOTS; slot++) {
        if (!(plan->problem.present >> slot & 1))
            continue;
        number[count] = slot + 1;
        data[count++] = wish->data[slot];
    }
    cudnn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, number);
    cudnn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
              data);
    cudnn_set(&parts, made, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    cudnn_finalize(&parts, made, "a variant pack");
    status = parts.status;
    if (status == CUDNN_STATUS_SUCCESS) {
        *pack = made;
        parts.count = 0;
    }
    cudnn_parts_destroy(&parts);
    return status;
}

cudnnStatus_t cudnn_pack_of(const struct anydnn_plugin_plan *plan, struct cudnn_variant *variant,
                            const struct cudnn_pack *wish, cudnnBackendDescriptor_t *pack)
{
    struct cudnn_pack *slot;
    cudnnStatus_t status;

    for (int32_t i = 0; i < CUDNN_PACKS; i++) {
        slot = &variant->pack[i];
        if (slot->pack && memcmp(slot->data, wish->data, sizeof slot->data) == 0 &&
            slot->workspace == wish->workspace) {
            *pack = slot->pack;
            return CUDNN_STATUS_SUCCESS;
        }
    }
    status = make_pack(plan, wish, pack);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    slot = &variant->pack[variant->next];
    variant->next = (variant->next + 1) % CUDNN_PACKS;
    if (slot->pack)
        (void)cudnn.cudnnBackendDestroyDescriptor(slot->pack);
    *slot = *wish;
    slot->pack = *pack;
    return CUDNN_STATUS_SUCCESS;
}

void cudnn_packs_destroy(struct cudnn_variant *variant)
{
    for (int32_t i = 0; i < CUDNN_PACKS; i++) {
        if (variant->pack[i].pack)
            (void)cudnn.cudnnBackendDestroyDescriptor(variant->pack[i].pack);
    }
}
