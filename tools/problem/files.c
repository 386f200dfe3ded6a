/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes files with the scalars of an operand. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/files.h"
#include "tools/problem/operands.h"

/* Converts between the host's byte order and little-endian. */
static void turn(unsigned char *scalar, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < size / 2; i++) {
        unsigned char byte = scalar[i];

        scalar[i] = scalar[size - 1 - i];
        scalar[size - 1 - i] = byte;
    }
#else
    (void)scalar;
    (void)size;
#endif
}

int operand_read(struct tool *tool, const struct operand *operand, unsigned char *bytes,
                 const char *path)
{
    size_t size = operand->element->size;
    long long expected = (long long)operand->count * (long long)size;
    char why[TOOL_WHY_MAX];
    FILE *file = tool_open_read(path, why);
    long long found = 0;
    unsigned char scalar[8];
    struct walk walk;

    if (file == NULL)
        return tool_fail(tool, TOOL_FAILED, "--in %s=%s: cannot be read: %s", operand->role, path,
                         why);
    for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk)) {
        size_t got = fread(scalar, 1, size, file);

        found += (long long)got;
        if (got < size)
            break;
        turn(scalar, size);
        memcpy(bytes + walk.at, scalar, size);
    }
    if (found == expected && fgetc(file) != EOF)
        found++;
    fclose(file);
    if (found == expected)
        return TOOL_FINE;
    return tool_fail(tool, TOOL_FAILED,
                     "--in %s=%s: %s %lld bytes; operand %s has %lld values of %zu bytes, %lld in "
                     "all",
                     operand->role, path, found < expected ? "ends after" : "has more than",
                     found < expected ? found : expected, operand->role, (long long)operand->count,
                     size, expected);
}

int operand_write(struct tool *tool, const struct operand *operand, const unsigned char *bytes,
                  const char *path)
{
    size_t size = operand->element->size;
    char why[TOOL_WHY_MAX];
    FILE *file = tool_open_write(path, "w", why);
    unsigned char scalar[8];
    struct walk walk;
    int bad = 0;

    if (file == NULL)
        return tool_fail(tool, TOOL_FAILED, "--out %s=%s: cannot be written: %s", operand->role,
                         path, why);

    for (walk_begin(&walk, operand); walk_goes_on(&walk) && !bad; walk_next(&walk)) {
        memcpy(scalar, bytes + walk.at, size);
        turn(scalar, size);
        bad = fwrite(scalar, 1, size, file) != size;
    }
    if (fclose(file) != 0)
        bad = 1;
    if (bad)
        return tool_fail(tool, TOOL_FAILED, "--out %s=%s: cannot be written: %s", operand->role,
                         path, strerror(errno));
    return TOOL_FINE;
}
