/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the records of a path are written. A file is replaced by a new one, which would end a link;
 * so what it leads to is replaced, if nobody but the user had a say in where that is.
 */
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

/* As many as the kernel follows. */
#define LINKS_MAX 40

/* The folder of an absolute path, in memory that the caller frees. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strndup(path, slash && slash > path ? (size_t)(slash - path) : 1);
}

/* What the link leads to in place of `path`, of PATH_MAX bytes; -1 with errno. */
static int follow(char *path)
{
    char target[PATH_MAX], joined[2 * PATH_MAX];
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    const char *slash = strrchr(path, '/');

    if (length < 0)
        return -1;
    target[length] = '\0';
    snprintf(joined, sizeof(joined), "%.*s/%s", target[0] == '/' ? 0 : (int)(slash - path), path,
             target);
    if (strlen(joined) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path, joined, strlen(joined) + 1);
    return 0;
}

static int folder_is_ours(const char *path)
{
    char *folder = folder_of(path);
    struct stat status;
    int ours = folder && stat(folder, &status) == 0 && status.st_uid == geteuid();

    free(folder);
    return ours;
}

/* The file behind the links, in `path`; NULL, or why nothing is written there. */
static const char *resolve(char *path)
{
    struct stat status;
    int links = 0;

    while (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
        if (status.st_uid != geteuid())
            return "it is another user's link";
        if (++links > LINKS_MAX || follow(path) != 0)
            return "it is a link that leads nowhere";
    }
    return links > 0 && !folder_is_ours(path) ? "it is a link into another user's folder" : NULL;
}

void adn_tuning_place_find(struct adn_tuning_place *place, const char *path)
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
        place->reason = "memory is out";
}

int adn_tuning_place_lock(const struct adn_tuning_place *place)
{
    char *folder = folder_of(place->file);
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
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
    /* Closing alone leaves it locked where a child holds the descriptor, too. */
    flock(folder, LOCK_UN);
    close(folder);
}
