/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of matrix products. */
#include "api/call.h"

#include "sys/error.h"

#define SLOT(name) slot_matmul_##name

static void matmul_params(const struct adn_call *call, union kit_params *params)
{
    const struct anydnnMatMulStruct *desc = call->descriptor[0];
    const struct anydnnActivationStruct *activation = call->descriptor[1];

    params->matmul = desc->m;
    params->matmul.activation = ANYDNN_PLUGIN_ACTIVATION_IDENTITY;
    if (activation) {
        params->matmul.activation = activation->a.mode;
        params->matmul.nan_propagate = activation->a.nan_propagate;
        params->matmul.coef = activation->a.coef;
    }
}

/* Puts the two descriptors of the operation. NULL means no activation. */
static inline void take_settings(struct adn_entry *entry, anydnnMatMulDescriptor_t matmulDesc,
                                 anydnnActivationDescriptor_t activation)
{
    const struct anydnnMatMulStruct *desc =
        adn_call_descriptor(entry, ADN_DESC_MATMUL, "matmulDesc", matmulDesc, 0);

    entry->call->params = matmul_params;
    entry->call->math =
        desc->math_type == ANYDNN_FMA_MATH ? ANYDNN_PLUGIN_MATH_DEFAULT : desc->math_type;
    entry->call->descriptor[1] = NULL;
    if (activation)
        adn_call_descriptor(entry, ADN_DESC_ACTIVATION, "activationDesc", activation, 1);
    else
        adn_call_key(entry, 0);
}

anydnnStatus_t
anydnnGetMatMulWorkspaceSize(anydnnHandle_t handle, anydnnMatMulDescriptor_t matmulDesc,
                             anydnnActivationDescriptor_t activationDesc,
                             anydnnTensorDescriptor_t aDesc, anydnnTensorDescriptor_t bDesc,
                             anydnnTensorDescriptor_t cDesc, anydnnTensorDescriptor_t biasDesc,
                             anydnnTensorDescriptor_t dDesc, anydnnTensorDescriptor_t auxDesc,
                             size_t *sizeInBytes)
{
    ADN_ENTRY_SCOPE;
    static const char name[] = "anydnnGetMatMulWorkspaceSize";
    struct adn_call call;
    struct adn_entry entry;
    anydnnStatus_t status = adn_handle_check(handle, name);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (!sizeInBytes)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: sizeInBytes is NULL", name);
    adn_call_begin(&entry, &call, name, ANYDNN_PLUGIN_MATMUL);
    take_settings(&entry, matmulDesc, activationDesc);
    adn_call_shape(&entry, SLOT(a), aDesc);
    adn_call_shape(&entry, SLOT(b), bDesc);
    adn_call_shape_optional(&entry, SLOT(c), cDesc);
    adn_call_shape_optional(&entry, SLOT(bias), biasDesc);
    adn_call_shape(&entry, SLOT(d), dDesc);
    adn_call_shape_optional(&entry, SLOT(aux), auxDesc);
    return adn_call_query_workspace(handle, &entry, sizeInBytes);
}

anydnnStatus_t anydnnMatMul(anydnnHandle_t handle, anydnnMatMulDescriptor_t matmulDesc,
                            anydnnActivationDescriptor_t activationDesc, const void *alpha,
                            anydnnTensorDescriptor_t aDesc, const void *a,
                            anydnnTensorDescriptor_t bDesc, const void *b, const void *beta,
                            anydnnTensorDescriptor_t cDesc, const void *c,
                            anydnnTensorDescriptor_t biasDesc, const void *bias,
                            anydnnTensorDescriptor_t dDesc, void *d,
                            anydnnTensorDescriptor_t auxDesc, void *aux, void *workspace,
                            size_t workSpaceSizeInBytes)
{
    ADN_ENTRY_SCOPE;
    struct adn_call call;
    struct adn_entry entry;

    adn_call_begin(&entry, &call, "anydnnMatMul", ANYDNN_PLUGIN_MATMUL);
    take_settings(&entry, matmulDesc, activationDesc);
    adn_call_tensor(&entry, SLOT(a), aDesc, a);
    adn_call_tensor(&entry, SLOT(b), bDesc, b);
    adn_call_take_optional(&entry, SLOT(c), cDesc, c);
    adn_call_take_optional(&entry, SLOT(bias), biasDesc, bias);
    adn_call_tensor(&entry, SLOT(d), dDesc, d);
    adn_call_take_optional(&entry, SLOT(aux), auxDesc, aux);
    adn_call_blend(&entry, alpha, beta);
    adn_call_workspace(&entry, workspace, workSpaceSizeInBytes);
    return adn_call_run(handle, &entry);
}
