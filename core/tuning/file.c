/* SPDX-License-Identifier: Apache-2.0 */
/* Records as lines of a file: read one by one, written whole. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/text.h"
#include "tuning/records.h"

#define HEADER "anydnn tuning 1"

/* ---- reading */

/* Cuts the last of the fields off; NULL when there is none. */
static char *last_field(char *line)
{
    char *tab = strrchr(line, '\t');

    if (!tab)
        return NULL;
    *tab = '\0';
    return tab + 1;
}

static int read_number(const char *text, uint64_t *number)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return -1;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' ? 0 : -1;
}

/* The key stays in `line`. */
static int read_record(char *line, struct adn_tuned *tuned)
{
    const char *microseconds = last_field(line);
    const char *engine = microseconds ? last_field(line) : NULL;
    const char *backend = engine ? last_field(line) : NULL;
    const char *limit = backend ? last_field(line) : NULL;
    char *end;

    if (!limit || line[0] == '\0' || backend[0] == '\0' ||
        strlen(backend) >= sizeof(tuned->backend) || read_number(engine, &tuned->engine) != 0)
        return -1;
    tuned->limit = UINT64_MAX;
    if (strcmp(limit, "none") != 0 && read_number(limit, &tuned->limit) != 0)
        return -1;
    tuned->microseconds = adn_text_to_double(microseconds, &end);
    snprintf(tuned->backend, sizeof(tuned->backend), "%s", backend);
    return end != microseconds && *end == '\0' && isfinite(tuned->microseconds) &&
                   tuned->microseconds >= 0
               ? 0
               : -1;
}

/* A whole line without its end into `line`, of ADN_TUNING_LINE bytes: its length, -1 at the end of
 * the file; longer ones are cut. A file that was cut off ends within a line, which is none. */
static long read_line(FILE *file, char *line)
{
    long length = 0;
    int c;

    while ((c = getc(file)) != EOF && c != '\n') {
        if (length < ADN_TUNING_LINE - 1)
            line[length] = (char)c;
        length++;
    }
    line[length < ADN_TUNING_LINE ? length : ADN_TUNING_LINE - 1] = '\0';
    return c == EOF && length == 0 ? -1 : c == EOF ? ADN_TUNING_LINE : length;
}

static void read_records(struct adn_tuning_records *records, FILE *file, char *line,
                         struct adn_tuning_reading *reading)
{
    long length;

    for (int number = 2; (length = read_line(file, line)) >= 0; number++) {
        struct adn_tuned tuned;

        if (line[0] == '#' || length == 0)
            continue;
        if (length < ADN_TUNING_LINE && strlen(line) == (size_t)length &&
            read_record(line, &tuned) == 0) {
            if (adn_tuning_records_add(records, line, &tuned) != 0)
                reading->error = ENOMEM;
            continue;
        }
        if (reading->bad_lines++ == 0)
            reading->bad_line = number;
    }
}

struct adn_tuning_reading adn_tuning_records_read(struct adn_tuning_records *records,
                                                  const char *path)
{
    struct adn_tuning_reading reading = {0, 0, 0, 0};
    FILE *file = fopen(path, "re");
    char *line = malloc(ADN_TUNING_LINE);

    if (!file) {
        reading.error = errno;
    } else if (!line) {
        reading.error = ENOMEM;
    } else {
        long length = read_line(file, line);

        reading.foreign = length >= 0 && strcmp(line, HEADER) != 0;
        if (length >= 0 && !reading.foreign)
            read_records(records, file, line, &reading);
        if (ferror(file))
            reading.error = EIO;
    }
    free(line);
    if (file)
        fclose(file);
    return reading;
}

/* ---- writing */

static void write_record(FILE *file, const struct adn_tuning_record *record)
{
    char microseconds[40], limit[24] = "none";
    struct adn_text text;

    adn_text_begin(&text, microseconds, sizeof(microseconds));
    adn_text_double(&text, record->tuned.microseconds);
    if (record->tuned.limit != UINT64_MAX)
        snprintf(limit, sizeof(limit), "%" PRIu64, record->tuned.limit);
    fprintf(file, "%s\t%s\t%s\t%" PRIu64 "\t%s\n", record->key, limit, record->tuned.backend,
            record->tuned.engine, microseconds);
}

/* As readable as the file before it, or as any other file that its user makes for others to read.
 */
static void set_mode(int descriptor, const char *path)
{
    struct stat before;

    (void)!fchmod(descriptor, stat(path, &before) == 0 ? before.st_mode & 0777 : 0644);
}

int adn_tuning_records_write(const struct adn_tuning_records *records, const char *path)
{
    size_t size = strlen(path) + 8;
    char *beside = malloc(size);
    int descriptor = -1, failed = -1;
    FILE *file = NULL;

    if (!beside)
        return -1;
    snprintf(beside, size, "%s.XXXXXX", path);
    descriptor = mkostemp(beside, O_CLOEXEC);
    if (descriptor < 0)
        goto out;
    set_mode(descriptor, path);
    file = fdopen(descriptor, "w");
    if (!file) {
        close(descriptor);
        goto gone;
    }
    fprintf(file, HEADER "\n");
    for (int i = 0; i < records->count; i++)
        write_record(file, &records->record[i]);
    failed = ferror(file) ? -1 : 0;
    failed = fclose(file) != 0 ? -1 : failed;
    failed = failed == 0 && rename(beside, path) == 0 ? 0 : -1;
gone:
    if (failed != 0) {
        int cause = errno;

        unlink(beside);
        errno = cause;
    }
out:
    free(beside);
    return failed;
}
