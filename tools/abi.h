/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of the library, generated from the table of entries, and the command that finds them
 * in a file. */
#ifndef TOOLS_ABI_H
#define TOOLS_ABI_H

#include "common.h"

struct abi_symbol {
    const char *name;
    const char *entry; /* name without suffix */
    const char *node;  /* version node */
    int level;         /* the level that introduced this form */
    int deprecated;    /* the level that deprecated it, or 0 */
    const char *use;   /* the form that replaced it, or NULL */
};

/* Returns NULL if the library lacks the symbol. */
const struct abi_symbol *abi_lookup(const char *name);
/* Returns the newest form of the symbol's entry, which new code uses. */
const struct abi_symbol *abi_newest(const struct abi_symbol *symbol);

/* Finds the entries that the file imports, fills in the answer and prints it as text if requested.
 * Fails if one is deprecated or does not belong to this library. */
int abi_scan(struct tool *tool, const char *file, json_t *answer);

#endif
