/* SPDX-License-Identifier: Apache-2.0 */
/* Reads records line by line from a file, and writes a whole file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/files.h"
#include "tuning/records.h"

/* The bytes of one write. */
#define WRITE_BYTES (256 * 1024)

/* ---- reading */

/* A part of the file that was read and not yet split into lines. */
struct lines {
    int file;
    int error; /* errno */
    size_t at;
    size_t end;
    char text[4 * ADN_TUNING_LINE + 1]; /* a 0 follows the last byte */
};

/* Makes space and reads on. Returns 0 at the end of the file. */
static int read_on(struct lines *lines)
{
    ssize_t got;

    memmove(lines->text, lines->text + lines->at, lines->end - lines->at);
    lines->end -= lines->at;
    lines->at = 0;
    do
        got = read(lines->file, lines->text + lines->end, sizeof(lines->text) - 1 - lines->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        lines->error = errno;
    lines->end += got > 0 ? (size_t)got : 0;
    lines->text[lines->end] = '\0';
    return got > 0;
}

/* Returns the next line without its end, and sets its length. A longer line has the length
 * ADN_TUNING_LINE, and so has the last line of a file that was cut off: neither is a record.
 * Returns NULL at the end of the file. */
static const char *next_line(struct lines *lines, size_t *length)
{
    int too_long = 0;

    for (;;) {
        char *line = lines->text + lines->at;
        char *end = memchr(line, '\n', lines->end - lines->at);

        if (end) {
            *length =
                too_long || end - line >= ADN_TUNING_LINE ? ADN_TUNING_LINE : (size_t)(end - line);
            lines->at = (size_t)(end - lines->text) + 1;
            return line;
        }
        if (lines->end - lines->at >= ADN_TUNING_LINE) {
            too_long = 1;
            lines->at = lines->end;
        }
        if (read_on(lines))
            continue;
        if (lines->at == lines->end && !too_long)
            return NULL;
        lines->at = lines->end;
        *length = ADN_TUNING_LINE;
        return lines->text;
    }
}

static void read_lines(struct adn_tuning_records *records, struct lines *lines,
                       struct adn_tuning_reading *reading)
{
    size_t length;
    const char *line = next_line(lines, &length);

    reading->foreign = line && (length != strlen(ADN_TUNING_HEADER) ||
                                memcmp(line, ADN_TUNING_HEADER, strlen(ADN_TUNING_HEADER)) != 0);
    if (!line || reading->foreign)
        return;
    for (int number = 2; (line = next_line(lines, &length)) != NULL; number++) {
        if (length == 0 || (line[0] == '#' && length < ADN_TUNING_LINE))
            continue;
        errno = EINVAL;
        if (length < ADN_TUNING_LINE && adn_tuning_records_add_line(records, line, length) == 0)
            continue;
        if (errno != EINVAL)
            reading->error = ENOMEM;
        else if (reading->bad_lines++ == 0)
            reading->bad_line = number;
    }
}

void adn_tuning_records_read(struct adn_tuning_records *records, const char *path,
                             struct adn_tuning_reading *reading)
{
    struct lines *lines = malloc(sizeof(*lines));
    struct stat status;

    memset(reading, 0, sizeof(*reading));
    if (!lines) {
        reading->error = ENOMEM;
        snprintf(reading->reason, sizeof(reading->reason), "cannot be read: out of memory");
        return;
    }
    lines->at = lines->end = 0;
    lines->error = 0;
    lines->file = adn_file_open(path, &status, reading->reason, sizeof(reading->reason));
    if (lines->file < 0) {
        reading->error = errno;
    } else if (status.st_size > ADN_TUNING_BYTES) {
        reading->error = EFBIG;
        snprintf(reading->reason, sizeof(reading->reason),
                 "has %lld bytes; the maximum is %lld; it is neither read nor written",
                 (long long)status.st_size, ADN_TUNING_BYTES);
        close(lines->file);
    } else {
        reading->other = !S_ISREG(status.st_mode);
        read_lines(records, lines, reading);
        close(lines->file);
        if (lines->error != 0)
            reading->error = lines->error;
        if (reading->error != 0)
            snprintf(reading->reason, sizeof(reading->reason), "cannot be read: %s",
                     strerror(reading->error));
    }
    free(lines);
}

/* ---- writing */

/* Gives the file the mode of the file that it replaces, or 0644 if there is none. */
static void set_mode(int descriptor, const char *path)
{
    struct stat before;

    (void)!fchmod(descriptor, stat(path, &before) == 0 ? before.st_mode & 0777 : 0644);
}

int adn_tuning_records_write(const struct adn_tuning_records *records,
                             const struct adn_tuning_place *place, int folder)
{
    char *beside;
    const struct adn_tuning_record *record;
    int descriptor = adn_tuning_place_beside(place, folder, &beside), failed = -1;
    struct adn_file_signals signals;
    FILE *file = NULL;

    if (descriptor < 0)
        return -1;
    adn_file_signals_hold(&signals, 1);
    set_mode(descriptor, place->file);
    file = fdopen(descriptor, "w");
    if (!file) {
        close(descriptor);
        goto out;
    }
    setvbuf(file, NULL, _IOFBF, WRITE_BYTES);
    fprintf(file, ADN_TUNING_HEADER "\n");
    for (record = TAILQ_FIRST(&records->ages); record; record = TAILQ_NEXT(record, age))
        fwrite(record->line, 1, record->length, file);
    failed = ferror(file) ? -1 : 0;
    failed = fclose(file) != 0 ? -1 : failed;
    failed = failed == 0 && rename(beside, place->file) == 0 ? 0 : -1;
out:
    adn_file_signals_release(&signals, failed);
    if (failed != 0) {
        int cause = errno;

        unlink(beside);
        errno = cause;
    }
    free(beside);
    return failed;
}

/* Writes what must precede an appended line: the header in an empty file, or a newline after a line
 * that was cut off. Returns its bytes. */
static size_t begin_of(int descriptor, off_t size, char *begin)
{
    char last = '\n';

    if (size == 0) {
        memcpy(begin, ADN_TUNING_HEADER "\n", sizeof(ADN_TUNING_HEADER));
        return sizeof(ADN_TUNING_HEADER);
    }
    if (pread(descriptor, &last, 1, size - 1) == 1 && last == '\n')
        return 0;
    begin[0] = '\n';
    return 1;
}

int adn_tuning_records_append(const char *key, const struct adn_tuned *tuned, const char *path)
{
    int descriptor = adn_file_above_standard(
        open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    char *text = malloc(sizeof(ADN_TUNING_HEADER) + ADN_TUNING_LINE), *line = NULL;
    size_t begin, length = 0;
    struct stat status;
    int failed = -1;

    if (descriptor >= 0 && text)
        line = adn_tuning_records_line(key, tuned, &length);
    if (line && fstat(descriptor, &status) == 0) {
        begin = begin_of(descriptor, status.st_size, text);
        memcpy(text + begin, line, length);
        length += begin;
        failed = adn_file_write(descriptor, text, length, 1) == (ssize_t)length ? 0 : -1;
    }
    if (descriptor >= 0)
        close(descriptor);
    free(line);
    free(text);
    return failed;
}
