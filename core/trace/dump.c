/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the operands of a call as files. */
#include "trace/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "desc/names.h"
#include "desc/npy.h"
#include "desc/shape.h"
#include "judge/places.h"
#include "numerics/numerics.h"
#include "sys/env.h"
#include "sys/files.h"
#include "sys/log.h"

#define TRIES_MAX   1000000
#define CHUNK_BYTES 65536
#define NAME_BYTES  32

static _Atomic uint64_t made;    /* folders */
static _Atomic uint64_t written; /* bytes */
static _Atomic int stopped;

static void fail(struct adn_dump *dump, const char *what)
{
    int error = errno;

    dump->failed = 1;
    if (!atomic_exchange(&stopped, 1))
        adn_warn("no more operands are stored: %s: %s", what, strerror(error));
}

/* ---- the folder */

/* Takes the first free number, starting at the last one that was taken. */
static int claim(struct adn_dump *dump, int parent)
{
    static _Atomic uint64_t last;
    char name[NAME_BYTES];

    for (int i = 0; i < TRIES_MAX; i++) {
        dump->number = atomic_fetch_add(&last, 1) + 1;
        snprintf(name, sizeof(name), "%" PRIu64, dump->number);
        if (mkdirat(parent, name, 0700) == 0) {
            dump->folder = adn_file_above_standard(
                openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            if (dump->folder >= 0)
                return 0;
            unlinkat(parent, name, AT_REMOVEDIR);
            return -1;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int adn_dump_begin(struct adn_dump *dump, const char *pattern, uint64_t most, uint64_t size)
{
    uint64_t before = written;
    char path[PATH_MAX];
    char *name;
    int parent;

    memset(dump, 0, sizeof(*dump));
    dump->folder = -1;
    if (stopped || adn_env_privileged() || made >= most || before >= size ||
        adn_file_of_process(pattern, path, sizeof(path)) != 0)
        return -1;
    dump->left = size - before;
    name = strrchr(path, '/');
    if (!name)
        return -1;
    name[name == path] = '\0';
    parent = adn_file_above_standard(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent < 0 || claim(dump, parent) != 0) {
        fail(dump, path);
        if (parent >= 0)
            close(parent);
        return -1;
    }
    dump->parent = parent;
    made++;
    return 0;
}

static void file_name(char name[NAME_BYTES], int slot, int after)
{
    snprintf(name, NAME_BYTES, "%d%s.npy", slot, after ? ".after" : "");
}

/* Removes an incomplete dump. No line of a trace names its number. */
static void remove_folder(const struct adn_dump *dump)
{
    char name[NAME_BYTES];

    for (int slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        for (int after = 0; after < 2; after++) {
            file_name(name, slot, after);
            unlinkat(dump->folder, name, 0);
        }
    snprintf(name, sizeof(name), "%" PRIu64, dump->number);
    unlinkat(dump->parent, name, AT_REMOVEDIR);
}

uint64_t adn_dump_end(struct adn_dump *dump)
{
    if (dump->failed)
        remove_folder(dump);
    close(dump->folder);
    close(dump->parent);
    return dump->failed ? 0 : dump->number;
}

/* ---- a file */

static int put(int fd, const void *bytes, size_t size)
{
    const char *from = bytes;

    while (size > 0) {
        ssize_t wrote = adn_file_write(fd, from, size, 1);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return -1;
        from += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

/* Returns 1 if so many bytes may be written: within the setting, and within the system's limit for
 * files, whose signal must not reach the application. */
static int fits(struct adn_dump *dump, uint64_t bytes)
{
    struct rlimit limit;

    if (bytes > dump->left) {
        dump->failed = 1;
        return 0;
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        bytes > limit.rlim_cur) {
        errno = EFBIG;
        fail(dump, "a dump");
        return 0;
    }
    return 1;
}

/* A source of chunks of elements: memory or numbers. */
struct source {
    const struct anydnn_plugin_tensor *tensor;
    const unsigned char *bytes; /* or NULL */
    const double *numbers;
    struct adn_places places;
};

static size_t fill(struct source *source, int64_t *left, unsigned char *chunk)
{
    size_t length = 0;

    for (; *left > 0 && length + source->places.size <= CHUNK_BYTES; (*left)--) {
        if (source->bytes)
            memcpy(chunk + length, source->bytes + source->places.at, source->places.size);
        else
            adn_element_store(source->tensor->type, chunk + length, *source->numbers++);
        length += source->places.size;
        adn_places_next(&source->places);
    }
    return length;
}

static int put_all(int fd, struct source *source, const char *header, size_t size)
{
    int64_t left = adn_shape_elements(source->tensor);
    unsigned char *chunk = malloc(CHUNK_BYTES);
    int result = chunk ? put(fd, header, size) : -1;

    while (result == 0 && left > 0)
        result = put(fd, chunk, fill(source, &left, chunk));
    free(chunk);
    return result;
}

static void write_file(struct adn_dump *dump, const char *name, struct source *source)
{
    char header[ADN_NPY_MAX];
    size_t size = adn_npy_header(source->tensor, header);
    uint64_t bytes;
    int fd;

    adn_places_begin(&source->places, source->tensor);
    /* Elements of an input may overlap, so their number may exceed any file. */
    if (__builtin_mul_overflow((uint64_t)adn_shape_elements(source->tensor),
                               (uint64_t)source->places.size, &bytes) ||
        __builtin_add_overflow(bytes, size, &bytes))
        dump->failed = 1;
    if (dump->failed || !fits(dump, bytes))
        return;
    fd = adn_file_above_standard(
        openat(dump->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd < 0 || put_all(fd, source, header, size) != 0)
        fail(dump, "a dump");
    if (fd >= 0)
        close(fd);
    dump->left -= bytes;
    written += bytes;
}

void adn_dump_operand(struct adn_dump *dump, int32_t slot, int after,
                      const struct anydnn_plugin_tensor *tensor, const unsigned char *bytes)
{
    struct source source = {.tensor = tensor, .bytes = bytes};
    char name[NAME_BYTES];

    file_name(name, slot, after);
    write_file(dump, name, &source);
}

void adn_dump_numbers(struct adn_dump *dump, int32_t slot,
                      const struct anydnn_plugin_tensor *tensor, const double *numbers)
{
    struct source source = {.tensor = tensor, .numbers = numbers};
    char name[NAME_BYTES];

    file_name(name, slot, 0);
    write_file(dump, name, &source);
}
