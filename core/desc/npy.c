/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and recognizes headers of .npy files. */
#include "desc/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME      "\x93NUMPY\x01"
#define NAME_SIZE 8 /* with the 0 of version 1.0 */
#define ALIGNMENT 64

static const char *type_text(int32_t type)
{
    static const struct {
        int32_t type;
        const char *text;
    } types[] = {{ANYDNN_PLUGIN_FLOAT, "<f4"},   {ANYDNN_PLUGIN_DOUBLE, "<f8"},
                 {ANYDNN_PLUGIN_HALF, "<f2"},    {ANYDNN_PLUGIN_BFLOAT16, "|V2"},
                 {ANYDNN_PLUGIN_INT8, "|i1"},    {ANYDNN_PLUGIN_INT8X4, "|i1"},
                 {ANYDNN_PLUGIN_INT8X32, "|i1"}, {ANYDNN_PLUGIN_UINT8, "|u1"},
                 {ANYDNN_PLUGIN_UINT8X4, "|u1"}, {ANYDNN_PLUGIN_INT32, "<i4"},
                 {ANYDNN_PLUGIN_INT64, "<i8"},   {ANYDNN_PLUGIN_UINT16, "<u2"},
                 {ANYDNN_PLUGIN_UINT32, "<u4"},  {ANYDNN_PLUGIN_UINT64, "<u8"}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].type == type)
            return types[i].text;
    return "|V1";
}

/* Writes the dictionary, at most 70 + 8 * 22 bytes. */
static size_t write_text(const struct anydnn_plugin_tensor *tensor, char *text, size_t size)
{
    size_t length = (size_t)snprintf(
        text, size, "{'descr': '%s', 'fortran_order': False, 'shape': (", type_text(tensor->type));

    for (int32_t i = 0; i < tensor->ndims; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64, i > 0 ? ", " : "",
                                   tensor->dims[i]);
    return length +
           (size_t)snprintf(text + length, size - length, "%s), }", tensor->ndims == 1 ? "," : "");
}

size_t adn_npy_header(const struct anydnn_plugin_tensor *tensor, char header[ADN_NPY_MAX])
{
    size_t length =
        ADN_NPY_PREFIX + write_text(tensor, header + ADN_NPY_PREFIX, ADN_NPY_MAX - ADN_NPY_PREFIX);
    size_t whole = (length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t text = whole - ADN_NPY_PREFIX;

    memcpy(header, NAME, NAME_SIZE);
    header[NAME_SIZE] = (char)(text & 255);
    header[NAME_SIZE + 1] = (char)(text >> 8);
    memset(header + length, ' ', whole - length - 1);
    header[whole - 1] = '\n';
    return whole;
}

size_t adn_npy_match(const struct anydnn_plugin_tensor *tensor, const unsigned char *bytes,
                     size_t size)
{
    char expected[ADN_NPY_MAX];
    size_t length = write_text(tensor, expected, sizeof(expected));
    size_t whole;

    if (size < ADN_NPY_PREFIX || memcmp(bytes, NAME, NAME_SIZE) != 0)
        return 0;
    whole = ADN_NPY_PREFIX + bytes[NAME_SIZE] + ((size_t)bytes[NAME_SIZE + 1] << 8);
    if (whole > size || whole < ADN_NPY_PREFIX + length + 1 ||
        memcmp(bytes + ADN_NPY_PREFIX, expected, length) != 0 || bytes[whole - 1] != '\n')
        return 0;
    for (size_t i = ADN_NPY_PREFIX + length; i < whole - 1; i++)
        if (bytes[i] != ' ')
            return 0;
    return whole;
}
