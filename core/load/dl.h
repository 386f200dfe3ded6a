/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols and addresses of opened files, from the dynamic linker. */
#ifndef ADN_LOAD_DL_H
#define ADN_LOAD_DL_H

#include <stddef.h>

/* A dynamic symbol. */
struct adn_load_symbol {
    void *address; /* NULL if the object itself does not define the symbol */
    int is_code;
    size_t size; /* from the symbol table; 0 if that states none */
};

/* Looks up a symbol of the object. */
struct adn_load_symbol adn_load_dl_symbol(void *object, const char *name);

/* Returns 1 if the address lies in the file that `object` is, and not in the program or another
 * library. */
int adn_load_dl_holds(void *object, const void *address);

/* Returns the name of the file in which the address lies, or "no file". */
const char *adn_load_dl_file(const void *address);

#endif
