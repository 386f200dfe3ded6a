/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error: a status always comes with a sentence that names argument, value and
 * rule. */
#ifndef ADN_SYS_ERROR_H
#define ADN_SYS_ERROR_H

#include <anydnn/anydnn.h>

/* Long enough for a reason of every backend of a route. */
#define ADN_ERROR_MAX 2048

/* Sets the thread's sentence and returns `status`. */
anydnnStatus_t adn_fail(anydnnStatus_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

const char *adn_error_text(void);
void adn_error_clear(void);

/* The name of a status, "ANYDNN_STATUS_BAD_PARAM"; never NULL. */
const char *adn_status_name(int status);

#endif
