/* SPDX-License-Identifier: Apache-2.0 */
/* Records in memory: found by key, the newest of a key counts. */
#include "tuning/records.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a: keys are compared only where their hashes are equal. */
static uint64_t hash_of(const char *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    return hash;
}

static struct adn_tuning_record *find(const struct adn_tuning_records *records, const char *key,
                                      uint64_t hash)
{
    for (int i = 0; i < records->count; i++)
        if (records->record[i].hash == hash && strcmp(records->record[i].key, key) == 0)
            return &records->record[i];
    return NULL;
}

const struct adn_tuned *adn_tuning_records_find(const struct adn_tuning_records *records,
                                                const char *key)
{
    const struct adn_tuning_record *record = find(records, key, hash_of(key));

    return record ? &record->tuned : NULL;
}

static int make_room(struct adn_tuning_records *records)
{
    struct adn_tuning_record *grown;

    if (records->count == ADN_TUNING_RECORDS) {
        free(records->record[0].key);
        records->count--;
        memmove(records->record, records->record + 1,
                (size_t)records->count * sizeof(records->record[0]));
    }
    if (records->count < records->room)
        return 0;
    grown = realloc(records->record, (size_t)(records->room * 2 + 64) * sizeof(*grown));
    if (!grown)
        return -1;
    records->record = grown;
    records->room = records->room * 2 + 64;
    return 0;
}

int adn_tuning_records_add(struct adn_tuning_records *records, const char *key,
                           const struct adn_tuned *tuned)
{
    uint64_t hash = hash_of(key);
    struct adn_tuning_record *record = find(records, key, hash);

    if (record && record->tuned.limit > tuned->limit)
        return 0;
    if (!record) {
        char *copy = strdup(key);

        if (!copy || make_room(records) != 0) {
            free(copy);
            return -1;
        }
        record = &records->record[records->count++];
        *record = (struct adn_tuning_record){.hash = hash, .key = copy};
    }
    record->tuned = *tuned;
    return 0;
}

void adn_tuning_records_free(struct adn_tuning_records *records)
{
    for (int i = 0; i < records->count; i++)
        free(records->record[i].key);
    free(records->record);
    *records = (struct adn_tuning_records){.count = 0};
}
