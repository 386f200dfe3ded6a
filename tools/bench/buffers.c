/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates and fills the operand sets. Uses only anydnn's API, so that any device works. */
#include "tools/bench/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUCCESS   ANYDNN_STATUS_SUCCESS
#define ALIGNMENT 256

/* Exceeds the second-level cache of current GPUs: 50 MiB on an H100, 126 MiB on a B200. */
#define DEVICE_CACHE (128LL << 20)
/* The size if the host does not report its cache. */
#define HOST_CACHE (32LL << 20)
/* The maximum number of sets, which the smallest problems reach. */
#define SETS_MAX 4096
/* The length of the random data, in numbers. Larger operands repeat it. */
#define BLOCK 65536

long long buffers_cache(const char *device)
{
    long size;

    if (strcmp(device, "cpu") != 0)
        return DEVICE_CACHE;
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size <= 0)
        size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return size > 0 ? size : HOST_CACHE;
}

/* Returns the free memory in bytes, or -1 if unknown. The host overcommits, and kills the process
 * when it uses too much. */
static double host_memory_left(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    double kilobytes = -1;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

static int fits(const char *device, double bytes)
{
    double left = strcmp(device, "cpu") == 0 ? host_memory_left() : -1;

    return left < 0 || bytes < left * 0.9;
}

static int count_sets(const struct buffers *buffers, long long cache)
{
    size_t wanted = 2 * (size_t)cache;
    size_t sets = (wanted + buffers->stride - 1) / buffers->stride;

    if (sets > SETS_MAX)
        sets = SETS_MAX;
    return sets < 1 ? 1 : (int)sets;
}

static void lay_out(const struct operands *operands, struct buffers *buffers)
{
    buffers->count = operands->count;
    for (int i = 0; i < operands->count; i++) {
        if (operands->item[i].host) {
            buffers->host[i] = tool_alloc(operands->item[i].bytes);
            operand_fill_bytes(operands, i, 1, buffers->host[i], operands->item[i].bytes);
        }
        if (operands->item[i].alias >= 0 || operands->item[i].host)
            continue;
        buffers->at[i] = buffers->stride;
        buffers->stride += (operands->item[i].bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    for (int i = 0; i < operands->count; i++)
        if (operands->item[i].alias >= 0)
            buffers->at[i] = buffers->at[operands->item[i].alias];
}

static int allocate(const char *device, struct buffers *buffers)
{
    for (;; buffers->sets = (buffers->sets + 1) / 2) {
        size_t bytes = buffers->stride * (size_t)buffers->sets;
        void *memory = NULL;

        if (fits(device, (double)bytes) &&
            anydnnMemAlloc(buffers->handle, bytes, &memory) == SUCCESS) {
            buffers->memory = memory;
            return 1;
        }
        if (buffers->sets == 1)
            return 0;
    }
}

/* Uploads an operand of the first set: whole blocks of random data, then the rest. */
static int upload(const struct buffers *buffers, const struct operands *operands, int index)
{
    const struct operand *operand = &operands->item[index];
    unsigned char *place = buffers->memory + buffers->at[index];
    size_t chunk = BLOCK * operand->element->size;
    unsigned char *block;
    int fine = 1;

    chunk = operand->bytes < chunk ? operand->bytes : chunk;
    block = tool_alloc(chunk);
    operand_fill_bytes(operands, index, 1, block, chunk);
    for (size_t done = 0; done < operand->bytes && fine; done += chunk) {
        size_t bytes = operand->bytes - done < chunk ? operand->bytes - done : chunk;

        fine = anydnnMemCopy(buffers->handle, place + done, block, bytes,
                             ANYDNN_MEMCPY_HOST_TO_DEVICE) == SUCCESS;
    }
    free(block);
    return fine;
}

static int fill(const struct buffers *buffers, const struct operands *operands)
{
    int fine = anydnnMemSet(buffers->handle, buffers->memory, 0,
                            buffers->stride * (size_t)buffers->sets) == SUCCESS;

    for (int i = 0; i < operands->count && fine; i++)
        if (operands->item[i].alias < 0 && !operands->item[i].host &&
            ((operands->item[i].direction & ANYDNN_DIRECTION_INPUT) || operands->blends))
            fine = upload(buffers, operands, i);
    for (int set = 1; set < buffers->sets && fine; set++)
        fine = anydnnMemCopy(buffers->handle, buffers->memory + (size_t)set * buffers->stride,
                             buffers->memory, buffers->stride,
                             ANYDNN_MEMCPY_DEVICE_TO_DEVICE) == SUCCESS;
    return fine && anydnnSynchronize(buffers->handle) == SUCCESS;
}

int buffers_make(anydnnHandle_t handle, const char *device, const struct operands *operands,
                 long long cache, struct buffers *buffers, char *why, size_t size)
{
    memset(buffers, 0, sizeof(*buffers));
    buffers->handle = handle;
    lay_out(operands, buffers);
    buffers->sets = count_sets(buffers, cache);
    if (!allocate(device, buffers)) {
        snprintf(why, size, "out of memory: cannot allocate %.3g GB of operands",
                 (double)buffers->stride / 1e9);
        return 0;
    }
    if (!fill(buffers, operands)) {
        anydnnGetLastErrorString(why, size);
        return 0;
    }
    return 1;
}

void buffers_pointers(const struct buffers *buffers, int set, void *pointers[])
{
    unsigned char *first = buffers->memory + (size_t)set * buffers->stride;

    for (int i = 0; i < buffers->count; i++)
        pointers[i] = buffers->host[i] != NULL ? buffers->host[i] : first + buffers->at[i];
}

void buffers_free(struct buffers *buffers)
{
    for (int i = 0; i < OPERANDS_MAX; i++) {
        free(buffers->host[i]);
        buffers->host[i] = NULL;
    }
    if (buffers->memory != NULL)
        anydnnMemFree(buffers->handle, buffers->memory);
    buffers->memory = NULL;
}
