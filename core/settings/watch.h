/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of [trace], [shadow] and [check] mean that are words of their own. Each reader
 * returns 0, or -1 for a text that is no such value, and may be asked for nothing but that (NULL).
 */
#ifndef ADN_SETTINGS_WATCH_H
#define ADN_SETTINGS_WATCH_H

#include <stdint.h>

#include "settings/settings.h"

/* Which calls: none, the first of each plan, every n-th of each plan, one in n on average. */
enum adn_sample_kind { ADN_SAMPLE_OFF, ADN_SAMPLE_FIRST, ADN_SAMPLE_EVERY, ADN_SAMPLE_PART };

struct adn_sample {
    enum adn_sample_kind kind;
    uint64_t n;
};

/* off, first, all, every:N, 1/N */
int adn_watch_sample(const char *text, struct adn_sample *sample);

struct adn_reference {
    char backend[ADN_NAME_MAX + 1]; /* "": the one that states REFERENCE */
    int32_t math;                   /* -1: in double, where the backend can */
};

/* auto, BACKEND, BACKEND:MATH */
int adn_watch_reference(const char *text, struct adn_reference *reference);

/* derived (0), or a number above 0 */
int adn_watch_bound(const char *text, double *bound);

/* "5 %" as 0.05, none as infinity */
int adn_watch_part(const char *text, double *part);

/* none, or operations as routes name them, separated by commas: a bit for each operation's number
 */
int adn_watch_operations(const char *text, uint64_t *operations);

/* off, or some of nan, inf, zero, separated by commas */
enum { ADN_VALUE_NAN = 1, ADN_VALUE_INF = 2, ADN_VALUE_ZERO = 4 };
int adn_watch_values(const char *text, uint32_t *values);

/*
 * A copy of one section's values (the rest is 0), in which `text`, the section's lines joined by
 * `;`, has the last word; to be freed by adn_settings_free. NULL with a sentence in `error`:
 * adn_shortage_noted() then says whether memory was short, or else the text is wrong.
 */
struct adn_settings *adn_watch_settings(const struct adn_settings *from, const char *section,
                                        const char *text, char *error, size_t error_size);

#endif
