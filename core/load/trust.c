/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a backend's file may be opened. It must be a regular file. In a privileged
 * process, root alone may be able to replace its code. Other processes only get a warning. */
#include "load/attempt.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/env.h"
#include "sys/error.h"
#include "sys/files.h"
#include "sys/log.h"
#include "sys/text.h"

static int trust_privileged(struct adn_load_attempt *attempt)
{
    char reason[ADN_LOAD_REASON_MAX];

    if (adn_file_root_only(attempt->slot->backend.path, reason, sizeof(reason)) == 0)
        return 0;
    return adn_load_refuse(attempt, "%s is not opened by a privileged process: %s",
                           attempt->slot->backend.path, reason);
}

static void trust_warn(const struct adn_load_attempt *attempt, const struct stat *file)
{
    char folder[PATH_MAX], word[ADN_QUOTED_MAX];
    struct stat status;

    if ((file->st_mode & S_IWOTH) != 0) {
        adn_warn("%s is writable by every user (mode %04o): chmod o-w %s", attempt->real_path,
                 (unsigned)(file->st_mode & 07777),
                 adn_text_quoted(attempt->real_path, word, sizeof(word)));
        return;
    }
    if (strlen(attempt->real_path) >= sizeof(folder))
        return;
    memcpy(folder, attempt->real_path, strlen(attempt->real_path) + 1);
    dirname(folder);
    if (stat(folder, &status) == 0 && (status.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
        adn_warn("%s is in a folder that is writable by every user (mode %04o): chmod o-w %s",
                 attempt->real_path, (unsigned)(status.st_mode & 07777),
                 adn_text_quoted(folder, word, sizeof(word)));
}

int adn_load_trust(struct adn_load_attempt *attempt)
{
    const char *path = attempt->slot->backend.path;
    struct stat status;

    attempt->real_path = realpath(path, NULL);
    if (!attempt->real_path) {
        int cause = errno;

        adn_shortage(cause);
        if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && cause == ENOENT)
            return adn_load_refuse(attempt,
                                   "%s is a link to a file that does not exist: remove the "
                                   "link, or install what it points to",
                                   path);
        return adn_load_refuse(attempt, "%s cannot be reached: %s", path, strerror(cause));
    }
    if (stat(attempt->real_path, &status) != 0) {
        adn_shortage(errno);
        return adn_load_refuse(attempt, "%s cannot be examined: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode))
        return adn_load_refuse(attempt,
                               "%s is %s, not a file: remove it, or rename it so that it does "
                               "not look like a backend",
                               path, adn_file_kind(status.st_mode));
    if (adn_env_privileged())
        return trust_privileged(attempt);
    trust_warn(attempt, &status);
    return 0;
}
