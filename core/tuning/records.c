/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps records in memory. They are looked up by key, the newest record of a key replaces older
 * ones, and the oldest records are dropped first. */
#include "tuning/records.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/text.h"

/* Hashes eight bytes a step, since keys are lines of text. Keys with equal hashes are compared. */
static uint64_t hash_of(const char *key, size_t length)
{
    uint64_t hash = length, word;

    for (; length > 0; key += sizeof(word)) {
        size_t step = length < sizeof(word) ? length : sizeof(word);

        word = 0;
        memcpy(&word, key, step);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        length -= step;
    }
    return hash;
}

static struct adn_tuning_record *find(const struct adn_tuning_records *records, const char *key,
                                      size_t length, uint64_t hash)
{
    struct adn_tuning_record *record = records->bucket[hash % ADN_TUNING_BUCKETS];

    while (record && (record->hash != hash || record->key_length != length ||
                      memcmp(record->line, key, length) != 0))
        record = record->next;
    return record;
}

const struct adn_tuned *adn_tuning_records_lookup(const struct adn_tuning_records *records,
                                                  const char *key)
{
    size_t length = strlen(key);
    const struct adn_tuning_record *record = find(records, key, length, hash_of(key, length));

    return record ? &record->tuned : NULL;
}

struct adn_tuning_records *adn_tuning_records_make(void)
{
    struct adn_tuning_records *records = calloc(1, sizeof(*records));

    if (records)
        TAILQ_INIT(&records->ages);
    return records;
}

static void drop(struct adn_tuning_records *records, struct adn_tuning_record *record)
{
    struct adn_tuning_record **at = &records->bucket[record->hash % ADN_TUNING_BUCKETS];

    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    TAILQ_REMOVE(&records->ages, record, age);
    records->count--;
    free(record);
}

static int is_trial(const char *line, size_t key_length)
{
    return memmem(line, key_length, ADN_TUNING_SUSPECT, strlen(ADN_TUNING_SUSPECT)) != NULL;
}

/* Returns 1 for a candidate whose trial succeeded. */
static int is_nothing(const char *line, size_t key_length, const struct adn_tuned *tuned)
{
    return tuned->microseconds == ADN_TUNING_SURVIVED && is_trial(line, key_length);
}

void adn_tuning_records_forget_trials(struct adn_tuning_records *records, double own)
{
    struct adn_tuning_record *record = TAILQ_FIRST(&records->ages), *next;

    for (; record; record = next) {
        next = TAILQ_NEXT(record, age);
        if (is_trial(record->line, record->key_length) &&
            record->tuned.microseconds > ADN_TUNING_PROCESS && record->tuned.microseconds != own)
            drop(records, record);
    }
}

/* Adds a record after all others, in the place of `old` if that is one. */
static int put(struct adn_tuning_records *records, struct adn_tuning_record *old, const char *line,
               size_t length, size_t key_length, const struct adn_tuned *tuned)
{
    struct adn_tuning_record **bucket, *record;

    if (is_nothing(line, key_length, tuned)) {
        if (old)
            drop(records, old);
        return 0;
    }
    record = malloc(sizeof(*record) + length + 1);
    if (!record)
        return -1;
    record->tuned = *tuned;
    record->key_length = key_length;
    record->length = length + 1;
    memcpy(record->line, line, length);
    record->line[length] = '\n';
    record->hash = hash_of(record->line, key_length);
    if (old)
        drop(records, old);
    else if (records->count == ADN_TUNING_RECORDS)
        drop(records, TAILQ_FIRST(&records->ages));
    bucket = &records->bucket[record->hash % ADN_TUNING_BUCKETS];
    record->next = *bucket;
    *bucket = record;
    TAILQ_INSERT_TAIL(&records->ages, record, age);
    records->count++;
    return 0;
}

