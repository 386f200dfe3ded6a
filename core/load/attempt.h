/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt to open a backend, and its steps. */
#ifndef ADN_LOAD_ATTEMPT_H
#define ADN_LOAD_ATTEMPT_H

#include <stdint.h>

#include "load/slot.h"

typedef int32_t (*adn_load_main_fn)(const struct anydnn_plugin_host *host,
                                    const struct anydnn_plugin **plugin);

/* An attempt: the state that each step passes to the next. */
struct adn_load_attempt {
    struct adn_load_slot *slot;
    char *real_path;
    void *object;
    adn_load_main_fn main;
    const struct anydnn_plugin *given;
};

/* Writes the reason of the failure. Returns -1. */
int adn_load_refuse(struct adn_load_attempt *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The steps, in the order in which registry.c takes them. Each returns 0, or -1 with the reason. */
int adn_load_trust(struct adn_load_attempt *attempt);
int adn_load_check_elf(struct adn_load_attempt *attempt);
int adn_load_dl_open(struct adn_load_attempt *attempt);
int adn_load_check_abi(struct adn_load_attempt *attempt);
int adn_load_call_main(struct adn_load_attempt *attempt);
int adn_load_validate(struct adn_load_attempt *attempt);

#endif
