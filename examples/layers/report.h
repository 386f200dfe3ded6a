/* SPDX-License-Identifier: Apache-2.0 */
/* Reports which backend ran which operation, and why. It is collected call by call and printed as a
 * table. */
#ifndef LAYERS_REPORT_H
#define LAYERS_REPORT_H

#include <anydnn/anydnn.h>

enum { REPORT_ROWS = 64, REPORT_REASONS = 16 };

struct report {
    int rows;
    struct {
        char operation[64];
        char backend[64];
        char math[32];
        char layers[128];
        int reason;
    } row[REPORT_ROWS];
    int reasons;
    char reason[REPORT_REASONS][1024];
};

/* Notes the handle's last call, made for the layer `where`. */
void report_note(struct report *report, anydnnHandle_t handle, const char *where);
void report_print(const struct report *report);

#endif
