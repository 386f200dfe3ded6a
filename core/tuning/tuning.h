/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tuning file keeps what searches measured from one process to the next: for each key, the
 * fastest backend and engine. The file is text:
 *
 *   anydnn tuning 1
 *   KEY <tab> LIMIT <tab> BACKEND <tab> ENGINE <tab> MICROSECONDS
 *
 * A key is a line of text, tabs included. LIMIT is the workspace limit of the search in bytes, or
 * none. A new file is written whole and then replaces the old one, so that a reader sees one of the
 * two. A writer locks the folder and reads the file again first, so that records of another process
 * are not lost.
 */
#ifndef ADN_TUNING_TUNING_H
#define ADN_TUNING_TUNING_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* A key that ends in <tab>suspect BACKEND ENGINE concerns a candidate on trial. Its MICROSECONDS is
 * one of four values: the candidate ran and is no longer suspect, which removes the record; it gave
 * wrong results; a device was lost; or the number of the process that runs it, beyond
 * ADN_TUNING_PROCESS. */
#define ADN_TUNING_SUSPECT  "\tsuspect "
#define ADN_TUNING_SURVIVED 0
#define ADN_TUNING_WRONG    0.5
#define ADN_TUNING_LOST     1
#define ADN_TUNING_PROCESS  1

/* The most records of a file. The oldest are dropped first. */
#define ADN_TUNING_RECORDS 65536
/* The bytes of a line, and of a key. */
#define ADN_TUNING_LINE 16384
#define ADN_TUNING_KEY  (ADN_TUNING_LINE - 128)
/* The most bytes of a file that is read, enough for the most records. */
#define ADN_TUNING_BYTES (1024LL * 1024 * 1024)

struct adn_tuned {
    char backend[ANYDNN_PLUGIN_NAME_MAX + 1];
    uint64_t engine;
    uint64_t limit; /* UINT64_MAX: none */
    double microseconds;
};

struct adn_tuning;

/* Returns the records of the file. They are loaded at the first call for the path and kept forever.
 * A missing file is empty. A file that cannot be read, is no tuning file, or has lines that are no
 * records causes one warning. Returns NULL if memory is out. Thread-safe, like the three functions
 * below. */
struct adn_tuning *adn_tuning_at(const char *path);

/* Looks up a key. Returns 1 and the record, or 0. */
int adn_tuning_find(struct adn_tuning *tuning, const char *key, struct adn_tuned *found);

/* Keeps records, in the file as well. A record from a search with a wider limit stays. A file that
 * cannot be written causes one warning. */
void adn_tuning_keep(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count);

/* Keeps records by appending lines to the file, in a fraction of the time. The next adn_tuning_keep
 * of any process merges them. If another process holds the folder's lock for too long, the file is
 * not written. */
void adn_tuning_note(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count);

#endif
