/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of an installation that was moved. */
#ifndef ADN_SETTINGS_PATHS_H
#define ADN_SETTINGS_PATHS_H

#include <stddef.h>

/* Writes the actual path of `configured` for an installation that was configured for `from` and
 * moved to `to`. */
void adn_path_relocate(char *path, size_t size, const char *configured, const char *from,
                       const char *to);

#endif
