/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps: what the operands of a call held, as .npy files in a folder beside the trace's file. The
 * folder's name is a number that was free, a file's the number of the operand's slot: `17/0.npy` is
 * what operand 0 held before the call, `17/2.after.npy` what operand 2 held behind it. Folders have
 * mode 0700, files 0600; no link is followed. A failure ends dumping, with one warning. A dump that
 * is not whole is removed.
 */
#ifndef ADN_TRACE_DUMP_H
#define ADN_TRACE_DUMP_H

#include <stdint.h>

#include <anydnn/plugin.h>

struct adn_dump {
    uint64_t number;
    uint64_t left; /* bytes that may be written */
    int folder;    /* its descriptor */
    int parent;    /* that of the folder it is in */
    int failed;
};

/* Makes the folder beside the file of a pattern. -1 where the process has made `most` or written
 * `size` bytes already, or the folder cannot be made. */
int adn_dump_begin(struct adn_dump *dump, const char *pattern, uint64_t most, uint64_t size);
/* The elements that lie at `bytes` as the tensor says. */
void adn_dump_operand(struct adn_dump *dump, int32_t slot, int after,
                      const struct anydnn_plugin_tensor *tensor, const unsigned char *bytes);
/* Numbers in logical order, as elements of the tensor's type. */
void adn_dump_numbers(struct adn_dump *dump, int32_t slot,
                      const struct anydnn_plugin_tensor *tensor, const double *numbers);
/* The number of a whole dump, else 0. */
uint64_t adn_dump_end(struct adn_dump *dump);

#endif
