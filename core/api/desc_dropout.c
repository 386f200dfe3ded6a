/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout descriptors and the states that they initialise in the handle's memory. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "desc/shape.h"
#include "dispatch/handle/handle.h"
#include "sys/callback.h"
#include "sys/error.h"

/* The states that anydnn.h documents: four 64-bit words. */
struct states {
    uint64_t magic;
    uint64_t version;
    uint64_t seed;
    uint64_t offset;
};

anydnnStatus_t anydnnCreateDropoutDescriptor(anydnnDropoutDescriptor_t *dropoutDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "dropoutDesc", dropoutDesc, ADN_DESC_DROPOUT,
                                            sizeof(struct anydnnDropoutStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *dropoutDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc)
{
    return adn_desc_destroy(__func__, "dropoutDesc", dropoutDesc, ADN_DESC_DROPOUT);
}

anydnnStatus_t anydnnDropoutGetStatesSize(anydnnHandle_t handle, size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, __func__);

    if (status == ANYDNN_STATUS_SUCCESS && !sizeInBytes)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: sizeInBytes is NULL; it must point to the result", __func__);
    if (status == ANYDNN_STATUS_SUCCESS)
        *sizeInBytes = sizeof(struct states);
    return status;
}

anydnnStatus_t anydnnDropoutGetReserveSpaceSize(anydnnTensorDescriptor_t xDesc, size_t *sizeInBytes)
{
    const struct anydnn_plugin_tensor *x = adn_desc_tensor(xDesc);

    if (!x)
        return adn_desc_complain(__func__, "xDesc", xDesc, ADN_DESC_TENSOR);
    if (!sizeInBytes)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: sizeInBytes is NULL; it must point to the result", __func__);
    *sizeInBytes = (size_t)adn_shape_bit_bytes(x);
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t check_set(const char *entry, anydnnDropoutDescriptor_t desc,
                                anydnnHandle_t handle, float dropout, const void *states,
                                size_t bytes)
{
    anydnnStatus_t status = adn_desc_check(entry, "dropoutDesc", desc, ADN_DESC_DROPOUT);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_handle_check(handle, entry);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    /* A replay would copy the states again, between memory that no longer exists. */
    if (handle->recording)
        return adn_fail(
            ANYDNN_STATUS_NOT_SUPPORTED,
            "%s: a recording is in progress on this handle; set dropout descriptors before it",
            entry);
    if (!(dropout >= 0 && dropout <= 1))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: dropout is %g; it must be in the range 0..1",
                        entry, (double)dropout);
    if (states && bytes < sizeof(struct states))
        return adn_fail(ANYDNN_STATUS_INVALID_VALUE,
                        "%s: stateSizeInBytes is %zu; it must be at least the %zu of "
                        "anydnnDropoutGetStatesSize",
                        entry, bytes, sizeof(struct states));
    return ANYDNN_STATUS_SUCCESS;
}

static void set_dropout(anydnnDropoutDescriptor_t desc, float dropout, void *states, uint64_t seed)
{
    desc->d.struct_size = sizeof(desc->d);
    desc->d.probability = dropout;
    desc->probability = dropout;
    if (states) {
        desc->states = states;
        desc->seed = seed;
    }
    adn_desc_stamp(&desc->head);
}

anydnnStatus_t anydnnSetDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc,
                                          anydnnHandle_t handle, float dropout, void *states,
                                          size_t stateSizeInBytes, unsigned long long seed)
{
    ADN_ENTRY_SCOPE;
    struct states fresh = {
        .magic = ANYDNN_DROPOUT_MAGIC, .version = ANYDNN_DROPOUT_VERSION, .seed = seed};
    anydnnStatus_t status =
        check_set(__func__, dropoutDesc, handle, dropout, states, stateSizeInBytes);

    if (status == ANYDNN_STATUS_SUCCESS && states)
        status = anydnnMemCopy(handle, states, &fresh, sizeof(fresh), ANYDNN_MEMCPY_HOST_TO_DEVICE);
    if (status == ANYDNN_STATUS_SUCCESS)
        set_dropout(dropoutDesc, dropout, states, seed);
    return status;
}

anydnnStatus_t anydnnRestoreDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc,
                                              anydnnHandle_t handle, float dropout, void *states,
                                              size_t stateSizeInBytes, unsigned long long seed)
{
    ADN_ENTRY_SCOPE;
    struct states kept;
    anydnnStatus_t status =
        check_set(__func__, dropoutDesc, handle, dropout, states, stateSizeInBytes);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!states)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: states is NULL; it must point to saved states", __func__);
    status = anydnnMemCopy(handle, &kept, states, sizeof(kept), ANYDNN_MEMCPY_DEVICE_TO_HOST);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (kept.magic != ANYDNN_DROPOUT_MAGIC || kept.version != ANYDNN_DROPOUT_VERSION)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: states begins with 0x%llx, version %llu; dropout states of this "
                        "library begin with "
                        "0x%llx, version %llu",
                        __func__, (unsigned long long)kept.magic, (unsigned long long)kept.version,
                        (unsigned long long)ANYDNN_DROPOUT_MAGIC,
                        (unsigned long long)ANYDNN_DROPOUT_VERSION);
    set_dropout(dropoutDesc, dropout, states, seed);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetDropoutDescriptor(anydnnDropoutDescriptor_t dropoutDesc,
                                          anydnnHandle_t handle, float *dropout, void **states,
                                          unsigned long long *seed)
{
    ADN_ENTRY_SCOPE;
    static const char *const names[] = {"dropout", "states", "seed"};
    const void *const outputs[] = {dropout, states, seed};
    anydnnStatus_t status = adn_desc_check(__func__, "dropoutDesc", dropoutDesc, ADN_DESC_DROPOUT);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_handle_check(handle, __func__);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *dropout = dropoutDesc->probability;
    *states = dropoutDesc->states;
    *seed = dropoutDesc->seed;
    return ANYDNN_STATUS_SUCCESS;
}
