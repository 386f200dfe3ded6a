/* SPDX-License-Identifier: Apache-2.0 */
/* Removes records that are no longer usable from a tuning file: those that name an installed
 * backend in another version or build. Records of backends that are not installed and of other
 * devices stay, since several machines may share a file. */
#include "tuning_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "tuning/place.h"

/* The installed backends as a line names them: the name, and "NAME VERSION BUILD". */
struct installed {
    int count;
    char **name;
    char **stamp;
};

static struct installed installed_backends(void)
{
    struct installed all = {0, NULL, NULL};
    int count = 0;

    anydnnGetBackendCount(&count);
    all.name = tool_alloc((size_t)(count + 1) * sizeof(*all.name));
    all.stamp = tool_alloc((size_t)(count + 1) * sizeof(*all.stamp));
    for (int i = 0; i < count; i++) {
        char *name = tool_ask(anydnnGetBackendInfo, i, "name");
        char *version = tool_ask(anydnnGetBackendInfo, i, "version");
        char *build = tool_ask(anydnnGetBackendInfo, i, "build_id");

        /* A backend that did not load has no version. */
        if (name != NULL && version != NULL && version[0] != '\0') {
            size_t size = strlen(name) + strlen(version) + (build != NULL ? strlen(build) : 0) + 3;
            char *stamp = tool_alloc(size);

            snprintf(stamp, size, "%s %s%s%s", name, version,
                     build != NULL && build[0] != '\0' ? " " : "", build != NULL ? build : "");
            all.name[all.count] = strdup(name);
            all.stamp[all.count++] = stamp;
        }
        free(name);
        free(version);
        free(build);
    }
    return all;
}

static void release(struct installed *all)
{
    for (int i = 0; i < all->count; i++) {
        free(all->name[i]);
        free(all->stamp[i]);
    }
    free(all->name);
    free(all->stamp);
}

/* Returns 1 if a backend of the line is installed in another version or build. `asked` is one
 * backend as the file writes it. A number behind the build, which stands for errata, does not
 * count. */
static int outdated(const struct installed *all, const char *asked)
{
    size_t name = strcspn(asked, " ");

    for (int i = 0; i < all->count; i++)
        if (strlen(all->name[i]) == name && strncmp(all->name[i], asked, name) == 0)
            return strncmp(all->stamp[i], asked, strlen(all->stamp[i])) != 0 ||
                   (asked[strlen(all->stamp[i])] != '\0' &&
                    strncmp(asked + strlen(all->stamp[i]), " errata:", 8) != 0);
    return 0;
}

/* Returns 1 if the line is a record that names a changed backend. */
static int is_stale(const struct installed *all, const char *line)
{
    char *copy = strdup(line), *field[TUNING_FIELDS];
    int stale = 0;

    if (copy != NULL && tool_tuning_cut(copy, field) >= 0)
        for (char *asked = field[TUNING_BACKENDS], *next; asked != NULL && !stale; asked = next) {
            next = strstr(asked, ", ");
            if (next != NULL) {
                *next = '\0';
                next += 2;
            }
            stale = outdated(all, asked);
        }
    free(copy);
    return stale;
}

/* Returns a descriptor, ADN_TUNING_LOCKLESS, or ADN_TUNING_BUSY if the lock stays taken. */
static int lock_folder(const struct adn_tuning_place *place)
{
    const struct timespec pause = {.tv_nsec = ADN_TUNING_WAIT_STEP * 1000000L};
    int folder, waited = 0;

    while ((folder = adn_tuning_place_lock(place)) == ADN_TUNING_BUSY && waited < ADN_TUNING_WAIT) {
        nanosleep(&pause, NULL);
        waited += ADN_TUNING_WAIT_STEP;
    }
    return folder;
}

/* Copies the records that stay. Returns 0, or -1 with errno. */
static int filter(FILE *from, FILE *to, const struct installed *all, struct tuning_pruned *pruned)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int first = 1;

    while ((length = tool_read_line(from, &line, &capacity, TOOL_LINE_MAX)) >= 0) {
        int is_header = first;

        first = 0;
        if (is_header && strcmp(line, TUNING_HEADER) != 0) {
            free(line);
            errno = EINVAL;
            return -1;
        }
        if (!is_header && is_stale(all, line)) {
            pruned->gone++;
            continue;
        }
        pruned->kept += !is_header && line[0] != '#' && line[0] != '\0';
        fprintf(to, "%s\n", line);
    }
    free(line);
    if (length == -2) {
        errno = EFBIG;
        return -1;
    }
    return ferror(from) || ferror(to) ? -1 : 0;
}

/* Writes a new file beside the old one and renames it over that. Returns 0, or -1 with errno. */
static int rewrite(const struct adn_tuning_place *place, int folder, const struct installed *all,
                   struct tuning_pruned *pruned)
{
    FILE *from, *to = NULL;
    char why[TOOL_WHY_MAX];
    struct stat status;
    char *beside = NULL;
    int made = -1, failed = -1, cause;

    from = tool_open_read(place->file, why);
    if (from != NULL && fstat(fileno(from), &status) == 0)
        made = adn_tuning_place_beside(place, folder, &beside);
    if (made >= 0 && fchmod(made, status.st_mode & 0777) == 0)
        to = fdopen(made, "w");
    if (to != NULL) {
        failed = filter(from, to, all, pruned);
        cause = errno;
        if (fclose(to) != 0)
            failed = -1;
        else
            errno = cause;
    }
    if (failed == 0)
        failed = rename(beside, place->file);
    cause = errno;
    if (made >= 0 && failed != 0)
        unlink(beside);
    if (from != NULL)
        fclose(from);
    free(beside);
    errno = cause;
    return failed;
}

int tool_tuning_prune(struct tool *tool, const char *path, struct tuning_pruned *pruned)
{
    struct installed all = installed_backends();
    struct adn_tuning_place place;
    struct stat status;
    int code = TOOL_FINE, folder = ADN_TUNING_LOCKLESS;

    adn_tuning_place_resolve(&place, path);
    if (place.reason == NULL)
        folder = lock_folder(&place);
    if (place.reason != NULL)
        code = tool_fail(tool, TOOL_FAILED, "%s: %s", path, place.reason);
    else if (folder == ADN_TUNING_BUSY)
        code = tool_fail(tool, TOOL_FAILED,
                         "%s: another process holds the lock of its folder; try again later", path);
    else if (stat(place.file, &status) == 0 && !S_ISREG(status.st_mode))
        code = tool_fail(tool, TOOL_FAILED, "%s: not a regular file", path);
    else if (rewrite(&place, folder, &all, pruned) != 0)
        code = tool_fail(tool, TOOL_FAILED, "%s: %s", path,
                         errno == EINVAL ? "it does not begin like a tuning file of version 1"
                                         : strerror(errno));
    adn_tuning_place_unlock(folder);
    free(place.file);
    release(&all);
    return code;
}
