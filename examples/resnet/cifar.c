/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the binary form of CIFAR-10: 10,000 records per file. A record is a label and 3 x 32 x 32
 * bytes, one color after the other. */
#include "cifar.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "examples/layers/complain.h"

enum { SIDE = 32, PIXELS = 3 * SIDE * SIDE, RECORDS = 10000, FILES = 5 };

static int read_record(FILE *file, const char *path, struct dataset *set, int record, int into)
{
    unsigned char label;

    if (fread(&label, 1, 1, file) != 1 ||
        fread(set->pixels + (size_t)into * PIXELS, 1, PIXELS, file) != PIXELS)
        return complain("%s: truncated in record %d of %d; download the file again.", path, record,
                        RECORDS);
    if (label >= CLASSES)
        return complain("%s: the label of record %d is %d; labels are 0 to %d.", path, record,
                        label, CLASSES - 1);
    set->labels[into] = label;
    return 0;
}

/* Fills the set, starting at image `done`, from at most one file. */
static int read_file(const char *folder, const char *name, struct dataset *set, int done)
{
    char path[PATH_MAX];
    int left = set->count - done, records = left < RECORDS ? left : RECORDS, result = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return complain("%s: cannot be opened: %s.", path, strerror(errno));
    for (int record = 0; record < records && result == 0; record++)
        result = read_record(file, path, set, record, done + record);
    if (result == 0 && records == RECORDS && getc(file) != EOF)
        result = complain("%s: too long: more bytes follow its %d records.", path, RECORDS);
    fclose(file);
    return result;
}

int cifar_read(struct dataset *set, const char *folder, int test, int limit)
{
    int most = test ? RECORDS : FILES * RECORDS;
    int count = limit > 0 && limit < most ? limit : most;

    if (dataset_allocate(set, count, 3, SIDE) < 0)
        return -1;
    for (int done = 0; done < count; done += RECORDS) {
        char name[32];

        snprintf(name, sizeof name, "data_batch_%d.bin", done / RECORDS + 1);
        if (read_file(folder, test ? "test_batch.bin" : name, set, done) < 0) {
            dataset_free(set);
            return -1;
        }
    }
    return 0;
}
