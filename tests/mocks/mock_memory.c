/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a program on the host cannot access by its address. */
#include "mock_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct block {
    struct block *next;
    char space[32];
    char *outer; /* PROT_NONE */
    char *inner;
    size_t bytes;  /* requested size */
    size_t mapped; /* whole pages */
    int32_t device;
};

static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static void block_free(struct block *block)
{
    if (block->outer != MAP_FAILED)
        munmap(block->outer, block->mapped);
    if (block->inner != MAP_FAILED)
        munmap(block->inner, block->mapped);
    free(block);
}

static struct block *block_make(const char *space, int32_t device, uint64_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct block *block = calloc(1, sizeof(*block));
    int fd = memfd_create("mockdev", MFD_CLOEXEC);

    if (!block || fd < 0 || bytes > SIZE_MAX / 2)
        goto failed;
    strncpy(block->space, space, sizeof(block->space) - 1);
    block->device = device;
    block->bytes = (size_t)bytes;
    block->mapped = bytes ? ((size_t)bytes + page - 1) / page * page : page;
    if (ftruncate(fd, (off_t)block->mapped) != 0)
        goto failed;
    block->outer = mmap(NULL, block->mapped, PROT_NONE, MAP_SHARED, fd, 0);
    block->inner = mmap(NULL, block->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (block->outer != MAP_FAILED && block->inner != MAP_FAILED) {
        memset(block->inner, 0xa5, block->mapped);
        return block;
    }
    block_free(block);
    return NULL;
failed:
    if (fd >= 0)
        close(fd);
    free(block);
    return NULL;
}

void *mock_memory_take(const char *space, int32_t device, uint64_t bytes)
{
    struct block *block = block_make(space, device, bytes);

    if (!block)
        return NULL;
    pthread_mutex_lock(&blocks_lock);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&blocks_lock);
    return block->outer;
}

int mock_memory_drop(const char *space, int32_t device, const void *pointer)
{
    struct block *found = NULL;

    pthread_mutex_lock(&blocks_lock);
    for (struct block **at = &blocks; *at && !found; at = &(*at)->next)
        if ((*at)->outer == pointer && (*at)->device == device &&
            strcmp((*at)->space, space) == 0) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&blocks_lock);
    if (!found)
        return -1;
    block_free(found);
    return 0;
}

void *mock_memory_reach(const char *space, const void *pointer, uint64_t bytes)
{
    char *found = NULL;

    pthread_mutex_lock(&blocks_lock);
    for (struct block *block = blocks; block; block = block->next) {
        uintptr_t offset = (uintptr_t)pointer - (uintptr_t)block->outer;

        if ((uintptr_t)pointer >= (uintptr_t)block->outer && offset <= block->bytes &&
            bytes <= block->bytes - offset && strcmp(block->space, space) == 0)
            found = block->inner + offset;
    }
    pthread_mutex_unlock(&blocks_lock);
    return found;
}
