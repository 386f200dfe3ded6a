/* SPDX-License-Identifier: Apache-2.0 */
/* Implements kernels that hold multiprocessors. */
#include "hold.h"

#include "ptx.h"
#include "work.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* The kernel. A block sets its word for the host when it begins and when it ends. It stays until
 * the gate's word is `count`, or the time is over. The host opens the gate if `count` is 1.
 * Otherwise, each block increments the gate. */
static const char source[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry hold(.param .u64 there_at, .param .u64 gate_at, .param .u32 count,\n"
    "                     .param .u64 time)\n"
    "{\n"
    "    .reg .pred over;\n"
    "    .reg .b32 block, word, seen, wanted;\n"
    "    .reg .b64 there, gate, limit, begin, now, at;\n"
    "    ld.param.u64 there, [there_at];\n"
    "    ld.param.u64 gate, [gate_at];\n"
    "    ld.param.u32 wanted, [count];\n"
    "    ld.param.u64 limit, [time];\n"
    "    mov.u64 begin, %globaltimer;\n"
    "    mov.u32 block, %ctaid.x;\n"
    "    mov.u32 word, 1;\n"
    "    mul.wide.u32 at, block, 4;\n"
    "    add.u64 at, at, there;\n"
    "    setp.ne.u32 over, wanted, 1;\n"
    "    @over red.global.add.u32 [gate], word;\n"
    "    st.volatile.global.u32 [at], word;\n"
    "again:\n"
    "    ld.volatile.global.u32 seen, [gate];\n"
    "    setp.ge.u32 over, seen, wanted;\n"
    "    @over bra done;\n"
    "    mov.u64 now, %globaltimer;\n"
    "    sub.u64 now, now, begin;\n"
    "    setp.lt.u64 over, now, limit;\n"
    "    @over bra again;\n"
    "done:\n"
    "    mov.u32 word, 2;\n"
    "    st.volatile.global.u32 [at], word;\n"
    "    ret;\n"
    "}\n";

enum { THERE = 1, GONE };

struct hold {
    cudaStream_t stream;
    volatile unsigned *there; /* a word for each block, written by the device */
    volatile unsigned *gate;
    unsigned *counter; /* on the device: the gate if the blocks meet */
    int count, meets, shared;
    CUfunction function;
};

int hold_multiprocessors(void)
{
    int count = 0;

    must(cudaSetDevice(0) == cudaSuccess);
    must(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
    return count;
}

static CUfunction kernel(int *shared)
{
    CUresult (*set)(CUfunction, CUfunction_attribute, int) = ptx_entry("cuFuncSetAttribute");
    CUfunction function = ptx_kernel(source, "hold");

    must(cudaDeviceGetAttribute(shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess);
    must(set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, *shared) == CUDA_SUCCESS);
    return function;
}

struct hold *hold_make(int count, int meets)
{
    struct hold *made = calloc(1, sizeof *made);
    size_t bytes = ((size_t)count + 1) * sizeof *made->there;
    void *words = NULL;

    must(made);
    made->function = kernel(&made->shared);
    must(cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking) == cudaSuccess);
    must(cudaHostAlloc(&words, bytes, cudaHostAllocMapped) == cudaSuccess);
    must(cudaMalloc((void **)&made->counter, sizeof *made->counter) == cudaSuccess);
    must(cudaMemset(made->counter, 0, sizeof *made->counter) == cudaSuccess);
    must(cudaDeviceSynchronize() == cudaSuccess);
    memset(words, 0, bytes);
    made->there = words;
    made->gate = made->there + count;
    made->count = count;
    made->meets = meets;
    return made;
}

/* Starts the kernel. Nothing here waits for the device, which another such kernel may hold. */
void hold_start(struct hold *hold)
{
    CUresult (*start)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, CUstream, void **, void **) = ptx_entry("cuLaunchKernel");
    const volatile unsigned *there = hold->there, *gate = hold->meets ? hold->counter : hold->gate;
    unsigned wanted = hold->meets ? (unsigned)hold->count : 1;
    unsigned long long limit = HOLD_SECONDS * 1000000000ULL;
    void *parameters[] = {&there, &gate, &wanted, &limit};

    must(start(hold->function, (unsigned)hold->count, 1, 1, 1, 1, 1, (unsigned)hold->shared,
               hold->stream, parameters, NULL) == CUDA_SUCCESS);
}

static int blocks(const struct hold *hold, unsigned state)
{
    int found = 0;

    for (int i = 0; i < hold->count; i++)
        found += hold->there[i] == state;
    return found;
}

struct hold *hold_begin(int count)
{
    struct hold *made = hold_make(count, 0);

    hold_start(made);
    for (int i = 0; blocks(made, THERE) < count && i < HOLD_IS_WAITING * 1000; i++)
        usleep(1000);
    must(blocks(made, THERE) == count);
    return made;
}

int hold_lasts(const struct hold *hold)
{
    return blocks(hold, GONE) == 0;
}

int hold_ended_in(const struct hold *hold, double seconds)
{
    for (int i = 0; blocks(hold, GONE) < hold->count && i < seconds * 1000; i++)
        usleep(1000);
    return blocks(hold, GONE) == hold->count;
}

void hold_end(struct hold *hold)
{
    *hold->gate = 1;
    must(cudaStreamSynchronize(hold->stream) == cudaSuccess);
    must(cudaStreamDestroy(hold->stream) == cudaSuccess);
    must(cudaFree(hold->counter) == cudaSuccess);
    must(cudaFreeHost((void *)hold->there) == cudaSuccess);
    free(hold);
}
