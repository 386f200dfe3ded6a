/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a user names: what kind they are, and opening them so that nothing is waited for. */
#ifndef ADN_SYS_FILES_H
#define ADN_SYS_FILES_H

#include <stddef.h>
#include <sys/stat.h>

/* "a folder", "a FIFO", "a socket", ... */
const char *adn_file_kind(mode_t mode);

/* The path of a pattern, in which %p becomes the process number; -1 with errno where it is too
 * long.
 */
int adn_file_of_process(const char *pattern, char *path, size_t size);

/* The null device, which reads as an empty file. */
int adn_file_is_null(const struct stat *status);

/*
 * Opens a regular file for reading, also through a link, or the null device. -1: errno, and in
 * `reason` why not, as "cannot be opened: No such file or directory" or "is a FIFO, not a regular
 * file". Never waits for a writer, and never opens another kind of device, which may act on that.
 */
int adn_file_open(const char *path, struct stat *status, char *reason, size_t size);

/*
 * Returns 0 when root alone can change what `path` leads to: the file, its folder, every folder
 * above, and those of a link to it. Otherwise returns -1 and sets `reason` to a sentence that names
 * the file or folder and its remedy.
 */
int adn_file_root_only(const char *path, char *reason, size_t size);

#endif
