/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of entries, and the rules for their values. */
#ifndef ADN_ERRATA_VALUES_H
#define ADN_ERRATA_VALUES_H

#include "errata/errata.h"

/* The names of the keys, in the order of enum adn_erratum_key. */
extern const char *const adn_erratum_keys[ADN_ERRATUM_KEYS];

/* Returns the verdict of that name, or -1. */
int adn_erratum_verdict_of(const char *word);
/* Checks the value of a key that every operation has. Returns NULL, or the rule that it breaks. */
const char *adn_erratum_rule_broken(enum adn_erratum_key key, const char *value);
/* Returns 1 if any operation has the parameter. Sets *rule to the rule that the value breaks for
 * each of them, or to NULL. */
int adn_erratum_is_param(const char *key, const char *value, const char **rule);

#endif
