/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the memory of the space. OpenCL cannot tell whose a pointer is, so a table lists all
 * allocations. */
#include "opencl.h"

#include <stdlib.h>
#include <string.h>

/* The alignment of the space's memory. clSVMAlloc takes alignments up to 128 only. */
#define ALIGNMENT 256

struct block {
    char *at;      /* what the host gets */
    void *raw;     /* what clSVMAlloc returned; NULL for the application's memory */
    cl_mem buffer; /* over all of it, or NULL before it is needed */
    uint64_t bytes;
    int32_t device;
};

/* The blocks, by increasing address. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static size_t count, capacity;

/* Returns the number of blocks that begin at or below the address. */
static size_t blocks_up_to(const void *pointer)
{
    size_t first = 0, last = count;

    while (first < last) {
        size_t middle = first + (last - first) / 2;

        if ((uintptr_t)blocks[middle].at <= (uintptr_t)pointer)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Returns the block that contains the address, or NULL. A block of 0 bytes contains its address. */
static struct block *find(const void *pointer)
{
    size_t up_to = blocks_up_to(pointer);
    struct block *block = up_to > 0 ? &blocks[up_to - 1] : NULL;

    if (!block || (uintptr_t)pointer - (uintptr_t)block->at >= (block->bytes ? block->bytes : 1))
        return NULL;
    return block;
}

int32_t opencl_pointer_owner(int32_t number, const void *pointer, int32_t *owner)
{
    const struct block *block;
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    pthread_mutex_lock(&lock);
    block = find(pointer);
    if (block && block->device != number)
        *owner = ANYDNN_PLUGIN_POINTER_UNKNOWN;
    else if (block)
        *owner =
            block->raw && device->both ? ANYDNN_PLUGIN_POINTER_BOTH : ANYDNN_PLUGIN_POINTER_DEVICE;
    else
        *owner = pointer ? ANYDNN_PLUGIN_POINTER_HOST : ANYDNN_PLUGIN_POINTER_UNKNOWN;
    pthread_mutex_unlock(&lock);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Makes the table longer. Returns 0 if memory runs out. */
static int grow(void)
{
    size_t more = capacity * 2 + 64;
    struct block *grown = realloc(blocks, more * sizeof blocks[0]);

    if (!grown)
        return 0;
    blocks = grown;
    capacity = more;
    return 1;
}

/* Adds a block to the table. Returns 0 if memory runs out. */
static int keep(const struct block *block)
{
    size_t at;
    int kept;

    pthread_mutex_lock(&lock);
    kept = count < capacity || grow();
    if (kept) {
        at = blocks_up_to(block->at);
        memmove(&blocks[at + 1], &blocks[at], (count - at) * sizeof blocks[0]);
        blocks[at] = *block;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return kept;
}

/* Removes the block that begins at the address from the table. Returns 0 if there is none. */
static int forget(int32_t device, const void *pointer, struct block *block)
{
    size_t up_to;
    int found;

    pthread_mutex_lock(&lock);
    up_to = blocks_up_to(pointer);
    found = up_to > 0 && blocks[up_to - 1].at == pointer && blocks[up_to - 1].device == device;
    if (found) {
        *block = blocks[up_to - 1];
        memmove(&blocks[up_to - 1], &blocks[up_to], (count - up_to) * sizeof blocks[0]);
        count--;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int32_t opencl_memory_alloc(int32_t number, uint64_t bytes, void **pointer)
{
    struct opencl_device *device;
    struct block block = {.bytes = bytes, .device = number};
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    if (bytes > device->largest || bytes + ALIGNMENT > device->largest)
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                        "%llu bytes are requested; the OpenCL device allocates at most %llu",
                        (unsigned long long)bytes, (unsigned long long)device->largest);
    block.raw = opencl.clSVMAlloc(
        device->context, CL_MEM_READ_WRITE | (device->both ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0),
        bytes + ALIGNMENT, 0);
    if (!block.raw)
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                        "the OpenCL device has no %llu bytes of memory", (unsigned long long)bytes);
    block.at = (char *)block.raw + (ALIGNMENT - (uintptr_t)block.raw % ALIGNMENT) % ALIGNMENT;
    if (!keep(&block)) {
        opencl.clSVMFree(device->context, block.raw);
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, "out of memory for a table");
    }
    *pointer = block.at;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Frees memory after all work of the device, since clSVMFree waits for nothing. */
int32_t opencl_memory_free(int32_t number, void *pointer)
{
    struct opencl_device *device;
    struct block block;
    int32_t status = opencl_enter(number, &device);

    if (status || !pointer)
        return status;
    if (!forget(number, pointer, &block))
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the pointer was not allocated on OpenCL device %d", number);
    status = opencl_finish(device);
    if (block.buffer)
        opencl.clReleaseMemObject(block.buffer);
    if (block.raw)
        opencl.clSVMFree(device->context, block.raw);
    return status;
}

/* Adds the application's memory, an address from clSVMAlloc in the device's context. */
int32_t opencl_memory_import(int32_t number, void *native, uint64_t bytes, void **pointer)
{
    struct block block = {.at = native, .bytes = bytes, .device = number};
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);
    int is_taken;

    if (status)
        return status;
    pthread_mutex_lock(&lock);
    is_taken = bytes > UINTPTR_MAX - (uintptr_t)native || find(native) != NULL ||
               blocks_up_to((char *)native + bytes - 1) != blocks_up_to(native);
    pthread_mutex_unlock(&lock);
    if (is_taken)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                        "the %llu bytes at %p overlap memory that the space already has",
                        (unsigned long long)bytes, native);
    if (!keep(&block))
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED, "out of memory for a table");
    *pointer = native;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Makes the buffer of a block. The standard promises that it shares the memory if it begins where
 * clSVMAlloc began, and leaves several buffers over one allocation undefined. */
static int32_t make_buffer(const struct opencl_device *device, struct block *block)
{
    cl_int error = CL_SUCCESS;

    if (!block->buffer)
        block->buffer =
            opencl.clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                  block->raw ? block->bytes + ALIGNMENT : block->bytes,
                                  block->raw ? block->raw : block->at, &error);
    return opencl_check(error, "creating a buffer over shared virtual memory");
}

int32_t opencl_pointer_resolve(int32_t number, const void *pointer, void **object, uint64_t *offset,
                               uint64_t *bytes)
{
    struct opencl_device *device;
    struct block *block;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    pthread_mutex_lock(&lock);
    block = find(pointer);
    if (!block || block->device != number) {
        status = kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM,
                          "the pointer is in no memory of OpenCL device %d", number);
    } else {
        status = make_buffer(device, block);
        *object = block->buffer;
        *offset =
            (uint64_t)((const char *)pointer - (block->raw ? (const char *)block->raw : block->at));
        *bytes = block->raw ? block->bytes + ALIGNMENT : block->bytes;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static int32_t copy(int32_t number, void *stream, void *to, const void *from, uint64_t bytes,
                    cl_bool waits)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status || bytes == 0)
        return status;
    status = opencl_check(opencl.clEnqueueSVMMemcpy(opencl_queue(device, stream), waits, to, from,
                                                    bytes, 0, NULL, NULL),
                          "copying memory");
    if (!status && !waits)
        status = opencl_check(opencl.clFlush(opencl_queue(device, stream)), "submitting a copy");
    return status;
}

