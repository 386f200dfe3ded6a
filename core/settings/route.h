/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of [route] sections. */
#ifndef ADN_SETTINGS_ROUTE_H
#define ADN_SETTINGS_ROUTE_H

#include <stddef.h>
#include <stdint.h>

#include "settings/apply.h"
#include "settings/settings.h"

/* Parses a rule like adn_settings_rule_parse, and distinguishes the kinds of failures. */
enum adn_apply adn_rule_parse(struct adn_route_rule *rule, const char *pattern, const char *mode,
                              const char *list, char *error, size_t error_size);
/* Returns 1 if the rule covers the operation in that math type. */
int adn_rule_matches(const struct adn_route_rule *rule, const char *operation, int32_t math);

/* The math modes of routes, and their names. */
#define ADN_ROUTE_MODE_COUNT 4
extern const int32_t adn_route_maths[];
extern const char *const adn_route_modes[];

#endif
