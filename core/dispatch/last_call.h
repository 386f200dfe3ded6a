/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch record: what the last call of a handle did, by documented keys. */
#ifndef ADN_DISPATCH_LAST_CALL_H
#define ADN_DISPATCH_LAST_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>

/* Report a key of the dispatch record as a text or as a number. */
anydnnStatus_t adn_record_text(anydnnHandle_t handle, const char *key, char *text, size_t size);
anydnnStatus_t adn_record_int(anydnnHandle_t handle, const char *key, int64_t *value);

#endif
