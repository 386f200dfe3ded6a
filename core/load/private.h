/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of core/load share: a backend with its normalised description, the
 * state of one attempt to open it, and the steps of that attempt.
 */
#ifndef ADN_LOAD_PRIVATE_H
#define ADN_LOAD_PRIVATE_H

#include <stddef.h>

#include "load/load.h"

#define ADN_LOAD_REASON_MAX 2048

/* The backend comes first, so that one pointer serves for both. */
struct adn_load_slot {
    struct adn_backend backend;
    char reason[ADN_LOAD_REASON_MAX];
    const struct anydnn_plugin *given; /* by its anydnn_plugin_main; NULL before that */
    /* Copies in which members that the backend's structures lack are zero. */
    struct anydnn_plugin plugin;
    struct anydnn_plugin_space space;
    struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
    const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];
    struct anydnn_plugin_limit *limits;
    const struct anydnn_plugin_limit **limit_list;
    struct anydnn_plugin_setting *settings;
    const struct anydnn_plugin_setting **setting_list;
};

typedef int32_t (*adn_load_main_fn)(const struct anydnn_plugin_host *host,
                                    const struct anydnn_plugin **plugin);

/* One attempt: what each step leaves to the next. */
struct adn_load_attempt {
    struct adn_load_slot *slot;
    char *real_path;
    void *object;
    adn_load_main_fn main;
    const struct anydnn_plugin *given;
};

/* Writes the attempt's reason and returns -1. */
int adn_load_refuse(struct adn_load_attempt *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The steps, in this order; each returns 0, or -1 with the reason. */
int adn_load_trust(struct adn_load_attempt *attempt);
int adn_load_check_elf(struct adn_load_attempt *attempt);
int adn_load_dl_open(struct adn_load_attempt *attempt);
int adn_load_check_abi(struct adn_load_attempt *attempt);
int adn_load_call_main(struct adn_load_attempt *attempt);
int adn_load_validate(struct adn_load_attempt *attempt);

/* What a dynamic symbol is, as far as this room asks. */
struct adn_load_symbol {
    void *address; /* NULL: the object itself does not define the symbol */
    int is_code;
    size_t size; /* as the symbol table says; 0 when it does not */
};

struct adn_load_symbol adn_load_dl_symbol(void *object, const char *name);

/* 1 when the address lies in the file that `object` is, not in the program or another library. */
int adn_load_dl_holds(void *object, const void *address);

/* The name of the file that the address lies in; "no file" for none. */
const char *adn_load_dl_file(const void *address);

/* [a-z0-9_]{1,31} over the first `length` characters. */
int adn_load_name_valid(const char *name, size_t length);

/* The limits and settings of the description, copied; 0, or -1 with the reason. */
int adn_load_validate_lists(struct adn_load_attempt *attempt);

void adn_load_host_init(struct adn_backend *backend);

/* Fills count, backend and unreadable; 0, or -1 when memory is out. */
int adn_load_discover(struct adn_registry *registry);
void adn_load_slot_free(struct adn_load_slot *slot);

#endif
