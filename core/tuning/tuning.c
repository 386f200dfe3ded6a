/* SPDX-License-Identifier: Apache-2.0 */
/* The files of this process: what each holds, and when it is read and written. */
#include "tuning/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "sys/env.h"
#include "sys/log.h"
#include "sys/process.h"
#include "tuning/records.h"

struct adn_tuning {
    struct adn_tuning *next;
    char *path;
    int read_only; /* what is there is not ours to replace */
    int told;      /* a failure was */
    struct adn_tuning_records records;
};

static struct adn_tuning *files;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A thread of the parent may have held it when this process was forked. */
static void enter(void)
{
    static _Atomic uint64_t known;
    uint64_t now = adn_process_fork_number, before = known;

    if (before != now) {
        if (before != 0)
            pthread_mutex_init(&lock, NULL);
        known = now;
    }
    pthread_mutex_lock(&lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- reading */

static void tell(struct adn_tuning *tuning, const struct adn_tuning_reading *reading)
{
    if (tuning->told || (reading->error == ENOENT && !reading->foreign))
        return;
    if (reading->error)
        adn_warn("tuning = %s: it cannot be read: %s", tuning->path, strerror(reading->error));
    else if (reading->foreign)
        adn_warn("tuning = %s: it does not begin as a tuning file of version 1 does; it is "
                 "neither read nor written",
                 tuning->path);
    else if (reading->bad_lines > 0)
        adn_warn("tuning = %s: line %d is no record%s; such lines are passed over", tuning->path,
                 reading->bad_line, reading->bad_lines > 1 ? ", nor are others" : "");
    else
        return;
    tuning->told = 1;
}

static void read_all(struct adn_tuning *tuning)
{
    struct adn_tuning_reading reading = adn_tuning_records_read(&tuning->records, tuning->path);

    tuning->read_only = reading.foreign || (reading.error && reading.error != ENOENT);
    tell(tuning, &reading);
}

static struct adn_tuning *make(const char *path)
{
    struct adn_tuning *tuning = calloc(1, sizeof(*tuning));

    if (tuning)
        tuning->path = strdup(path);
    if (!tuning || !tuning->path) {
        free(tuning);
        return NULL;
    }
    read_all(tuning);
    tuning->next = files;
    files = tuning;
    return tuning;
}

struct adn_tuning *adn_tuning_at(const char *path)
{
    struct adn_tuning *tuning;

    enter();
    for (tuning = files; tuning && strcmp(tuning->path, path) != 0;)
        tuning = tuning->next;
    if (!tuning)
        tuning = make(path);
    leave();
    return tuning;
}

int adn_tuning_find(struct adn_tuning *tuning, const char *key, struct adn_tuned *found)
{
    const struct adn_tuned *tuned;

    enter();
    tuned = adn_tuning_records_find(&tuning->records, key);
    if (tuned)
        *found = *tuned;
    leave();
    return tuned != NULL;
}

/* ---- writing */

/* The folder of the file, open and locked until it is closed; -1 where that cannot be, and what
 * follows goes without the lock. */
static int lock_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash && slash > path ? (size_t)(slash - path) : 1);
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    free(folder);
    if (descriptor >= 0)
        (void)!flock(descriptor, LOCK_EX);
    return descriptor;
}

static void write_all(struct adn_tuning *tuning)
{
    if (tuning->read_only || adn_tuning_records_write(&tuning->records, tuning->path) == 0 ||
        tuning->told)
        return;
    adn_warn("tuning = %s: it cannot be written: %s; what was measured is forgotten with this "
             "process",
             tuning->path, strerror(errno));
    tuning->told = 1;
}

void adn_tuning_keep(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count)
{
    int folder;

    enter();
    folder = lock_folder(tuning->path);
    read_all(tuning);
    for (int i = 0; i < count; i++)
        (void)adn_tuning_records_add(&tuning->records, keys[i], &records[i]);
    /* A privileged process writes no files for its caller. */
    if (!adn_env_privileged())
        write_all(tuning);
    if (folder >= 0)
        close(folder);
    leave();
}
