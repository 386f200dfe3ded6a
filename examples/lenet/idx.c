/* SPDX-License-Identifier: Apache-2.0 */
/* Reads IDX files: a big-endian header {0, 0, type, dimensions} {size of each dimension}, then the
 * items. zlib's gzFile reads plain files unchanged, so one path serves both. */
#include "idx.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "digits.h"
#include "examples/layers/complain.h"

enum { IDX_UNSIGNED_BYTE = 8, IDX_DIMENSIONS_AT_MOST = 3 };

struct idx_file {
    char path[PATH_MAX];
    gzFile stream;
    int dimensions;
    uint32_t size[IDX_DIMENSIONS_AT_MOST];
};

/* Reports a short read. zlib distinguishes a damaged stream, for which it has a message, from the
 * end of the file. */
static int idx_complain_short(struct idx_file *file, const char *part, size_t expected,
                              size_t found)
{
    int code;
    const char *text = gzerror(file->stream, &code);

    if (code == Z_ERRNO)
        return complain("%s: cannot be read: %s.", file->path, strerror(errno));
    if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
        return complain(
            "%s: not a valid gzip file: after %zu of the %zu bytes of its %s zlib reports \"%s\".",
            file->path, found, expected, part, text);
    return complain("%s: truncated after %zu of the %zu bytes of its %s; download the file again.",
                    file->path, found, expected, part);
}

static int idx_read_bytes(struct idx_file *file, const char *part, uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        size_t left = size - done;
        int got = gzread(file->stream, bytes + done, left < 1u << 30 ? (unsigned)left : 1u << 30);

        if (got <= 0)
            return idx_complain_short(file, part, size, done);
        done += (size_t)got;
    }
    return 0;
}

/* Checks that the file ends. This also makes zlib read the checksum after the last item. */
static int idx_expect_end(struct idx_file *file)
{
    uint8_t byte;
    int code;
    int got = gzread(file->stream, &byte, 1);

    if (got > 0)
        return complain("%s: too long: more bytes follow the %u items that its header announces.",
                        file->path, file->size[0]);
    gzerror(file->stream, &code);
    if (code == Z_BUF_ERROR)
        return complain("%s: truncated: the gzip check sum after the items is missing; download "
                        "the file again.",
                        file->path);
    if (got < 0)
        return idx_complain_short(file, "check sum", 8, 0);
    return 0;
}

/* Finds the file. The published names contain "-idx"; some copies have ".idx". */
static int idx_locate(struct idx_file *file, const char *directory, const char *prefix,
                      const char *kind)
{
    char dotted[32];
    struct stat status;

    snprintf(dotted, sizeof dotted, "%s", kind);
    *strrchr(dotted, '-') = '.';
    for (int form = 0; form < 4; form++) {
        int length = snprintf(file->path, sizeof file->path, "%s/%s-%s-ubyte%s", directory, prefix,
                              form < 2 ? kind : dotted, form % 2 == 0 ? "" : ".gz");

        if (length < (int)sizeof file->path && stat(file->path, &status) == 0)
            return 0;
    }
    return complain("%s: holds neither %s-%s-ubyte nor %s-%s-ubyte.gz.", directory, prefix, kind,
                    prefix, kind);
}

static int idx_read_header(struct idx_file *file, int dimensions)
{
    uint8_t head[4 + 4 * IDX_DIMENSIONS_AT_MOST];

    if (idx_read_bytes(file, "header", head, 4) < 0)
        return -1;
    if (head[0] != 0 || head[1] != 0 || head[2] != IDX_UNSIGNED_BYTE || head[3] != dimensions)
        return complain("%s: begins with %02x %02x %02x %02x; an IDX file of bytes in %d "
                        "dimension%s begins with 00 00 %02x %02x.",
                        file->path, head[0], head[1], head[2], head[3], dimensions,
                        dimensions == 1 ? "" : "s", IDX_UNSIGNED_BYTE, dimensions);
    if (idx_read_bytes(file, "sizes", head + 4, 4 * (size_t)dimensions) < 0)
        return -1;
    for (int d = 0; d < dimensions; d++) {
        const uint8_t *byte = head + 4 + 4 * d;

        file->size[d] = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 |
                        (uint32_t)byte[3];
    }
    if (file->size[0] == 0 || file->size[0] > IMAGES_AT_MOST)
        return complain("%s: announces %u items; 1 to %d are accepted.", file->path, file->size[0],
                        IMAGES_AT_MOST);
    if (dimensions == 3 && (file->size[1] != IMAGE_SIDE || file->size[2] != IMAGE_SIDE))
        return complain("%s: holds images of %u x %u; this network requires %d x %d.", file->path,
                        file->size[1], file->size[2], IMAGE_SIDE, IMAGE_SIDE);
    return 0;
}

/* Opens the file, checks its header and returns the items in allocated memory. */
static int idx_read_items(struct idx_file *file, const char *directory, const char *prefix,
                          const char *kind, int dimensions, uint8_t **items)
{
    size_t bytes;
    int result = -1;

    if (idx_locate(file, directory, prefix, kind) < 0)
        return -1;
    file->stream = gzopen(file->path, "rb");
    if (file->stream == NULL)
        return complain("%s: cannot be opened: %s.", file->path, strerror(errno));
    if (idx_read_header(file, dimensions) < 0)
        goto out;
    bytes = (size_t)file->size[0] * (dimensions == 3 ? IMAGE_PIXELS : 1);
    *items = malloc(bytes);
    if (*items == NULL) {
        complain("%s: out of memory for its %zu bytes.", file->path, bytes);
        goto out;
    }
    if (idx_read_bytes(file, "items", *items, bytes) < 0 || idx_expect_end(file) < 0)
        goto out;
    result = 0;
out:
    gzclose(file->stream);
    return result;
}

static int idx_check_labels(const struct idx_file *file, const uint8_t *labels)
{
    for (uint32_t i = 0; i < file->size[0]; i++)
        if (labels[i] >= CLASSES)
            return complain("%s: item %u is %u; labels are 0 to %d.", file->path, i, labels[i],
                            CLASSES - 1);
    return 0;
}

int idx_read(struct dataset *set, const char *directory, const char *prefix, int limit)
{
    struct idx_file images;
    struct idx_file labels;
    struct stat status;

    *set = (struct dataset){.channels = 1, .side = IMAGE_SIDE};
    if (stat(directory, &status) < 0)
        return complain("%s: cannot be opened as a folder of IDX files: %s.", directory,
                        strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return complain("%s: not a folder; --data requires the folder of the IDX files.",
                        directory);
    if (idx_read_items(&images, directory, prefix, "images-idx3", 3, &set->pixels) < 0 ||
        idx_read_items(&labels, directory, prefix, "labels-idx1", 1, &set->labels) < 0 ||
        idx_check_labels(&labels, set->labels) < 0)
        goto fail;
    if (images.size[0] != labels.size[0]) {
        complain("%s: holds %u labels for the %u images of %s.", labels.path, labels.size[0],
                 images.size[0], images.path);
        goto fail;
    }
    set->count = (int)images.size[0];
    if (limit > 0 && limit < set->count)
        set->count = limit;
    return 0;
fail:
    dataset_free(set);
    return -1;
}
