/* SPDX-License-Identifier: Apache-2.0 */
/* Version, status names, the thread's last error, and the message callback. */
#include <anydnn/anydnn.h>

#include <string.h>

#include "sys/error.h"
#include "sys/log.h"

size_t anydnnGetVersion(void)
{
    return ANYDNN_VERSION;
}

int anydnnGetApiLevel(void)
{
    return ANYDNN_API_LEVEL_NEWEST;
}

anydnnStatus_t anydnnGetProperty(anydnnLibraryPropertyType_t type, int *value)
{
    static const int properties[] = {ANYDNN_MAJOR, ANYDNN_MINOR, ANYDNN_PATCHLEVEL};
    int index = (int)type;

    if (!value)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: value is NULL; it must point to the result",
                        __func__);
    if (index < ANYDNN_MAJOR_VERSION || index > ANYDNN_PATCH_LEVEL)
        return adn_fail(ANYDNN_STATUS_INVALID_VALUE,
                        "%s: type is %d; it must be ANYDNN_MAJOR_VERSION, ANYDNN_MINOR_VERSION or "
                        "ANYDNN_PATCH_LEVEL",
                        __func__, index);
    *value = properties[index];
    return ANYDNN_STATUS_SUCCESS;
}

const char *anydnnGetErrorString(anydnnStatus_t status)
{
    return adn_status_name((int)status);
}

void anydnnGetLastErrorString(char *text, size_t size)
{
    const char *sentence = adn_error_text();
    size_t length = strlen(sentence);

    if (!text || size == 0)
        return;
    if (length >= size)
        length = size - 1;
    memcpy(text, sentence, length);
    text[length] = '\0';
}

anydnnStatus_t anydnnNotImplemented(const char *name)
{
    if (!name || !*name)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: name is %s; it must be the name of an entry",
                        __func__, name ? "empty" : "NULL");
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED, "%s: anydnn does not implement it", name);
}

anydnnStatus_t anydnnRefuse(anydnnStatus_t status, const char *sentence)
{
    if (status == ANYDNN_STATUS_SUCCESS)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: status is SUCCESS; it must be an error status", __func__);
    if (!sentence || !*sentence)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: sentence is %s; it must describe the error",
                        __func__, sentence ? "empty" : "NULL");
    return adn_fail(status, "%s", sentence);
}

anydnnStatus_t anydnnSetCallback(unsigned mask, void *udata, anydnnCallback_t fptr)
{
    adn_log_callback_set(mask, udata, fptr);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t anydnnGetCallback(unsigned *mask, void **udata, anydnnCallback_t *fptr)
{
    if (!mask || !udata || !fptr)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL; it must point to the result",
                        __func__,
                        !mask    ? "mask"
                        : !udata ? "udata"
                                 : "fptr");
    adn_log_callback_get(mask, udata, fptr);
    return ANYDNN_STATUS_SUCCESS;
}
