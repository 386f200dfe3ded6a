/* SPDX-License-Identifier: Apache-2.0 */
/* Readers for the values of the text form, one for each kind. parse.c combines them. */
#ifndef ADN_PROBLEM_READ_H
#define ADN_PROBLEM_READ_H

#include <stdint.h>

#include <anydnn/anydnn.h>
#include <anydnn/plugin.h>

#include "problem/params.h"
#include "problem/problem.h"

/* Sets the error "problem text: `WORD`: RULE". Returns BAD_PARAM. */
anydnnStatus_t adn_read_fail(const char *word, const char *rule);

/* Reads "1,2,3", at most `max` numbers. Returns the count, or -1. */
int32_t adn_read_list(const char *text, int64_t *values, int32_t max);
/* Reads a number. Returns 1 if the text is one. */
int adn_read_double(const char *text, double *value);
/* Reads TYPE:DIMS[:LAYOUT]. Changes `value`. */
anydnnStatus_t adn_read_tensor(const char *word, char *value, struct anydnn_plugin_tensor *tensor);
/* Reads a parameter into `params`. Sets *count to the length of a list. */
anydnnStatus_t adn_read_param(union kit_params *params, const struct adn_param *param,
                              int32_t *count, const char *word, const char *value);

#endif
