/* SPDX-License-Identifier: Apache-2.0 */
/* Records in memory, and as lines of a file. */
#ifndef ADN_TUNING_RECORDS_H
#define ADN_TUNING_RECORDS_H

#include "tuning/tuning.h"

struct adn_tuning_record {
    uint64_t hash; /* of the key */
    char *key;
    struct adn_tuned tuned;
};

struct adn_tuning_records {
    int count;
    int room;
    struct adn_tuning_record *record; /* oldest first */
};

/* How a file was read. */
struct adn_tuning_reading {
    int error;     /* errno; ENOENT counts as an empty file */
    int foreign;   /* it begins otherwise than ours do */
    int bad_lines; /* that are no records */
    int bad_line;  /* number of the first one */
};

const struct adn_tuned *adn_tuning_records_find(const struct adn_tuning_records *records,
                                                const char *key);
/* Adds it or takes the place of an older one; 0, or -1 when memory is out. */
int adn_tuning_records_add(struct adn_tuning_records *records, const char *key,
                           const struct adn_tuned *tuned);
void adn_tuning_records_free(struct adn_tuning_records *records);

/* Adds what the file holds. */
struct adn_tuning_reading adn_tuning_records_read(struct adn_tuning_records *records,
                                                  const char *path);
/* Puts a file of the records in the place of `path`; 0, or -1 with errno. */
int adn_tuning_records_write(const struct adn_tuning_records *records, const char *path);

#endif
