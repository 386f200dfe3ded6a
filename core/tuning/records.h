/* SPDX-License-Identifier: Apache-2.0 */
/* Records in memory, each with its line of the file, and the file of them. */
#ifndef ADN_TUNING_RECORDS_H
#define ADN_TUNING_RECORDS_H

#include <sys/queue.h>

#include "tuning/place.h"
#include "tuning/tuning.h"

#define ADN_TUNING_BUCKETS 16384

struct adn_tuning_record {
    TAILQ_ENTRY(adn_tuning_record) age;
    struct adn_tuning_record *next; /* in its bucket */
    uint64_t hash;                  /* of the key */
    struct adn_tuned tuned;
    size_t key_length;
    size_t length; /* of the line, with its end */
    char line[];   /* as it stands in the file: the key comes first */
};

struct adn_tuning_records {
    int count;
    TAILQ_HEAD(adn_tuning_ages, adn_tuning_record) ages; /* oldest first */
    struct adn_tuning_record *bucket[ADN_TUNING_BUCKETS];
};

/* How a file was read. */
struct adn_tuning_reading {
    int error;        /* errno; ENOENT counts as an empty file */
    char reason[200]; /* why it cannot be opened */
    int other;        /* no regular file: the null device */
    int foreign;      /* it begins otherwise than ours do */
    int bad_lines;    /* that are no records */
    int bad_line;     /* number of the first one */
};

struct adn_tuning_records *adn_tuning_records_make(void);

const struct adn_tuned *adn_tuning_records_lookup(const struct adn_tuning_records *records,
                                                  const char *key);
/* Adds it or takes the place of an older one; 0, or -1 when memory is out. */
int adn_tuning_records_add(struct adn_tuning_records *records, const char *key,
                           const struct adn_tuned *tuned);
/* The line with its end, in memory that the caller frees; NULL when memory is out or it is too
 * long.
 */
char *adn_tuning_records_line(const char *key, const struct adn_tuned *tuned, size_t *length);
/* The same of a line without its end; -1 also when it is none, with errno EINVAL. */
int adn_tuning_records_add_line(struct adn_tuning_records *records, const char *line,
                                size_t length);

/* Leaves out candidates on trial in other processes than `own`: of those the file alone knows. */
void adn_tuning_records_forget_trials(struct adn_tuning_records *records, double own);
/* Adds what the file holds. */
void adn_tuning_records_read(struct adn_tuning_records *records, const char *path,
                             struct adn_tuning_reading *reading);
/* Puts a file of the records in its place, whose folder was locked so; 0, or -1 with errno. */
int adn_tuning_records_write(const struct adn_tuning_records *records,
                             const struct adn_tuning_place *place, int folder);
/* Writes a record's line at the end of the file, which is made if it is not there; the same. */
int adn_tuning_records_append(const char *key, const struct adn_tuned *tuned, const char *path);

#endif
