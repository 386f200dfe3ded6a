/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error sentence, and the names of the status codes. */
#include "sys/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char error_text[ADN_ERROR_MAX];

anydnnStatus_t adn_fail(anydnnStatus_t status, const char *format, ...)
{
    /* The arguments may point into the old sentence. */
    char text[ADN_ERROR_MAX];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (length < 0)
        text[0] = '\0';
    if (length >= (int)sizeof(text))
        memcpy(text + sizeof(text) - 4, "...", 4);
    memcpy(error_text, text, strlen(text) + 1);
    return status;
}

const char *adn_error_text(void)
{
    return error_text;
}

void adn_error_clear(void)
{
    error_text[0] = '\0';
}

static _Thread_local int shortage;

int adn_shortage(int error)
{
    if (error != ENOMEM && error != EMFILE && error != ENFILE)
        return 0;
    shortage = error;
    return 1;
}

int adn_shortage_noted(void)
{
    return shortage;
}

void adn_shortage_forget(void)
{
    shortage = 0;
}

#define STATUS(name)                                                                               \
    {                                                                                              \
        ANYDNN_STATUS_##name, "ANYDNN_STATUS_" #name                                               \
    }

static const struct {
    int status;
    const char *name;
} status_names[] = {
    STATUS(SUCCESS),
    STATUS(NOT_INITIALIZED),
    STATUS(ALLOC_FAILED),
    STATUS(BAD_PARAM),
    STATUS(INTERNAL_ERROR),
    STATUS(INVALID_VALUE),
    STATUS(ARCH_MISMATCH),
    STATUS(MAPPING_ERROR),
    STATUS(EXECUTION_FAILED),
    STATUS(NOT_SUPPORTED),
    STATUS(LICENSE_ERROR),
    STATUS(RUNTIME_PREREQUISITE_MISSING),
    STATUS(RUNTIME_IN_PROGRESS),
    STATUS(RUNTIME_FP_OVERFLOW),
    STATUS(CONFIG_ERROR),
    STATUS(SHUTTING_DOWN),
    STATUS(SPACE_POISONED),
};

const char *adn_status_name(int status)
{
    for (size_t i = 0; i < sizeof(status_names) / sizeof(status_names[0]); i++)
        if (status_names[i].status == status)
            return status_names[i].name;
    return "ANYDNN_STATUS_UNKNOWN";
}
