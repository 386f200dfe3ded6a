/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error: a status always comes with a sentence that names argument, value and
 * rule. */
#ifndef ADN_SYS_ERROR_H
#define ADN_SYS_ERROR_H

#include <anydnn/anydnn.h>

/* Long enough for a reason of every backend of a route. */
#define ADN_ERROR_MAX 2048

/* Sets the thread's sentence and returns `status`. The sentence goes to the log, too: a warning the
 * first time for its entry (what stands before the first `:`) and its format, info from then on,
 * and from the first time where a question is answered by NOT_SUPPORTED or a problem's text is bad.
 */
anydnnStatus_t adn_fail(anydnnStatus_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Between the two nothing is logged, for what fails there may not be what the entry answers: it is
 * logged at the end, if that is a failure. They nest; release returns its argument. */
void adn_error_hold(void);
anydnnStatus_t adn_error_release(anydnnStatus_t status);

const char *adn_error_text(void);
void adn_error_clear(void);

/* What fails for want of memory or descriptors settles nothing: the next call may find them. Notes
 * in this thread that `error`, an errno, is of that kind; 1 when it is. */
int adn_shortage(int error);
/* The errno noted since the last forgetting, or 0. */
int adn_shortage_noted(void);
void adn_shortage_forget(void);

/* The name of a status, "ANYDNN_STATUS_BAD_PARAM"; never NULL. */
const char *adn_status_name(int status);

#endif
