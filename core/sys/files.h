/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a user names: what kind they are, and opening them so that nothing is waited for. */
#ifndef ADN_SYS_FILES_H
#define ADN_SYS_FILES_H

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

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

/* Puts what a link leads to in its place in `path`, absolute and of PATH_MAX bytes; -1 with errno.
 */
int adn_file_follow(char *path);

/*
 * Moves a new descriptor above 2. A program that was started without a standard stream still prints
 * to its number, which would otherwise be that of our file. Passes -1 through; -1 with errno, the
 * descriptor closed, where it cannot be moved.
 */
int adn_file_above_standard(int descriptor);

/*
 * Writes as write() does, but a file that may not grow (RLIMIT_FSIZE) is EFBIG and no signal, which
 * would end the program. `own`: the descriptor is the library's, and a pipe without a reader is
 * EPIPE and no signal either.
 */
ssize_t adn_file_write(int descriptor, const void *bytes, size_t count, int own);

/* The same for several writes. `failed` says whether one of them did; errno stays. */
struct adn_file_signals {
    sigset_t held, before;
};
void adn_file_signals_hold(struct adn_file_signals *signals, int own);
void adn_file_signals_release(const struct adn_file_signals *signals, int failed);

#endif
