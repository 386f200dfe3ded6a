/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of layer, group, instance and RMS normalization. */
#include <anydnn/anydnn.h>

#include <math.h>

#include "desc/desc.h"
#include "desc/layout.h"
#include "problem/kinds.h"
#include "sys/error.h"

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define BAD_PARAM ANYDNN_STATUS_BAD_PARAM

anydnnStatus_t anydnnCreateNormalizationDescriptor(anydnnNormalizationDescriptor_t *normDesc)
{
    void *made = NULL;
    anydnnStatus_t status = adn_desc_create(__func__, "normDesc", normDesc, ADN_DESC_NORMALIZATION,
                                            sizeof(struct anydnnNormalizationStruct), &made);

    if (status == SUCCESS)
        *normDesc = made;
    return status;
}

anydnnStatus_t anydnnDestroyNormalizationDescriptor(anydnnNormalizationDescriptor_t normDesc)
{
    return adn_desc_destroy(__func__, "normDesc", normDesc, ADN_DESC_NORMALIZATION);
}

/* Checks the members that only some kinds have. Their fit to an x is checked with each call. */
static anydnnStatus_t check_kind(const char *entry, int kind, unsigned axes, int channel_axis,
                                 int groups)
{
    int by_axes = kind == ANYDNN_NORMALIZATION_LAYER || kind == ANYDNN_NORMALIZATION_RMS;

    if (by_axes && (axes == 0 || axes >> ANYDNN_DIM_MAX != 0))
        return adn_fail(BAD_PARAM,
                        "%s: axes is 0x%x; it must have a bit for each dim to sum over, up to bit "
                        "%d",
                        entry, axes, ANYDNN_DIM_MAX - 1);
    if (!by_axes && axes != 0)
        return adn_fail(BAD_PARAM, "%s: axes is 0x%x; it must be 0 for groups and instances", entry,
                        axes);
    if (by_axes ? channel_axis != 1 : channel_axis < 1 || channel_axis >= ANYDNN_DIM_MAX)
        return adn_fail(BAD_PARAM, "%s: channelAxis is %d; it must be %s", entry, channel_axis,
                        by_axes ? "1 for layers and RMS" : "1 to 7");
    if (kind == ANYDNN_NORMALIZATION_GROUP ? groups < 1 : groups != 1)
        return adn_fail(BAD_PARAM, "%s: groups is %d; it must be %s", entry, groups,
                        kind == ANYDNN_NORMALIZATION_GROUP ? "at least 1"
                                                           : "1 unless the kind is GROUP");
    return SUCCESS;
}

anydnnStatus_t anydnnSetNormalizationDescriptor(anydnnNormalizationDescriptor_t normDesc,
                                                anydnnNormalizationKind_t kind, unsigned axes,
                                                int channelAxis, int groups, unsigned flags,
                                                double epsilon)
{
    anydnnStatus_t status = adn_desc_check(__func__, "normDesc", normDesc, ADN_DESC_NORMALIZATION);

    if (status == SUCCESS)
        status = adn_desc_check_range(__func__, "kind", (int)kind, ANYDNN_NORMALIZATION_LAYER,
                                      ANYDNN_NORMALIZATION_RMS,
                                      "it must be an ANYDNN_NORMALIZATION_xxx");
    if (status == SUCCESS)
        status = check_kind(__func__, (int)kind, axes, channelAxis, groups);
    if (status == SUCCESS && flags > ANYDNN_NORMALIZATION_ZERO_CENTERED)
        status = adn_fail(BAD_PARAM,
                          "%s: flags is 0x%x; it must be 0 or ANYDNN_NORMALIZATION_ZERO_CENTERED",
                          __func__, flags);
    if (status == SUCCESS && (!(epsilon >= 0) || isinf(epsilon)))
        status = adn_fail(BAD_PARAM, "%s: epsilon is %g; it must be at least 0 and finite",
                          __func__, epsilon);
    if (status != SUCCESS)
        return status;
    normDesc->n.struct_size = sizeof(normDesc->n);
    normDesc->n.kind = (int)kind;
    normDesc->n.axes = axes;
    normDesc->n.channel_axis = channelAxis;
    normDesc->n.groups = groups;
    normDesc->n.flags = flags;
    normDesc->n.epsilon = epsilon;
    adn_desc_stamp(&normDesc->head);
    return SUCCESS;
}

anydnnStatus_t anydnnGetNormalizationDescriptor(anydnnNormalizationDescriptor_t normDesc,
                                                anydnnNormalizationKind_t *kind, unsigned *axes,
                                                int *channelAxis, int *groups, unsigned *flags,
                                                double *epsilon)
{
    static const char *const names[] = {"kind",   "axes",  "channelAxis",
                                        "groups", "flags", "epsilon"};
    const void *const outputs[] = {kind, axes, channelAxis, groups, flags, epsilon};
    anydnnStatus_t status = adn_desc_check(__func__, "normDesc", normDesc, ADN_DESC_NORMALIZATION);

    if (status == SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 6);
    if (status != SUCCESS)
        return status;
    *kind = (anydnnNormalizationKind_t)normDesc->n.kind;
    *axes = normDesc->n.axes;
    *channelAxis = normDesc->n.channel_axis;
    *groups = (int)normDesc->n.groups;
    *flags = normDesc->n.flags;
    *epsilon = normDesc->n.epsilon;
    return SUCCESS;
}

anydnnStatus_t
anydnnDeriveNormalizationStatisticsDescriptor(anydnnTensorDescriptor_t statDesc,
                                              anydnnTensorDescriptor_t xDesc,
                                              anydnnNormalizationDescriptor_t normDesc)
{
    struct anydnn_plugin_normalization norm;
    struct anydnn_plugin_tensor made;
    const struct anydnn_plugin_tensor *x = adn_desc_tensor(xDesc);
    anydnnStatus_t status = adn_desc_check(__func__, "statDesc", statDesc, ADN_DESC_TENSOR);

    if (status != SUCCESS)
        return status;
    if (!x)
        return adn_desc_complain(__func__, "xDesc", xDesc, ADN_DESC_TENSOR);
    if (!adn_desc_usable(normDesc, ADN_DESC_NORMALIZATION))
        return adn_desc_complain(__func__, "normDesc", normDesc, ADN_DESC_NORMALIZATION);
    norm = normDesc->n;
    if (norm.axes >> x->ndims != 0)
        return adn_fail(BAD_PARAM,
                        "%s: axes is 0x%x; it must have bits only for the %d dims of xDesc",
                        __func__, norm.axes, (int)x->ndims);
    if (norm.axes == 0 && norm.channel_axis >= x->ndims)
        return adn_fail(BAD_PARAM, "%s: channelAxis is %d; it must be a dim of xDesc, which has %d",
                        __func__, (int)norm.channel_axis, (int)x->ndims);
    if (norm.axes == 0 && x->dims[norm.channel_axis] % norm.groups != 0)
        return adn_fail(BAD_PARAM, "%s: groups is %d; it must divide the %lld channels of xDesc",
                        __func__, (int)norm.groups, (long long)x->dims[norm.channel_axis]);
    adn_normalization_settle_kind(&norm, x);
    made = *x;
    made.type = x->type == ANYDNN_PLUGIN_DOUBLE ? ANYDNN_PLUGIN_DOUBLE : ANYDNN_PLUGIN_FLOAT;
    adn_normalization_statistics(&norm, x, made.dims);
    adn_layout_set(&made, "nchw");
    adn_desc_assign(statDesc, &made);
    return SUCCESS;
}
