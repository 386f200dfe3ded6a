/* SPDX-License-Identifier: Apache-2.0 */
/* The place where the records of a path are written: the file behind its links, and the lock of its
 * folder. */
#ifndef ADN_TUNING_PLACE_H
#define ADN_TUNING_PLACE_H

#include <time.h>

/* The waits of a search for the folder's lock, in milliseconds: while nobody stores anything, while
 * others do, and between two tries. Locks have no queue, so that busy writers may pass a waiting
 * one. */
#define ADN_TUNING_WAIT      2000
#define ADN_TUNING_WAIT_BUSY 20000
#define ADN_TUNING_WAIT_STEP 10

/* Results of adn_tuning_place_lock that are no descriptor: another process holds the lock, or there
 * is no lock here and the caller continues without. */
#define ADN_TUNING_BUSY     (-1)
#define ADN_TUNING_LOCKLESS (-2)

/* The first line of a tuning file. */
#define ADN_TUNING_HEADER "anydnn tuning 1"

struct adn_tuning_place {
    char *file;         /* as given, or what the link leads to */
    const char *reason; /* why nothing is written, or NULL */
};

/* Follows the links of the path, once. */
void adn_tuning_place_resolve(struct adn_tuning_place *place, const char *path);

/* Locks the file's folder if nobody holds it. Returns a descriptor for adn_tuning_place_unlock, or
 * one of the two values above. */
int adn_tuning_place_lock(const struct adn_tuning_place *place);
void adn_tuning_place_unlock(int folder);

/* Returns 1 if a file of the folder was made, replaced or removed since the last call, whose time
 * is in `last`. */
int adn_tuning_place_moved(const struct adn_tuning_place *place, struct timespec *last);

/* Makes the file that will be renamed to the place's own. Returns a descriptor and sets `name` to
 * its path, which the caller frees, or returns -1 with errno. The owner of the folder's lock uses
 * the same name each time, unless a foreign file has it. The file of a killed process is therefore
 * replaced, and such files do not pile up. */
int adn_tuning_place_beside(const struct adn_tuning_place *place, int folder, char **name);

#endif
