/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps: the content of a call's operands, as .npy files in a folder beside the trace's file. The
 * folder's name is a free number, and a file's name is the number of the operand's slot: `17/0.npy`
 * is the content of operand 0 before the call, `17/2.after.npy` that of operand 2 after it. Folders
 * have mode 0700, files 0600, and no link is followed. A failure ends dumping, with one warning. An
 * incomplete dump is removed. */
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

/* Makes the folder beside the file of a pattern. Returns -1 if the process has made `most` or
 * written `size` bytes already, or if the folder cannot be made. */
int adn_dump_begin(struct adn_dump *dump, const char *pattern, uint64_t most, uint64_t size);
/* Dumps the elements that lie at `bytes` as the tensor states. */
void adn_dump_operand(struct adn_dump *dump, int32_t slot, int after,
                      const struct anydnn_plugin_tensor *tensor, const unsigned char *bytes);
/* Dumps numbers in logical order, as elements of the tensor's type. */
void adn_dump_numbers(struct adn_dump *dump, int32_t slot,
                      const struct anydnn_plugin_tensor *tensor, const double *numbers);
/* Ends the dump. Returns its number if it is complete, else 0. */
uint64_t adn_dump_end(struct adn_dump *dump);

#endif
