/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What searches measured, kept in a file from one process to the next: for each key the backend and
 * engine that was the fastest. The file is text:
 *
 *   anydnn tuning 1
 *   KEY <tab> LIMIT <tab> BACKEND <tab> ENGINE <tab> MICROSECONDS
 *
 * A key is a line of text, tabs included; LIMIT the bytes of workspace that the search was bound
 * to, or none. Written whole beside the old file and put in its place, so that who reads meanwhile
 * sees the one or the other; who writes reads it anew before, under a lock of the folder, so that
 * nothing of another process is lost.
 */
#ifndef ADN_TUNING_TUNING_H
#define ADN_TUNING_TUNING_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/*
 * A key that ends in <tab>suspect BACKEND ENGINE is about a candidate on trial: in the place of
 * MICROSECONDS stands that it ran and is suspected no more, which takes the record away; that a
 * device was lost; or the number of the process that runs it, beyond ADN_TUNING_PROCESS.
 */
#define ADN_TUNING_SUSPECT  "\tsuspect "
#define ADN_TUNING_SURVIVED 0
#define ADN_TUNING_LOST     1
#define ADN_TUNING_PROCESS  1

/* Records that a file holds at most; the oldest go first. */
#define ADN_TUNING_RECORDS 65536
/* Bytes of a line, and of a key. */
#define ADN_TUNING_LINE 16384
#define ADN_TUNING_KEY  (ADN_TUNING_LINE - 128)
/* Bytes of a file that is read: what the most records can take. */
#define ADN_TUNING_BYTES (1024LL * 1024 * 1024)

struct adn_tuned {
    char backend[ANYDNN_PLUGIN_NAME_MAX + 1];
    uint64_t engine;
    uint64_t limit; /* UINT64_MAX: none */
    double microseconds;
};

struct adn_tuning;

/* What the file holds; made at the first call for the path, and kept for ever. A file that is not
 * there is empty; one that cannot be read, is none of ours or has lines that are no records is told
 * by one warning. NULL when memory is out. Thread-safe, as are the three below. */
struct adn_tuning *adn_tuning_at(const char *path);

/* 1 and the record, or 0. */
int adn_tuning_find(struct adn_tuning *tuning, const char *key, struct adn_tuned *found);

/* Keeps records, in the file as well. One that was found under a wider limit stays. A file that
 * cannot be written is told by one warning. */
void adn_tuning_keep(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count);

/* The same by lines at the file's end, in a fraction of the time: what this process or another
 * keeps next takes them up. Where the folder's lock is not to be had the file is not written. */
void adn_tuning_note(struct adn_tuning *tuning, const char *const *keys,
                     const struct adn_tuned *records, int count);

#endif
