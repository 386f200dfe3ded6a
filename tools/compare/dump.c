/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes operands as .npy files. A file is read only if its header matches the operand
 * and its size is right, whatever else it contains. */
#include "tools/compare/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "desc/names.h"
#include "desc/npy.h"
#include "judge/subject.h"
#include "problem/unread.h"

/* Exceeds every header that NumPy writes for 8 dims. */
#define HEADER_MAX 4096

int compare_dump_take(const struct anydnn_plugin_tensor *tensor, int64_t count,
                      const unsigned char *bytes, size_t size, double *numbers)
{
    size_t scalar = (size_t)(adn_type_size(tensor->type) / adn_type_lanes(tensor->type));
    size_t header = adn_npy_match(tensor, bytes, size < HEADER_MAX ? size : HEADER_MAX);

    if (header == 0 || (size - header) / scalar != (uint64_t)count || (size - header) % scalar != 0)
        return -1;
    for (int64_t i = 0; i < count; i++)
        numbers[i] = adn_element_load(tensor->type, bytes + header + (size_t)i * scalar);
    return 0;
}

/* Reads a whole file of at most `most` bytes. Returns NULL with errno, or with errno 0 for another
 * size. */
static unsigned char *read_whole(int folder, const char *name, size_t most, size_t *size)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    unsigned char *bytes = NULL;
    struct stat status;
    size_t done = 0;

    if (fd < 0)
        return NULL;
    errno = 0;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size <= most) {
        *size = (size_t)status.st_size;
        bytes = tool_alloc(*size + 1);
        while (done < *size) {
            ssize_t got = read(fd, bytes + done, *size - done);

            if (got <= 0)
                break;
            done += (size_t)got;
        }
    }
    close(fd);
    if (bytes != NULL && done < *size) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static int take_slot(int folder, struct adn_subject *subject, int slot, const char *path,
                     char *sentence)
{
    const struct anydnn_plugin_tensor *tensor = &subject->problem.tensor[slot];
    struct adn_subject_slot *at = &subject->slot[slot];
    size_t most = HEADER_MAX + (size_t)at->count * sizeof(double);
    unsigned char *bytes;
    char name[64];
    size_t size = 0;
    int result;

    /* Traces and shadow name files by number, users by the operand's name. */
    snprintf(name, sizeof(name), "%.40s.npy", subject->info->slot[slot].role);
    bytes = read_whole(folder, name, most, &size);
    if (bytes == NULL && errno == ENOENT) {
        snprintf(name, sizeof(name), "%d.npy", slot);
        bytes = read_whole(folder, name, most, &size);
    }
    if (bytes == NULL && errno != 0) {
        snprintf(sentence, ADN_JUDGE_SENTENCE, "%.700s/%s: %s", path, name, strerror(errno));
        return -1;
    }
    result = bytes != NULL ? compare_dump_take(tensor, at->count, bytes, size, at->before) : -1;
    free(bytes);
    if (result != 0)
        snprintf(sentence, ADN_JUDGE_SENTENCE,
                 "%.700s/%s: must hold an array with the type and size of operand %s", path, name,
                 subject->info->slot[slot].role);
    return result;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int compare_dump_check(const char *path)
{
    int folder = open_folder(path);

    return folder < 0 ? -1 : close(folder);
}

int compare_dump_read(const char *path, struct adn_subject *subject, char *sentence)
{
    int folder = open_folder(path);
    int result = folder < 0 ? -1 : 0;

    if (folder < 0)
        snprintf(sentence, ADN_JUDGE_SENTENCE, "%.700s: %s", path, strerror(errno));
    for (int i = 0; i < subject->info->slot_count && result == 0; i++)
        if (subject->slot[i].before != NULL && adn_problem_home(&subject->problem, i) == i)
            result = take_slot(folder, subject, i, path, sentence);
    /* Operands that share memory hold the same values. */
    for (int i = 0; i < subject->info->slot_count && result == 0; i++) {
        int home = adn_problem_home(&subject->problem, i);

        if (home != i && subject->slot[i].before != NULL && subject->slot[home].before != NULL)
            memcpy(subject->slot[i].before, subject->slot[home].before,
                   (size_t)subject->slot[i].count * sizeof(double));
    }
    if (folder >= 0)
        close(folder);
    oracle_from(subject, ORACLE_REALS);
    return result;
}

static int write_slot(int folder, const struct adn_subject *subject, int slot)
{
    const struct anydnn_plugin_tensor *tensor = &subject->problem.tensor[slot];
    size_t scalar = (size_t)(adn_type_size(tensor->type) / adn_type_lanes(tensor->type));
    unsigned char element[8];
    char header[ADN_NPY_MAX], name[32];
    size_t length = adn_npy_header(tensor, header);
    FILE *file;
    int fd;

    snprintf(name, sizeof(name), "%d.npy", slot);
    fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL)
        return -1;
    fwrite(header, 1, length, file);
    for (int64_t i = 0; i < subject->slot[slot].count; i++) {
        adn_element_store(tensor->type, element, subject->slot[slot].before[i]);
        fwrite(element, 1, scalar, file);
    }
    length = (size_t)ferror(file);
    return fclose(file) == 0 && length == 0 ? 0 : -1;
}

int compare_dump_write(const char *path, const struct adn_subject *subject)
{
    int folder = mkdir(path, 0700) == 0 ? open_folder(path) : -1;
    int result = folder < 0 ? -1 : 0;

    for (int i = 0; i < subject->info->slot_count && result == 0; i++)
        if (subject->slot[i].before != NULL && adn_problem_home(&subject->problem, i) == i)
            result = write_slot(folder, subject, i);
    if (folder >= 0)
        close(folder);
    return result;
}
