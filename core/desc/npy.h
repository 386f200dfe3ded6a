/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .npy files (NumPy's format 1.0, numpy.lib.format) for tensors in logical order:
 * scalars row by row, lowest byte first. NumPy lacks bfloat16, which is written as two bytes
 * without a meaning. */
#ifndef ADN_DESC_NPY_H
#define ADN_DESC_NPY_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* Longer than any header that is written. */
#define ADN_NPY_MAX 512
/* The bytes before the header's text: a name, the version, the length of the text. */
#define ADN_NPY_PREFIX 10

/* Writes the header of a tensor. Returns its bytes. */
size_t adn_npy_header(const struct anydnn_plugin_tensor *tensor, char header[ADN_NPY_MAX]);
/* Returns the length of that tensor's header if the first `size` bytes of a file begin with it,
 * with any number of blanks at its end; else 0. */
size_t adn_npy_match(const struct anydnn_plugin_tensor *tensor, const unsigned char *bytes,
                     size_t size);

#endif
