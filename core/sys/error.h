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

/* Why something was not done, before it is known whether the entry answers that. */
struct adn_refusal {
    anydnnStatus_t status; /* SUCCESS: nothing failed */
    const char *rule;
    char text[ADN_ERROR_MAX];
    struct adn_refusal *outer;
};

/* Between the two what fails in this thread fills the refusal, the last failure counting, and
 * neither changes the thread's sentence nor is logged. They nest. */
void adn_refusal_begin(struct adn_refusal *refusal);
void adn_refusal_end(const struct adn_refusal *refusal);

/* As adn_fail with what the refusal holds; nothing if nothing failed. Returns the status. */
anydnnStatus_t adn_refusal_publish(const struct adn_refusal *refusal);

/* The refusal's sentence while one is filled, else the thread's. */
const char *adn_error_text(void);
void adn_error_clear(void);

/* Copies the thread's sentence, and puts it back: code of the application runs in between. */
void adn_error_save(char text[ADN_ERROR_MAX]);
void adn_error_restore(const char text[ADN_ERROR_MAX]);

/* What fails for want of memory or descriptors settles nothing: the next call may find them. Notes
 * in this thread that `error`, an errno, is of that kind; 1 when it is. */
int adn_shortage(int error);
/* The errno noted since the last forgetting, or 0. */
int adn_shortage_noted(void);
void adn_shortage_forget(void);

/* The name of a status, "ANYDNN_STATUS_BAD_PARAM"; never NULL. */
const char *adn_status_name(int status);

#endif
