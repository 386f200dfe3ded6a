/* SPDX-License-Identifier: Apache-2.0 */
/* Manages the tuning files of this process: their records, and when they are read and written. */
#include "tuning/tuning.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sys/env.h"
#include "sys/log.h"
#include "sys/process.h"
#include "tuning/place.h"
#include "tuning/records.h"

/* A file of at least this size is not read again while its stat data are unchanged. A smaller one
 * could be replaced twice within a tick of the file system's clock, with its number reused. This
 * one cannot, since each replacement reads and writes it, which takes several ticks. */
#define LARGE_BYTES (8 * 1024 * 1024)

struct adn_tuning {
    struct adn_tuning *next;
    char *path;
    int read_only; /* 1 if the existing file must not be replaced */
    int reported;  /* 1 after a failure was reported */
    int stalled;   /* 1 if the folder's lock was unavailable */
    struct adn_tuning_records *records;
    struct adn_tuning_place place;
    struct stat seen; /* the large file whose records are here; st_size 0: none */
};

static struct adn_tuning *files;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void guard(void)
{
    adn_process_fork_waits(&lock);
}

static void enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, guard);
    pthread_mutex_lock(&lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- reports: one sentence per file, logged without the lock, since the application's callback
 * may call these functions */

struct sentence {
    char text[PATH_MAX + 512];
};

static void tell(struct adn_tuning *tuning, struct sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void tell(struct adn_tuning *tuning, struct sentence *sentence, const char *format, ...)
{
    size_t length;
    va_list arguments;

    if (tuning->reported)
        return;
    tuning->reported = 1;
    length =
        (size_t)snprintf(sentence->text, sizeof(sentence->text), "tuning = %s: ", tuning->path);
    if (length >= sizeof(sentence->text))
        return;
    va_start(arguments, format);
    vsnprintf(sentence->text + length, sizeof(sentence->text) - length, format, arguments);
    va_end(arguments);
}

static void say(const struct sentence *sentence)
{
    if (sentence->text[0] != '\0')
        adn_warn("%s", sentence->text);
}

/* ---- reading */

static void tell_reading(struct adn_tuning *tuning, const struct adn_tuning_reading *reading,
                         struct sentence *sentence)
{
    if (reading->error == ENOENT)
        return;
    if (reading->error)
        tell(tuning, sentence, "it %s", reading->reason);
    else if (reading->foreign)
        tell(tuning, sentence,
             "it does not begin like a tuning file of version 1; it is neither read nor written");
    else if (reading->bad_lines > 0)
        tell(tuning, sentence, "line %d is not a record%s; such lines are ignored",
             reading->bad_line, reading->bad_lines > 1 ? " and neither are others" : "");
}

static int same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Returns 1 if a large file is still the one whose records are in memory. */
static int unchanged(const struct adn_tuning *tuning)
{
    const struct stat *seen = &tuning->seen;
    struct stat now;

    return seen->st_size >= LARGE_BYTES && stat(tuning->path, &now) == 0 &&
           now.st_dev == seen->st_dev && now.st_ino == seen->st_ino &&
           now.st_size == seen->st_size && same_time(now.st_mtim, seen->st_mtim) &&
           same_time(now.st_ctim, seen->st_ctim);
}

static void see(struct adn_tuning *tuning)
{
    if (stat(tuning->path, &tuning->seen) != 0)
        tuning->seen.st_size = 0;
}

static void read_all(struct adn_tuning *tuning, struct sentence *sentence)
{
    struct adn_tuning_reading reading;

    if (unchanged(tuning))
        return;
    see(tuning);
    adn_tuning_records_forget_trials(tuning->records, (double)getpid() + ADN_TUNING_PROCESS);
    adn_tuning_records_read(tuning->records, tuning->path, &reading);
    tuning->read_only =
        reading.other || reading.foreign || (reading.error && reading.error != ENOENT);
    tell_reading(tuning, &reading, sentence);
}

static struct adn_tuning *make(const char *path, struct sentence *sentence)
{
    struct adn_tuning *tuning = calloc(1, sizeof(*tuning));

    if (tuning) {
        tuning->path = strdup(path);
        tuning->records = adn_tuning_records_make();
    }
    if (!tuning || !tuning->path || !tuning->records) {
        if (tuning) {
            free(tuning->path);
            free(tuning->records);
        }
        free(tuning);
        return NULL;
    }
    adn_tuning_place_resolve(&tuning->place, path);
    read_all(tuning, sentence);
    tuning->next = files;
    files = tuning;
    return tuning;
}

struct adn_tuning *adn_tuning_at(const char *path)
{
    struct adn_tuning *tuning;
    struct sentence sentence = {.text = ""};

    enter();
    for (tuning = files; tuning && strcmp(tuning->path, path) != 0;)
        tuning = tuning->next;
    if (!tuning)
        tuning = make(path, &sentence);
    leave();
    say(&sentence);
    return tuning;
}

int adn_tuning_find(struct adn_tuning *tuning, const char *key, struct adn_tuned *found)
{
    const struct adn_tuned *tuned;

    enter();
    tuned = adn_tuning_records_lookup(tuning->records, key);
    if (tuned)
        *found = *tuned;
    leave();
    return tuned != NULL;
}

/* ---- writing */

/*
 * Locks the folder. While another process holds it, waits without our own lock: up to
 * ADN_TUNING_WAIT_BUSY while others store records, otherwise up to ADN_TUNING_WAIT. Since fork()
 * waits for our own lock, no child inherits the folder's. After a wait in vain, nobody waits
 * again until the folder is free.
 */
static int lock_folder(struct adn_tuning *tuning)
{
    const struct timespec pause = {.tv_nsec = ADN_TUNING_WAIT_STEP * 1000000L};
    int idle = tuning->stalled ? ADN_TUNING_WAIT : 0, waited = 0, folder;
    struct timespec last = {0};

    while ((folder = adn_tuning_place_lock(&tuning->place)) == ADN_TUNING_BUSY &&
           idle < ADN_TUNING_WAIT && waited < ADN_TUNING_WAIT_BUSY) {
        idle = adn_tuning_place_moved(&tuning->place, &last) ? 0 : idle + ADN_TUNING_WAIT_STEP;
        waited += ADN_TUNING_WAIT_STEP;
        leave();
        nanosleep(&pause, NULL);
        enter();
    }
    tuning->stalled = folder == ADN_TUNING_BUSY;
    return folder;
}

static void write_all(struct adn_tuning *tuning, int folder, struct sentence *sentence)
{
    if (tuning->read_only)
        return;
    if (adn_tuning_records_write(tuning->records, &tuning->place, folder) == 0)
        see(tuning);
    else
        tell(tuning, sentence,
             "it cannot be written: %s; measurements are lost when this process ends",
             strerror(errno));
}

/* Returns 1 if there is a file that this process may write. A privileged process writes none for
 * its caller. */
static int writes(struct adn_tuning *tuning, struct sentence *sentence)
{
    if (tuning->read_only || adn_env_privileged())
        return 0;
    if (tuning->place.reason)
        tell(tuning, sentence, "%s; measurements are lost when this process ends",
             tuning->place.reason);
    return !tuning->place.reason;
}

void adn_tuning_note(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count)
{
    struct sentence sentence = {.text = ""};
    int folder = ADN_TUNING_BUSY, known;

    enter();
    if (writes(tuning, &sentence))
        folder = lock_folder(tuning);
    known = unchanged(tuning);
    for (int i = 0; i < count; i++) {
        (void)adn_tuning_records_add(tuning->records, keys[i], &records[i]);
        if (folder != ADN_TUNING_BUSY &&
            adn_tuning_records_append(keys[i], &records[i], tuning->place.file) != 0)
            tell(tuning, &sentence, "it cannot be written: %s", strerror(errno));
    }
    if (known)
        see(tuning);
    adn_tuning_place_unlock(folder);
    leave();
    say(&sentence);
}

void adn_tuning_keep(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count)
{
    struct sentence sentence = {.text = ""};
    int folder = ADN_TUNING_BUSY;

    enter();
    if (writes(tuning, &sentence)) {
        folder = lock_folder(tuning);
        if (folder == ADN_TUNING_BUSY)
            tell(tuning, &sentence,
                 "another process has held the lock of its folder for more than %d seconds; new "
                 "measurements are not stored",
                 ADN_TUNING_WAIT / 1000);
        else
            read_all(tuning, &sentence);
    }
    for (int i = 0; i < count; i++)
        (void)adn_tuning_records_add(tuning->records, keys[i], &records[i]);
    if (folder != ADN_TUNING_BUSY)
        write_all(tuning, folder, &sentence);
    adn_tuning_place_unlock(folder);
    leave();
    say(&sentence);
}
