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

/* The outcome of reading a file. */
struct adn_tuning_reading {
    int error;        /* errno; ENOENT counts as an empty file */
    char reason[200]; /* why it cannot be opened */
    int other;        /* 1 if not a regular file: the null device */
    int foreign;      /* 1 if it lacks the header of a tuning file */
    int bad_lines;    /* number of lines that are no records */
    int bad_line;     /* number of the first one */
};

struct adn_tuning_records *adn_tuning_records_make(void);

const struct adn_tuned *adn_tuning_records_lookup(const struct adn_tuning_records *records,
                                                  const char *key);
/* Adds a record or replaces an older one. Returns 0, or -1 if memory is out. */
int adn_tuning_records_add(struct adn_tuning_records *records, const char *key,
                           const struct adn_tuned *tuned);
/* Returns the line with its end, in memory that the caller frees. Returns NULL if memory is out or
 * the line is too long. */
char *adn_tuning_records_line(const char *key, const struct adn_tuned *tuned, size_t *length);
/* Adds the record of a line without its end. Returns 0, or -1; errno is EINVAL if the line is no
 * record. */
int adn_tuning_records_add_line(struct adn_tuning_records *records, const char *line,
                                size_t length);

/* Drops candidates on trial in processes other than `own`, since the file alone knows their
 * state. */
void adn_tuning_records_forget_trials(struct adn_tuning_records *records, double own);
/* Adds the records of the file. */
void adn_tuning_records_read(struct adn_tuning_records *records, const char *path,
                             struct adn_tuning_reading *reading);
/* Replaces the file by one with these records, while its folder is locked. Returns 0, or -1 with
 * errno. */
int adn_tuning_records_write(const struct adn_tuning_records *records,
                             const struct adn_tuning_place *place, int folder);
/* Appends a record's line to the file, which is made if it does not exist. Returns 0, or -1 with
 * errno. */
int adn_tuning_records_append(const char *key, const struct adn_tuned *tuned, const char *path);

#endif
