/* SPDX-License-Identifier: Apache-2.0 */
/* Opens NCCL if it is installed. The library itself does not need it. */
#include "nccl.h"

#include "work.h"

#include <dlfcn.h>
#include <stdlib.h>

static void *entry(void *library, const char *name)
{
    void *function = dlsym(library, name);

    if (!function)
        gpu_skip(dlerror());
    return function;
}

/* Disables multicast, which belongs to the whole host and not to one process. */
void nccl_open(struct nccl *nccl)
{
    void *library;

    must(setenv("NCCL_NVLS_ENABLE", "0", 1) == 0);
    library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        gpu_skip(dlerror());
    nccl->comm_init_all = entry(library, "ncclCommInitAll");
    nccl->comm_destroy = entry(library, "ncclCommDestroy");
    nccl->group_start = entry(library, "ncclGroupStart");
    nccl->group_end = entry(library, "ncclGroupEnd");
    nccl->all_reduce = entry(library, "ncclAllReduce");
    nccl->error_string = entry(library, "ncclGetErrorString");
}
