/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a user names: their kinds, and ways to open them without waiting. */
#ifndef ADN_SYS_FILES_H
#define ADN_SYS_FILES_H

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Returns "a folder", "a FIFO or pipe", "a socket", ... */
const char *adn_file_kind(mode_t mode);

/* Writes the path of a pattern, with the process number in place of %p. Returns -1 with errno if it
 * is too long. */
int adn_file_of_process(const char *pattern, char *path, size_t size);

/* Returns 1 for the null device, which reads as an empty file. */
int adn_file_is_null(const struct stat *status);

/* Opens a regular file or the null device for reading, also through a link. On failure returns -1
 * with errno, and sets `reason` to a text such as "cannot be opened: No such file or directory" or
 * "is a FIFO or pipe, not a regular file". Never waits for a writer. Never opens another kind of
 * device, which may act on being opened. */
int adn_file_open(const char *path, struct stat *status, char *reason, size_t size);

/* Reads up to `limit` bytes into `bytes`, to the end of the file if it is shorter. Returns their
 * number, or -1 with errno. */
ssize_t adn_file_read_all(int descriptor, char *bytes, size_t limit);

/* Returns 0 if root alone can change what `path` leads to: the file, its folder, every folder
 * above, and those of a link to it. Otherwise returns -1 and sets `reason` to a sentence that names
 * the file or folder and its remedy. */
int adn_file_root_only(const char *path, char *reason, size_t size);

/* Replaces a link in `path`, which is absolute and has PATH_MAX bytes, by its target. Returns -1
 * with errno on failure. */
int adn_file_follow(char *path);

/* Moves a new descriptor above 2. A program that was started without a standard stream still prints
 * to its number, which would otherwise be that of our file. Returns -1 for -1, and -1 with errno,
 * the descriptor closed, if it cannot be moved. */
int adn_file_above_standard(int descriptor);

/* Writes as write() does, but a file that may not grow (RLIMIT_FSIZE) gives EFBIG without the
 * signal that would end the program. With `own`, the descriptor is the library's, and a pipe
 * without a reader gives EPIPE without a signal. */
ssize_t adn_file_write(int descriptor, const void *bytes, size_t count, int own);

/* The state that protects several writes in the same way. `failed` is 1 if one of them failed;
 * errno is kept. */
struct adn_file_signals {
    sigset_t held, before;
};
void adn_file_signals_hold(struct adn_file_signals *signals, int own);
void adn_file_signals_release(const struct adn_file_signals *signals, int failed);

#endif
