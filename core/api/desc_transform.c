/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of tensor transforms: padding and folding. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "desc/names.h"
#include "desc/shape.h"
#include "sys/error.h"

anydnnStatus_t
anydnnCreateTensorTransformDescriptor(anydnnTensorTransformDescriptor_t *transformDesc)
{
    void *made = NULL;
    anydnnStatus_t status =
        adn_desc_create(__func__, "transformDesc", transformDesc, ADN_DESC_TENSOR_TRANSFORM,
                        sizeof(struct anydnnTensorTransformStruct), &made);

    if (status == ANYDNN_STATUS_SUCCESS)
        *transformDesc = made;
    return status;
}

anydnnStatus_t
anydnnDestroyTensorTransformDescriptor(anydnnTensorTransformDescriptor_t transformDesc)
{
    return adn_desc_destroy(__func__, "transformDesc", transformDesc, ADN_DESC_TENSOR_TRANSFORM);
}

anydnnStatus_t anydnnSetTensorTransformDescriptor(anydnnTensorTransformDescriptor_t transformDesc,
                                                  uint32_t nbDims, anydnnTensorFormat_t destFormat,
                                                  const int32_t padBeforeA[],
                                                  const int32_t padAfterA[], const uint32_t foldA[],
                                                  anydnnFoldingDirection_t direction)
{
    anydnnStatus_t status =
        adn_desc_check(__func__, "transformDesc", transformDesc, ADN_DESC_TENSOR_TRANSFORM);
    struct anydnn_plugin_transform made = {.struct_size = sizeof(made),
                                           .direction = (int)direction};

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "nbDims", nbDims, 2, UINT32_MAX,
                                      "it must be at least 2");
    if (status == ANYDNN_STATUS_SUCCESS && nbDims > ANYDNN_DIM_MAX)
        status = adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                          "%s: nbDims is %u; at most ANYDNN_DIM_MAX (%d) are supported", __func__,
                          (unsigned)nbDims, ANYDNN_DIM_MAX);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(__func__, "destFormat", (int)destFormat, ANYDNN_TENSOR_NCHW,
                                      ANYDNN_TENSOR_NCHW_VECT_C, "it must be an ANYDNN_TENSOR_xxx");
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(
            __func__, "direction", (int)direction, ANYDNN_TRANSFORM_FOLD, ANYDNN_TRANSFORM_UNFOLD,
            "it must be ANYDNN_TRANSFORM_FOLD or ANYDNN_TRANSFORM_UNFOLD");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    for (uint32_t i = 0; i < nbDims; i++) {
        made.pad_before[i] = padBeforeA ? padBeforeA[i] : 0;
        made.pad_after[i] = padAfterA ? padAfterA[i] : 0;
    }
    for (uint32_t i = 0; i + 2 < nbDims; i++) {
        made.fold[i] = foldA ? (int64_t)foldA[i] : 1;
        if (made.fold[i] < 1)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: fold %u is 0; it must be at least 1 (1: no folding)", __func__,
                            (unsigned)i);
    }
    transformDesc->x = made;
    transformDesc->ndims = (int32_t)nbDims;
    transformDesc->format = (int)destFormat;
    adn_desc_stamp(&transformDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}

/* As in the setter, an unwanted array may be NULL. */
anydnnStatus_t anydnnGetTensorTransformDescriptor(anydnnTensorTransformDescriptor_t transformDesc,
                                                  uint32_t nbDimsRequested,
                                                  anydnnTensorFormat_t *destFormat,
                                                  int32_t padBeforeA[], int32_t padAfterA[],
                                                  uint32_t foldA[],
                                                  anydnnFoldingDirection_t *direction)
{
    static const char *const names[] = {"destFormat", "direction"};
    const void *const outputs[] = {destFormat, direction};
    anydnnStatus_t status =
        adn_desc_check(__func__, "transformDesc", transformDesc, ADN_DESC_TENSOR_TRANSFORM);
    uint32_t count;

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 2);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *destFormat = (anydnnTensorFormat_t)transformDesc->format;
    *direction = (anydnnFoldingDirection_t)transformDesc->x.direction;
    count = (uint32_t)transformDesc->ndims;
    if (nbDimsRequested < count)
        count = nbDimsRequested;
    for (uint32_t i = 0; i < count; i++) {
        if (padBeforeA)
            padBeforeA[i] = (int32_t)transformDesc->x.pad_before[i];
        if (padAfterA)
            padAfterA[i] = (int32_t)transformDesc->x.pad_after[i];
        if (foldA && i + 2 < count)
            foldA[i] = (uint32_t)transformDesc->x.fold[i];
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnInitTransformDest(anydnnTensorTransformDescriptor_t transformDesc,
                                       anydnnTensorDescriptor_t srcDesc,
                                       anydnnTensorDescriptor_t destDesc, size_t *destSizeInBytes)
{
    static const char *const names[] = {"destSizeInBytes"};
    const void *const outputs[] = {destSizeInBytes};
    const struct anydnn_plugin_transform *transform = adn_desc_transform(transformDesc);
    const struct anydnn_plugin_tensor *source = adn_desc_tensor(srcDesc);
    anydnnStatus_t status = adn_desc_check(__func__, "destDesc", destDesc, ADN_DESC_TENSOR);
    struct anydnn_plugin_tensor made;

    if (!transform)
        return adn_desc_complain(__func__, "transformDesc", transformDesc,
                                 ADN_DESC_TENSOR_TRANSFORM);
    if (!source)
        return adn_desc_complain(__func__, "srcDesc", srcDesc, ADN_DESC_TENSOR);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 1);
    if (status == ANYDNN_STATUS_SUCCESS && source->ndims != transformDesc->ndims)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: transformDesc has %d dims and srcDesc has %d; they must agree",
                          __func__, (int)transformDesc->ndims, (int)source->ndims);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    made = *source;
    if (adn_shape_transform(transform, source->ndims, source->dims, made.dims) != 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: with this padding and folding a dim of srcDesc would be below 1, or "
                        "its %lld channels are not divisible by the folds",
                        __func__, (long long)source->dims[1]);
    if (adn_shape_strides(transformDesc->format, made.type, made.ndims, made.dims, made.strides) !=
            0 ||
        adn_shape_bytes(&made) < 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: destFormat %d is not possible for type %s and %lld channels, or the "
                        "size exceeds 64 bits",
                        __func__, (int)transformDesc->format, adn_type_name(made.type),
                        (long long)made.dims[1]);
    adn_desc_assign(destDesc, &made);
    *destSizeInBytes = (size_t)adn_shape_bytes(&made);
    return ANYDNN_STATUS_SUCCESS;
}
