/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of an installation that was moved. */
#ifndef ADN_SETTINGS_PATHS_H
#define ADN_SETTINGS_PATHS_H

#include <stddef.h>

/* Writes the actual path of `configured` in an installation that was moved. `from` is the
 * configured path of another of its folders, and `to` is the actual path of that folder. */
void adn_path_relocate(char *path, size_t size, const char *configured, const char *from,
                       const char *to);

#endif
