/* SPDX-License-Identifier: Apache-2.0 */
/* Records in the tuning file which candidate runs: the key is the problem's key,
 * ADN_TUNING_SUSPECT, and the backend's name and engine. */
#include "dispatch/autotune/suspect.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/autotune/store.h"
#include "sys/error.h"
#include "sys/process.h"
#include "tuning/tuning.h"

struct adn_suspect {
    struct adn_suspect *next;
    struct adn_tuning *tuning;
    char *problem; /* the problem's key */
    char *name;    /* key of the running candidate, or ""; points into one of `keys` */
    char keys[2][ADN_TUNING_KEY];
    struct adn_tuned tuned; /* its record */
};

/* The suspects of this process. Contests on two devices may concern the same problem. */
static struct adn_suspect *suspects;
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

static int is_running_here(const char *name)
{
    int found = 0;

    enter();
    for (const struct adn_suspect *at = suspects; at; at = at->next)
        found |= strcmp(at->name, name) == 0;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Returns the buffer for the next name. Other threads do not read it before set_name. */
static char *next_name(struct adn_suspect *suspect)
{
    return suspect->keys[suspect->name == suspect->keys[0]];
}

static void set_name(struct adn_suspect *suspect, char *name)
{
    enter();
    suspect->name = name;
    pthread_mutex_unlock(&lock);
}

static void set_no_name(struct adn_suspect *suspect)
{
    char *name = next_name(suspect);

    name[0] = '\0';
    set_name(suspect, name);
}

/* Returns 1 if a process recorded the candidate and then ended. A live process with that number may
 * still be running it. *wrong tells whether it gave wrong results instead. */
static int is_guilty(struct adn_tuning *tuning, const char *name, int *wrong)
{
    struct adn_tuned found;
    pid_t process;

    if (!adn_tuning_find(tuning, name, &found) || is_running_here(name))
        return 0;
    *wrong = found.microseconds == ADN_TUNING_WRONG;
    process = found.microseconds <= INT32_MAX ? (pid_t)found.microseconds - ADN_TUNING_PROCESS : -1;
    return process <= 0 || process == getpid() || (kill(process, 0) != 0 && errno == ESRCH);
}

void adn_suspect_begin(struct adn_choices *choices)
{
    struct adn_tuning *tuning = adn_tuned_file(choices->handle);
    struct adn_suspect *suspect = tuning ? calloc(1, sizeof(*suspect)) : NULL;

    if (!suspect)
        return;
    suspect->tuning = tuning;
    suspect->name = suspect->keys[0];
    suspect->problem = adn_tuned_key_of_rivals(choices);
    if (!suspect->problem) {
        free(suspect);
        return;
    }
    enter();
    suspect->next = suspects;
    suspects = suspect;
    pthread_mutex_unlock(&lock);
    choices->suspect = suspect;
}

/* Marks the previous candidate as survived, and records the running one, if any. Its key is in the
 * buffer for the next name. */
static void write_names(struct adn_suspect *suspect, const struct adn_choice *choice)
{
    char *name = next_name(suspect);
    const char *keys[2];
    struct adn_tuned records[2];
    int count = 0;

    if (suspect->name[0] != '\0') {
        keys[count] = suspect->name;
        records[count] = suspect->tuned;
        records[count++].microseconds = ADN_TUNING_SURVIVED;
    }
    if (choice) {
        suspect->tuned = (struct adn_tuned){.engine = choice->engine, .limit = UINT64_MAX};
        suspect->tuned.microseconds = (double)getpid() + ADN_TUNING_PROCESS;
        snprintf(suspect->tuned.backend, sizeof(suspect->tuned.backend), "%s",
                 choice->backend->name);
        keys[count] = name;
        records[count++] = suspect->tuned;
    }
    set_name(suspect, name);
    adn_tuning_note(suspect->tuning, keys, records, count);
}

anydnnStatus_t adn_suspect_runs(struct adn_choices *choices, const struct adn_choice *choice)
{
    struct adn_suspect *suspect = choices->suspect;
    char *name = suspect ? next_name(suspect) : NULL;
    int wrong = 0;

    if (!name ||
        snprintf(name, ADN_TUNING_KEY, "%s" ADN_TUNING_SUSPECT "%s %" PRIu64, suspect->problem,
                 choice->backend->name, choice->engine) >= ADN_TUNING_KEY)
        return ANYDNN_STATUS_SUCCESS;
    if (is_guilty(suspect->tuning, name, &wrong)) {
        if (wrong)
            adn_offers_condemn(choice->pick.answer, choice->engine);
        return adn_fail(ANYDNN_STATUS_EXECUTION_FAILED,
                        "%s: %s; the engine is skipped until the tuning file no longer lists it",
                        choices->entry,
                        wrong ? "a search found wrong results of this engine"
                              : "a process died or lost its device while it ran this engine");
    }
    write_names(suspect, choice);
    return ANYDNN_STATUS_SUCCESS;
}

/* Records for good what became of the running candidate. */
static void record(struct adn_choices *choices, double what)
{
    struct adn_suspect *suspect = choices->suspect;
    const char *key;

    if (!suspect || suspect->name[0] == '\0')
        return;
    key = suspect->name;
    suspect->tuned.microseconds = what;
    adn_tuning_note(suspect->tuning, &key, &suspect->tuned, 1);
    set_no_name(suspect);
}

void adn_suspect_lost(struct adn_choices *choices)
{
    record(choices, ADN_TUNING_LOST);
}

void adn_suspect_wrong(struct adn_choices *choices)
{
    record(choices, ADN_TUNING_WRONG);
}

void adn_suspect_end(struct adn_choices *choices)
{
    struct adn_suspect *suspect = choices->suspect, **at = &suspects;

    if (!suspect)
        return;
    if (suspect->name[0] != '\0') {
        next_name(suspect)[0] = '\0';
        write_names(suspect, NULL);
    }
    choices->suspect = NULL;
    enter();
    while (*at && *at != suspect)
        at = &(*at)->next;
    if (*at)
        *at = suspect->next;
    pthread_mutex_unlock(&lock);
    free(suspect->problem);
    free(suspect);
}
