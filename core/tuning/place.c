/* SPDX-License-Identifier: Apache-2.0 */
/* Decides where the records of a path are written. Replacing a path that is a link would remove the
 * link, so its target is replaced instead, if the user owns the links and the target's folder. */
#include "tuning/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/files.h"

/* The number of links that the kernel follows. */
#define LINKS_MAX 40

/* Returns the folder of an absolute path, in memory that the caller frees. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strndup(path, slash && slash > path ? (size_t)(slash - path) : 1);
}

static int folder_is_ours(const char *path)
{
    char *folder = folder_of(path);
    struct stat status;
    int ours = folder && stat(folder, &status) == 0 && status.st_uid == geteuid();

    free(folder);
    return ours;
}

/* Writes the file behind the links to `path`. Returns NULL, or why nothing is written there. */
static const char *resolve(char *path)
{
    struct stat status;
    int links = 0;

    while (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
        if (status.st_uid != geteuid())
            return "it is a link owned by another user";
        if (++links > LINKS_MAX || adn_file_follow(path) != 0)
            return "it is a dangling link";
    }
    return links > 0 && !folder_is_ours(path) ? "it is a link to a folder of another user" : NULL;
}

void adn_tuning_place_resolve(struct adn_tuning_place *place, const char *path)
{
    char file[PATH_MAX];

    place->file = NULL;
    place->reason = "its path is too long";
    if (strlen(path) >= sizeof(file))
        return;
    memcpy(file, path, strlen(path) + 1);
    place->reason = resolve(file);
    place->file = strdup(file);
    if (!place->file)
        place->reason = "out of memory";
}

int adn_tuning_place_lock(const struct adn_tuning_place *place)
{
    char *folder = folder_of(place->file);
    int descriptor =
        folder ? adn_file_above_standard(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) : -1;
    int answer;

    free(folder);
    if (descriptor < 0)
        return ADN_TUNING_LOCKLESS;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return descriptor;
    answer = errno == EWOULDBLOCK ? ADN_TUNING_BUSY : ADN_TUNING_LOCKLESS;
    close(descriptor);
    return answer;
}

void adn_tuning_place_unlock(int folder)
{
    if (folder < 0)
        return;
    /* Closing alone leaves it locked if a child holds the descriptor, too. */
    flock(folder, LOCK_UN);
    close(folder);
}

int adn_tuning_place_moved(const struct adn_tuning_place *place, struct timespec *last)
{
    char *folder = folder_of(place->file);
    struct stat status;
    int moved = 0;

    if (folder && stat(folder, &status) == 0) {
        moved = status.st_mtim.tv_sec != last->tv_sec || status.st_mtim.tv_nsec != last->tv_nsec;
        *last = status.st_mtim;
    }
    free(folder);
    return moved;
}

/* Returns 1 for what a killed process leaves: an empty file, or one begun as a tuning file. */
static int is_left_over(const char *path)
{
    char head[sizeof(ADN_TUNING_HEADER) - 1];
    struct stat status;
    ssize_t length;
    int descriptor;

    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
        return 0;
    descriptor =
        adn_file_above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    length = descriptor < 0 ? -1 : read(descriptor, head, sizeof(head));
    if (descriptor >= 0)
        close(descriptor);
    return length == 0 ||
           (length == (ssize_t)sizeof(head) && memcmp(head, ADN_TUNING_HEADER, sizeof(head)) == 0);
}

/* Makes the file while the folder is locked. Returns -1 if another file has the name. */
static int make_locked(const char *path)
{
    if (is_left_over(path))
        unlink(path);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int adn_tuning_place_beside(const struct adn_tuning_place *place, int folder, char **name)
{
    size_t size = strlen(place->file) + 8;
    int descriptor = -1;

    *name = malloc(size);
    if (!*name)
        return -1;
    if (folder >= 0) {
        snprintf(*name, size, "%s.new", place->file);
        descriptor = make_locked(*name);
    }
    if (folder < 0 || (descriptor < 0 && errno == EEXIST)) {
        snprintf(*name, size, "%s.XXXXXX", place->file);
        descriptor = mkostemp(*name, O_CLOEXEC);
    }
    descriptor = adn_file_above_standard(descriptor);
    if (descriptor < 0) {
        free(*name);
        *name = NULL;
    }
    return descriptor;
}
