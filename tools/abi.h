/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of the library, from the table of entries, and the command that looks for them. */
#ifndef TOOLS_ABI_H
#define TOOLS_ABI_H

#include "common.h"

struct abi_symbol {
    const char *name;
    const char *entry; /* without a suffix */
    const char *node;  /* version node */
    int level;         /* that brought this form */
    int deprecated;    /* level, or 0 */
    const char *use;   /* the form that came then, or NULL */
};

/* NULL for a symbol that the library lacks. */
const struct abi_symbol *abi_lookup(const char *name);
/* The last form of the symbol's entry: what to use now. */
const struct abi_symbol *abi_newest(const struct abi_symbol *symbol);

/* Looks for the entries that the file imports, fills the answer and prints it as text where that is
 * asked for; fails where one is deprecated or not this library's. */
int abi_scan(struct tool *tool, const char *file, json_t *answer);

#endif
