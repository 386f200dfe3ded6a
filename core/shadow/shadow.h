/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow: of a handle's calls some run once more, on copies, on a backend that is trusted, and
 * their outputs are held to the bound that rounding explains. Checks: outputs are looked through
 * for values that no network wants. Both stand before the plans of a handle as wraps, so that a
 * handle without them pays nothing.
 */
#ifndef ADN_SHADOW_SHADOW_H
#define ADN_SHADOW_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/handle/handle.h"

/* Puts both before a new handle's plans where the settings ask for them. */
void adn_shadow_begin(anydnnHandle_t handle);

/* Changes this handle's: the section's lines, joined by `;`. The plans go, so that new ones are
 * wrapped as it says; the pins stay. */
anydnnStatus_t adn_shadow_set(anydnnHandle_t handle, const char *entry, const char *text);
anydnnStatus_t adn_shadow_check_set(anydnnHandle_t handle, const char *entry, const char *text);

/* What was found on the handle, by the keys of anydnn.h. */
anydnnStatus_t adn_shadow_text(anydnnHandle_t handle, const char *entry, const char *key,
                               char *text, size_t size);
anydnnStatus_t adn_shadow_int(anydnnHandle_t handle, const char *entry, const char *key,
                              int64_t *value);

#endif
