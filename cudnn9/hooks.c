/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the real library for which this one does more than jump. */
#include "cudnn9/front.h"

#include <string.h>

#include "cudnn9/call.h"

/* Defines a version check of cuDNN, which reports parts that do not fit together. */
#define VERSION_CHECK(name)                                                                        \
    static int check_##name(void)                                                                  \
    {                                                                                              \
        int (*call)(void) = NULL;                                                                  \
                                                                                                   \
        CUDNN9_REAL(call, cudnn##name##VersionCheck);                                              \
        return cudnn9_check_mismatch("cudnn" #name "VersionCheck", call());                        \
    }

VERSION_CHECK(Graph)
VERSION_CHECK(Ops)
VERSION_CHECK(Cnn)
VERSION_CHECK(Adv)

static int create(void **handle)
{
    int (*call)(void **handle) = NULL;

    CUDNN9_REAL(call, cudnnCreate);
    return cudnn9_check_mismatch("cudnnCreate", call(handle));
}

/* Returns 1 if a setting needs calls as problems. */
static int cudnn9_describes(void)
{
    const struct cudnn9_settings *settings = cudnn9_settings();

    return strcmp(settings->backends, "none") != 0 || strcmp(settings->trace, "off") != 0;
}

static void *address_of(int (*function)(void))
{
    void *address;

    memcpy(&address, &function, sizeof(address));
    return address;
}

void *cudnn9_hook(size_t index)
{
    void *address = cudnn9_message_hook(index);
    int (*with_handle)(void **handle) = create;

    if (address != NULL || cudnn9_real(index) == NULL)
        return address;
    switch (index) {
    case cudnn9_cudnnGraphVersionCheck:
        return address_of(check_Graph);
    case cudnn9_cudnnOpsVersionCheck:
        return address_of(check_Ops);
    case cudnn9_cudnnCnnVersionCheck:
        return address_of(check_Cnn);
    case cudnn9_cudnnAdvVersionCheck:
        return address_of(check_Adv);
    case cudnn9_cudnnCreate:
        memcpy(&address, &with_handle, sizeof(address));
        return address;
    default:
        return cudnn9_describes() ? cudnn9_legacy(index) : NULL;
    }
}