int32_t opencl_memory_copy(int32_t device, void *stream, void *to, const void *from, uint64_t bytes,
                           int32_t kind)
{
    return copy(device, stream, to, from, bytes, kind != ANYDNN_PLUGIN_COPY_WITHIN);
}

int32_t opencl_memory_copy_async(int32_t device, void *stream, void *to, const void *from,
                                 uint64_t bytes, int32_t kind)
{
    (void)kind;
    return copy(device, stream, to, from, bytes, CL_FALSE);
}

int32_t opencl_memory_set(int32_t number, void *stream, void *to, int32_t byte, uint64_t bytes)
{
    const unsigned char pattern = (unsigned char)byte;
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status || bytes == 0)
        return status;
    status = opencl_check(opencl.clEnqueueSVMMemFill(opencl_queue(device, stream), to, &pattern, 1,
                                                     bytes, 0, NULL, NULL),
                          "setting memory");
    if (!status)
        status = opencl_check(opencl.clFlush(opencl_queue(device, stream)), "submitting a fill");
    return status;
}

/* Allocates plain memory: OpenCL's copies read and write it without a wait. */
int32_t opencl_host_alloc(int32_t device, uint64_t bytes, void **pointer)
{
    (void)device;
    if (bytes > SIZE_MAX - ALIGNMENT || posix_memalign(pointer, ALIGNMENT, bytes ? bytes : 1) != 0)
        return kit_fail(ANYDNN_PLUGIN_STATUS_ALLOC_FAILED,
                        "out of memory for %llu bytes of the host", (unsigned long long)bytes);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t opencl_host_free(int32_t device, void *pointer)
{
    (void)device;
    free(pointer);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
