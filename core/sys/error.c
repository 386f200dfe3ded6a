/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the thread's last error sentence, and names the status codes. */
#include "sys/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sys/log.h"
#include "sys/text.h"

static _Thread_local char error_text[ADN_ERROR_MAX];
/* The rule that was broken, identified by the format of its sentence. */
static _Thread_local const char *error_rule;
static _Thread_local struct adn_refusal *filled;

/* Returns 1 for entries that query what is supported. NOT_SUPPORTED is a normal result of them. */
static int is_question(const char *text)
{
    static const char *const beginnings[] = {"anydnnGet", "anydnnFind", "anydnnProblemExplain",
                                             "anydnnProblemGet"};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
            return 1;
    return 0;
}

/* Returns 1 for the first error of its entry and rule. Errors in a problem's text are no warnings,
 * since the program shows them to the author of the text. */
static int is_warning(anydnnStatus_t status, const char *text)
{
    if (!adn_log_on(ADN_LOG_WARN) || strncmp(text, "problem text:", 13) == 0 ||
        (status == ANYDNN_STATUS_NOT_SUPPORTED && is_question(text)))
        return 0;
    return adn_log_first(text, strcspn(text, ":"), error_rule);
}

static void tell(anydnnStatus_t status)
{
    int level = is_warning(status, error_text) ? ADN_LOG_WARN : ADN_LOG_INFO;

    if (adn_log_on(level))
        adn_log_line(level, "anydnn", "%s (%s)", error_text, adn_status_name((int)status));
}

/* Writes the sentence to the refusal that is active, or else sets and logs it as the thread's. */
static anydnnStatus_t settle(anydnnStatus_t status, const char *rule, const char *text)
{
    memcpy(filled ? filled->text : error_text, text, strlen(text) + 1);
    if (filled) {
        filled->status = status;
        filled->rule = rule;
        return status;
    }
    error_rule = rule;
    if (status != ANYDNN_STATUS_SUCCESS)
        tell(status);
    return status;
}

anydnnStatus_t adn_fail(anydnnStatus_t status, const char *format, ...)
{
    /* The arguments may point into the old sentence. */
    char text[ADN_ERROR_MAX];
    va_list args;
    int length;

    va_start(args, format);
    length = adn_text_vprint(text, sizeof(text), format, args);
    va_end(args);
    if (length < 0)
        text[0] = '\0';
    if (length >= (int)sizeof(text))
        memcpy(text + sizeof(text) - 4, "...", 4);
    return settle(status, format, text);
}

void adn_refusal_begin(struct adn_refusal *refusal)
{
    refusal->status = ANYDNN_STATUS_SUCCESS;
    refusal->rule = NULL;
    refusal->text[0] = '\0';
    refusal->outer = filled;
    filled = refusal;
}

void adn_refusal_end(const struct adn_refusal *refusal)
{
    filled = refusal->outer;
}

anydnnStatus_t adn_refusal_publish(const struct adn_refusal *refusal)
{
    if (refusal->status == ANYDNN_STATUS_SUCCESS)
        return ANYDNN_STATUS_SUCCESS;
    return settle(refusal->status, refusal->rule, refusal->text);
}

const char *adn_error_text(void)
{
    return filled ? filled->text : error_text;
}

void adn_error_clear(void)
{
    error_text[0] = '\0';
}

void adn_error_save(char text[ADN_ERROR_MAX])
{
    memcpy(text, error_text, ADN_ERROR_MAX);
}

void adn_error_restore(const char text[ADN_ERROR_MAX])
{
    memcpy(error_text, text, ADN_ERROR_MAX);
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
