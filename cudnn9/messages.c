/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses and messages of this library itself. The real library does not know the calls that it
 * did not get, so this library keeps their messages, one per thread. */
#include "cudnn9/front.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char last[1200];

static const struct {
    int status;
    const char *name;
} names[] = {
    {0, "CUDNN_STATUS_SUCCESS"},
    {1001, "CUDNN_STATUS_NOT_INITIALIZED"},
    {1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
    {3000, "CUDNN_STATUS_NOT_SUPPORTED"},
};

/* Only the statuses that this library returns without the real one have a name. */
const char *cudnn9_status_name(int status)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].status == status)
            return names[i].name;
    return "CUDNN_UNKNOWN_STATUS";
}

int cudnn9_refuse(int status, anydnnStatus_t nearest, const char *sentence)
{
    (void)anydnnRefuse(nearest, sentence);
    snprintf(last, sizeof(last), "%s", sentence);
    return status;
}

size_t cudnn9_answer_lacking(size_t index)
{
    const struct cudnn9_function *function = &cudnn9_functions[index];
    const char *path = anydnnCudnn9Real();
    size_t (*version)(void) = NULL;
    char sentence[1200];
    char reason[900];
    int status = CUDNN9_NOT_SUPPORTED;

    if (path != NULL) {
        CUDNN9_REAL(version, cudnnGetVersion);
        snprintf(sentence, sizeof(sentence), "%s: %s (cuDNN %zu) does not have this function",
                 function->name, path, version());
    } else {
        status = CUDNN9_NOT_INITIALIZED;
        cudnn9_why_none(reason, sizeof(reason));
        snprintf(sentence, sizeof(sentence), "%s: %s", function->name, reason);
    }
    (void)cudnn9_refuse(status,
                        path != NULL ? ANYDNN_STATUS_NOT_SUPPORTED : ANYDNN_STATUS_NOT_INITIALIZED,
                        sentence);
    return function->result == CUDNN9_STATUS ? (size_t)status : 0;
}

/* Returns this library's message if it refused the thread's last failing call, else that of the
 * real library. Both forget the message then, as cuDNN does. */
static void get_last_error_string(char *message, size_t size)
{
    void (*get)(char *message, size_t size) = NULL;

    CUDNN9_REAL(get, cudnnGetLastErrorString);
    if (get != NULL)
        get(message, size);
    else if (message != NULL && size > 0)
        message[0] = '\0';
    if (last[0] != '\0' && message != NULL && size > 0)
        snprintf(message, size, "%s", last);
    last[0] = '\0';
}

void *cudnn9_message_hook(size_t index)
{
    void (*text)(char *message, size_t size) = get_last_error_string;
    const char *(*name)(int status) = cudnn9_status_name;
    void *address = NULL;

    if (cudnn9_functions[index].result == CUDNN9_TEXT)
        memcpy(&address, &text, sizeof(address));
    else if (cudnn9_functions[index].result == CUDNN9_NAME && cudnn9_real(index) == NULL)
        memcpy(&address, &name, sizeof(address));
    return address;
}
