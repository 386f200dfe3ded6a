/* SPDX-License-Identifier: Apache-2.0 */
/* Readers for the structured values of [trace], [shadow] and [check]. Each returns 0, or -1 if the
 * text is invalid. With a NULL target, it only checks the text. */
#ifndef ADN_SETTINGS_SECTION_VALUES_H
#define ADN_SETTINGS_SECTION_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* The calls of a sample: none, the first of each plan, every n-th of each plan, one in n on
 * average.
 */
enum adn_sample_kind { ADN_SAMPLE_OFF, ADN_SAMPLE_FIRST, ADN_SAMPLE_EVERY, ADN_SAMPLE_PART };

/* A sample. */
struct adn_sample {
    enum adn_sample_kind kind;
    uint64_t n;
};

/* Reads off, first, all, every:N or 1/N. */
int adn_section_sample(const char *text, struct adn_sample *sample);

/* A reference. */
struct adn_reference {
    char backend[ADN_NAME_MAX + 1]; /* empty for the backend that states REFERENCE */
    int32_t math;                   /* -1: in double if the backend can */
};

/* Reads auto, BACKEND or BACKEND:MATH. */
int adn_section_reference(const char *text, struct adn_reference *reference);

/* Reads derived, which is 0, or a number above 0. */
int adn_section_bound(const char *text, double *bound);

/* Reads "5 %" as 0.05 and none as infinity. */
int adn_section_part(const char *text, double *part);

/* Reads none, or operations as routes name them, separated by commas. Sets a bit for the number of
 * each operation. */
int adn_section_operations(const char *text, uint64_t *operations);

/* Reads off, or some of nan, inf, zero, separated by commas. */
enum { ADN_VALUE_NAN = 1, ADN_VALUE_INF = 2, ADN_VALUE_ZERO = 4 };
int adn_section_values(const char *text, uint32_t *values);

/*
 * Copies the values of one section and applies `text`, its lines joined by `;`, to the copy. The
 * other values are 0. The caller frees the copy by adn_settings_free. Returns NULL with a sentence
 * in `error` if the text is wrong or memory is short; adn_shortage_noted() tells which.
 */
struct adn_settings *adn_section_settings(const struct adn_settings *from, const char *section,
                                          const char *text, char *error, size_t error_size);

#endif
