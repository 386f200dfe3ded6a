/* SPDX-License-Identifier: Apache-2.0 */
/* Activation descriptors. The coefficient and swish's beta are separate, as in cuDNN. */
#include <anydnn/anydnn.h>

#include "desc/desc.h"
#include "sys/callback.h"
#include "sys/error.h"

anydnnStatus_t anydnnCreateActivationDescriptor(anydnnActivationDescriptor_t *activationDesc)
{
    void *made = NULL;
    anydnnStatus_t status =
        adn_desc_create(__func__, "activationDesc", activationDesc, ADN_DESC_ACTIVATION,
                        sizeof(struct anydnnActivationStruct), &made);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *activationDesc = made;
    (*activationDesc)->a.struct_size = sizeof((*activationDesc)->a);
    (*activationDesc)->swish_beta = 1;
    return status;
}

anydnnStatus_t anydnnDestroyActivationDescriptor(anydnnActivationDescriptor_t activationDesc)
{
    return adn_desc_destroy(__func__, "activationDesc", activationDesc, ADN_DESC_ACTIVATION);
}

/* Sets the coefficient of the mode. Modes without one keep 0, so that equal operations are equal
 * problems. */
static void choose_coef(anydnnActivationDescriptor_t desc)
{
    int mode = desc->a.mode;

    desc->a.coef = 0;
    if (mode == ANYDNN_ACTIVATION_SWISH)
        desc->a.coef = desc->swish_beta;
    else if (mode == ANYDNN_ACTIVATION_CLIPPED_RELU || mode == ANYDNN_ACTIVATION_ELU)
        desc->a.coef = desc->coef;
}

static int is_mode(int mode)
{
    return (mode >= ANYDNN_ACTIVATION_SIGMOID && mode <= ANYDNN_ACTIVATION_SWISH) ||
           mode == ANYDNN_ACTIVATION_GELU || mode == ANYDNN_ACTIVATION_GELU_TANH;
}

anydnnStatus_t anydnnSetActivationDescriptor(anydnnActivationDescriptor_t activationDesc,
                                             anydnnActivationMode_t mode,
                                             anydnnNanPropagation_t reluNanOpt, double coef)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status =
        adn_desc_check(__func__, "activationDesc", activationDesc, ADN_DESC_ACTIVATION);

    if (status == ANYDNN_STATUS_SUCCESS && !is_mode((int)mode))
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "%s: mode is %d; it must be an ANYDNN_ACTIVATION_xxx mode", __func__,
                          (int)mode);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_range(
            __func__, "reluNanOpt", (int)reluNanOpt, ANYDNN_NOT_PROPAGATE_NAN, ANYDNN_PROPAGATE_NAN,
            "it must be ANYDNN_NOT_PROPAGATE_NAN or ANYDNN_PROPAGATE_NAN");
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    activationDesc->a.mode = (int)mode;
    activationDesc->a.nan_propagate = (int)reluNanOpt;
    activationDesc->coef = coef;
    choose_coef(activationDesc);
    adn_desc_stamp(&activationDesc->head);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetActivationDescriptor(anydnnActivationDescriptor_t activationDesc,
                                             anydnnActivationMode_t *mode,
                                             anydnnNanPropagation_t *reluNanOpt, double *coef)
{
    static const char *const names[] = {"mode", "reluNanOpt", "coef"};
    const void *const outputs[] = {mode, reluNanOpt, coef};
    anydnnStatus_t status =
        adn_desc_check(__func__, "activationDesc", activationDesc, ADN_DESC_ACTIVATION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 3);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *mode = (anydnnActivationMode_t)activationDesc->a.mode;
    *reluNanOpt = (anydnnNanPropagation_t)activationDesc->a.nan_propagate;
    *coef = activationDesc->coef;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnSetActivationDescriptorSwishBeta(anydnnActivationDescriptor_t activationDesc,
                                                      double swish_beta)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status =
        adn_desc_check(__func__, "activationDesc", activationDesc, ADN_DESC_ACTIVATION);
    uint32_t set;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    set = activationDesc->head.set;
    activationDesc->swish_beta = swish_beta;
    choose_coef(activationDesc);
    adn_desc_stamp(&activationDesc->head);
    activationDesc->head.set = set;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetActivationDescriptorSwishBeta(anydnnActivationDescriptor_t activationDesc,
                                                      double *swish_beta)
{
    static const char *const names[] = {"swish_beta"};
    const void *const outputs[] = {swish_beta};
    anydnnStatus_t status =
        adn_desc_check(__func__, "activationDesc", activationDesc, ADN_DESC_ACTIVATION);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_desc_check_outputs(__func__, names, outputs, 1);
    if (status == ANYDNN_STATUS_SUCCESS)
        *swish_beta = activationDesc->swish_beta;
    return status;
}
