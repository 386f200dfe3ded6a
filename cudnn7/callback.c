/* SPDX-License-Identifier: Apache-2.0 */
/* The message callback. cuDNN 7 describes each call by a struct, which programs read without a
 * check for NULL. anydnn has no such struct, so this file fills one in with what it knows. */
#include "cudnn7/shim.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef void (*cudnn7_callback)(anydnnSeverity_t severity, void *udata,
                                const struct cudnn7_debug *dbg, const char *msg);

/* A callback and its data as set by a program. Messages come from any thread, so no pair is freed
 * or changed; a program has few of them. */
struct receiver {
    cudnn7_callback fptr;
    void *udata;
    struct receiver *next;
};

static _Atomic(struct receiver *) receivers;
static time_t loaded;

__attribute__((constructor)) static void note_time(void)
{
    loaded = time(NULL);
}

static void pass_on(anydnnSeverity_t severity, void *udata, const anydnnDebug_t *none,
                    const char *msg)
{
    const struct receiver *receiver = udata;
    struct timeval now = {0, 0};
    struct cudnn7_debug debug = {.cudnn_version = CUDNN7_VERSION, .cudaDeviceId = -1};

    (void)none;
    gettimeofday(&now, NULL);
    debug.time_sec = (unsigned)now.tv_sec;
    debug.time_usec = (unsigned)now.tv_usec;
    debug.time_delta = (unsigned)(now.tv_sec - loaded);
    debug.pid = (unsigned long long)getpid();
    debug.tid = (unsigned long long)syscall(SYS_gettid);
    receiver->fptr(severity, receiver->udata, &debug, msg);
}

/* Returns the receiver of this pair, or NULL when memory runs out. */
static struct receiver *receiver_of(cudnn7_callback fptr, void *udata)
{
    struct receiver *first = atomic_load(&receivers);
    struct receiver *made;

    for (struct receiver *at = first; at; at = at->next)
        if (at->fptr == fptr && at->udata == udata)
            return at;
    made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    *made = (struct receiver){fptr, udata, first};
    while (!atomic_compare_exchange_weak(&receivers, &made->next, made))
        ;
    return made;
}

ANYDNN_API anydnnStatus_t cudnnSetCallback(unsigned mask, void *udata, cudnn7_callback fptr);
ANYDNN_API anydnnStatus_t cudnnSetCallback(unsigned mask, void *udata, cudnn7_callback fptr)
{
    struct receiver *receiver = receiver_of(fptr, udata);

    if (!receiver)
        return anydnnRefuse(ANYDNN_STATUS_ALLOC_FAILED,
                            "cudnnSetCallback: out of memory for the callback");
    return cudnn7_status(anydnnSetCallback(mask, receiver, fptr ? pass_on : NULL));
}

ANYDNN_API anydnnStatus_t cudnnGetCallback(unsigned *mask, void **udata, cudnn7_callback *fptr);
ANYDNN_API anydnnStatus_t cudnnGetCallback(unsigned *mask, void **udata, cudnn7_callback *fptr)
{
    anydnnCallback_t function = NULL;
    void *given = NULL;
    anydnnStatus_t status = anydnnGetCallback(mask, udata ? &given : NULL, fptr ? &function : NULL);
    const struct receiver *receiver = given;

    if (status != ANYDNN_STATUS_SUCCESS)
        return cudnn7_status(status);
    /* Any other callback, or none, was set through anydnn's own entry. It cannot be returned here.
     */
    *fptr = function == pass_on ? receiver->fptr : NULL;
    *udata = function == pass_on ? receiver->udata : NULL;
    return ANYDNN_STATUS_SUCCESS;
}
