/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the status of each call of the library, and notes the backend that ran it. One report at a
 * time follows the calls of one handle. */
#include "call.h"

#include <stddef.h>

#include "complain.h"

static struct report *listening;
static anydnnHandle_t heard;

void call_note(struct report *report, anydnnHandle_t handle)
{
    listening = report;
    heard = handle;
}

int call_done(anydnnStatus_t status, const char *where)
{
    if (status != ANYDNN_STATUS_SUCCESS)
        return complain_of_library(where);
    if (listening != NULL && where != NULL)
        report_note(listening, heard, where);
    return 0;
}

union call_factor call_factor(const struct element *element, double value)
{
    union call_factor factor;

    if (element->type == ANYDNN_DATA_DOUBLE)
        factor.twofold = value;
    else
        factor.single = (float)value;
    return factor;
}