char *adn_tuning_records_line(const char *key, const struct adn_tuned *tuned, size_t *length)
{
    char *line = malloc(ADN_TUNING_LINE);
    struct adn_text text;

    if (!line)
        return NULL;
    adn_text_begin(&text, line, ADN_TUNING_LINE);
    adn_text_add(&text, "%s\t", key);
    if (tuned->limit != UINT64_MAX)
        adn_text_add(&text, "%" PRIu64, tuned->limit);
    else
        adn_text_add(&text, "none");
    adn_text_add(&text, "\t%s\t%" PRIu64 "\t", tuned->backend, tuned->engine);
    adn_text_double(&text, tuned->microseconds);
    adn_text_add(&text, "\n");
    *length = text.length;
    if (text.length < ADN_TUNING_LINE)
        return line;
    free(line);
    return NULL;
}

int adn_tuning_records_add(struct adn_tuning_records *records, const char *key,
                           const struct adn_tuned *tuned)
{
    size_t key_length = strlen(key), length;
    struct adn_tuning_record *old = find(records, key, key_length, hash_of(key, key_length));
    char *line;
    int failed;

    if (old && old->tuned.limit > tuned->limit)
        return 0;
    line = adn_tuning_records_line(key, tuned, &length);
    if (!line)
        return -1;
    failed = put(records, old, line, length - 1, key_length, tuned);
    free(line);
    return failed;
}

/* ---- lines */

/* Returns where the last field of the first `length` bytes begins, or 0 if there is no tab. */
static size_t last_field(const char *line, size_t length)
{
    const char *tab = memrchr(line, '\t', length);

    return tab ? (size_t)(tab - line) + 1 : 0;
}

/* Reads a number that fills the field, which a tab ends. */
static int read_number(const char *text, const char *end, uint64_t *number)
{
    char *stop;

    if (text[0] < '0' || text[0] > '9')
        return -1;
    errno = 0;
    *number = strtoull(text, &stop, 10);
    return errno == 0 && stop == end ? 0 : -1;
}

/* The places where the fields of a line begin; `limit` is 0 if there are too few. */
struct fields {
    size_t limit, backend, engine, microseconds;
};

static struct fields fields_of(const char *line, size_t length)
{
    struct fields fields = {0, 0, 0, 0};

    fields.microseconds = last_field(line, length);
    fields.engine = fields.microseconds ? last_field(line, fields.microseconds - 1) : 0;
    fields.backend = fields.engine ? last_field(line, fields.engine - 1) : 0;
    fields.limit = fields.backend ? last_field(line, fields.backend - 1) : 0;
    return fields;
}

/* Reads the fields after the key. The byte that ends a number may lie after the line. */
static int read_record(const char *line, size_t length, const struct fields *fields,
                       struct adn_tuned *tuned)
{
    size_t name = fields->engine - 1 - fields->backend;
    char *end;

    if (name == 0 || name >= sizeof(tuned->backend) || fields->microseconds == length ||
        memchr(line, '\0', length) != NULL ||
        read_number(line + fields->engine, line + fields->microseconds - 1, &tuned->engine) != 0)
        return -1;
    tuned->limit = UINT64_MAX;
    if ((fields->backend - fields->limit != sizeof("none") ||
         memcmp(line + fields->limit, "none", 4) != 0) &&
        read_number(line + fields->limit, line + fields->backend - 1, &tuned->limit) != 0)
        return -1;
    memset(tuned->backend, 0, sizeof(tuned->backend));
    memcpy(tuned->backend, line + fields->backend, name);
    tuned->microseconds = adn_text_to_double(line + fields->microseconds, &end);
    return end == line + length && isfinite(tuned->microseconds) && tuned->microseconds >= 0 ? 0
                                                                                             : -1;
}

int adn_tuning_records_add_line(struct adn_tuning_records *records, const char *line, size_t length)
{
    const struct fields fields = fields_of(line, length);
    size_t key_length = fields.limit < 2 ? 0 : fields.limit - 1;
    struct adn_tuning_record *old = NULL;
    struct adn_tuned tuned;

    if (key_length > 0)
        old = find(records, line, key_length, hash_of(line, key_length));
    if (old && old->length == length + 1 && memcmp(old->line, line, length) == 0)
        return 0;
    if (key_length == 0 || read_record(line, length, &fields, &tuned) != 0) {
        errno = EINVAL;
        return -1;
    }
    if (old && old->tuned.limit > tuned.limit)
        return 0;
    return put(records, old, line, length, key_length, &tuned);
}
