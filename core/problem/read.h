/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the text form, one reader a kind; parse.c puts them together. */
#ifndef ADN_PROBLEM_READ_H
#define ADN_PROBLEM_READ_H

#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "problem/params.h"
#include "problem/problem.h"

/* BAD_PARAM: "problem text: `WORD`: RULE". */
anydnnStatus_t adn_read_fail(const char *word, const char *rule);

/* "1,2,3" to at most `max` numbers; the count, or -1. */
int32_t adn_read_list(const char *text, int64_t *values, int32_t max);
/* 1 when the text is a number. */
int adn_read_double(const char *text, double *value);
/* TYPE:DIMS[:LAYOUT]; `value` is cut up. */
anydnnStatus_t adn_read_tensor(const char *word, char *value, struct anydnn_plugin_tensor *tensor);
/* A parameter into its place; lists tell their length in *count. */
anydnnStatus_t adn_read_param(union kit_params *params, const struct adn_param *param,
                              int32_t *count, const char *word, const char *value);

#endif
