/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error. A status always comes with a sentence that names argument, value and
 * rule. */
#ifndef ADN_SYS_ERROR_H
#define ADN_SYS_ERROR_H

#include <anydnn/anydnn.h>

/* Enough for a reason from every backend of a route. */
#define ADN_ERROR_MAX 2048

/* Sets the thread's sentence and returns `status`. The sentence also goes to the log. The first one
 * for its entry (the text before the first `:`) and its format is a warning, and later ones are
 * info. It is info from the first time if a query returns NOT_SUPPORTED or if a problem's text is
 * wrong. */
anydnnStatus_t adn_fail(anydnnStatus_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* A captured failure. The entry decides later whether it becomes the result. */
struct adn_refusal {
    anydnnStatus_t status; /* SUCCESS: nothing failed */
    const char *rule;
    char text[ADN_ERROR_MAX];
    struct adn_refusal *outer;
};

/* Failures of this thread between the two calls fill the refusal. The last one counts. The thread's
 * sentence does not change, and nothing is logged. The calls nest. */
void adn_refusal_begin(struct adn_refusal *refusal);
void adn_refusal_end(const struct adn_refusal *refusal);

/* Does what adn_fail does with the content of the refusal. Does nothing if nothing failed. Returns
 * the status. */
anydnnStatus_t adn_refusal_publish(const struct adn_refusal *refusal);

/* Returns the sentence of the active refusal, else the thread's. */
const char *adn_error_text(void);
void adn_error_clear(void);

/* Copies the thread's sentence, and restores it: code of the application runs in between. */
void adn_error_save(char text[ADN_ERROR_MAX]);
void adn_error_restore(const char text[ADN_ERROR_MAX]);

/* Notes in this thread that `error`, an errno, is a shortage of memory or descriptors. Returns 1 if
 * it is. The result of such a failure is not kept, since the next call may succeed. */
int adn_shortage(int error);
/* Returns the errno that was noted since the last call that forgets it, or 0. */
int adn_shortage_noted(void);
void adn_shortage_forget(void);

/* Returns the name of a status, such as "ANYDNN_STATUS_BAD_PARAM"; never NULL. */
const char *adn_status_name(int status);

#endif
