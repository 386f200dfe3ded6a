/* SPDX-License-Identifier: Apache-2.0 */
/* Reports why cuDNN refuses or fails, with its own words in our sentences. */
#include "backend.h"

/* Returns cuDNN's own words about the last failure in this thread, on one line. */
static void last_words(char *text, size_t size)
{
    text[0] = 0;
    cudnn.cudnnGetLastErrorString(text, size);
    text[size - 1] = 0;
    for (char *at = text; *at; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
}

int32_t cdn_refuse_status(struct kit_refusal *why, int32_t reason, cudnnStatus_t status,
                          const char *what)
{
    char words[400];

    last_words(words, sizeof words);
    return kit_refuse(why, reason, "cuDNN rejected %s: %s (%d) %s", what,
                      cudnn.cudnnGetErrorString(status), (int)status, words);
}

static int32_t status_of(cudnnStatus_t status)
{
    if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
        status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    switch (CUDNN_STATUS_CATEGORY((int)status)) {
    case CUDNN_STATUS_BAD_PARAM:
    case CUDNN_STATUS_NOT_SUPPORTED:
        return ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED;
    case CUDNN_STATUS_EXECUTION_FAILED:
        return ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED;
    default:
        return ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR;
    }
}

int32_t cdn_check(cudnnStatus_t status, const char *what)
{
    char words[400];

    if (status == CUDNN_STATUS_SUCCESS)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    last_words(words, sizeof words);
    return kit_fail(status_of(status), "%s: %s (%d) %s", what, cudnn.cudnnGetErrorString(status),
                    (int)status, words);
}

int32_t cdn_ran(const struct cdn_call *call, cudnnStatus_t status, const char *function)
{
    if (status == CUDNN_STATUS_SUCCESS) {
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    }
    if (status_of(status) != ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED)
        *call->effect = ANYDNN_PLUGIN_EFFECT_UNKNOWN;
    return cdn_check(status, function);
}
