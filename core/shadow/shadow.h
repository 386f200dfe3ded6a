/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow runs some calls of a handle again, on copies, on a trusted backend, and compares the
 * outputs within the error bound that rounding permits. Checks search outputs for NaN, infinities,
 * and nothing but zeros. Both wrap the plans of a handle, so that a handle without them pays
 * nothing. */
#ifndef ADN_SHADOW_SHADOW_H
#define ADN_SHADOW_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/handle/handle.h"

/* Sets up both on a new handle if the settings request them. */
void adn_shadow_begin(anydnnHandle_t handle);

/* Applies the section's lines, joined by `;`, to this handle. Its plans are dropped, so that new
 * ones are wrapped accordingly. Its pins stay. */
anydnnStatus_t adn_shadow_set(anydnnHandle_t handle, const char *entry, const char *text);
anydnnStatus_t adn_shadow_check_set(anydnnHandle_t handle, const char *entry, const char *text);

/* Returns findings on the handle, by the keys of anydnn.h. */
anydnnStatus_t adn_shadow_text(anydnnHandle_t handle, const char *entry, const char *key,
                               char *text, size_t size);
anydnnStatus_t adn_shadow_int(anydnnHandle_t handle, const char *entry, const char *key,
                              int64_t *value);

#endif
