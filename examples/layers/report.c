/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the backends of calls. Calls with the same backend and reason share a row; reasons are
 * printed once, below the table. */
#include "report.h"

#include <stdio.h>
#include <string.h>

static void ask(anydnnHandle_t handle, const char *key, char *text, size_t size)
{
    if (anydnnGetDispatchInfo(handle, key, text, size) != ANYDNN_STATUS_SUCCESS)
        snprintf(text, size, "?");
}

static int ask_reason(struct report *report, anydnnHandle_t handle)
{
    char rule[256];
    char origin[256];
    char passed_over[500];
    char text[sizeof report->reason[0]];
    int i;

    ask(handle, "rule", rule, sizeof rule);
    ask(handle, "rule_origin", origin, sizeof origin);
    ask(handle, "passed_over", passed_over, sizeof passed_over);
    snprintf(text, sizeof text, "%s, from %s\n%s", rule, origin, passed_over);
    for (i = 0; i < report->reasons; i++)
        if (strcmp(report->reason[i], text) == 0)
            return i;
    if (i == REPORT_REASONS)
        return i - 1;
    memcpy(report->reason[i], text, sizeof text);
    report->reasons++;
    return i;
}

/* Prints a reason. Its first line is the rule. Each further line names a backend that the rule
 * lists earlier, and why it did not run. */
static void print_reason(int number, const char *text)
{
    for (int first = 1; *text != '\0'; first = 0) {
        int length = (int)strcspn(text, "\n");

        if (first)
            printf("(%d) rule %.*s\n", number, length, text);
        else
            printf("    skipped: %.*s\n", length, text);
        text += length + (text[length] != '\0');
    }
}

static void add_layer(char *layers, size_t size, const char *where)
{
    size_t used = strlen(layers);

    if (strstr(layers, where) == NULL)
        snprintf(layers + used, size - used, "%s%s", used > 0 ? " " : "", where);
}

void report_note(struct report *report, anydnnHandle_t handle, const char *where)
{
    char operation[sizeof report->row[0].operation];
    char backend[sizeof report->row[0].backend];
    char math[sizeof report->row[0].math];
    int reason = ask_reason(report, handle);
    int i;

    ask(handle, "operation", operation, sizeof operation);
    ask(handle, "backend", backend, sizeof backend);
    ask(handle, "math", math, sizeof math);
    for (i = 0; i < report->rows; i++)
        if (report->row[i].reason == reason && strcmp(report->row[i].operation, operation) == 0 &&
            strcmp(report->row[i].backend, backend) == 0 && strcmp(report->row[i].math, math) == 0)
            break;
    if (i == REPORT_ROWS)
        return;
    if (i == report->rows) {
        report->rows++;
        memcpy(report->row[i].operation, operation, sizeof operation);
        memcpy(report->row[i].backend, backend, sizeof backend);
        memcpy(report->row[i].math, math, sizeof math);
        report->row[i].reason = reason;
    }
    add_layer(report->row[i].layers, sizeof report->row[i].layers, where);
}

void report_print(const struct report *report)
{
    printf("\n%-36s  %-16s  %-16s  %-4s  %s\n", "operation", "backend", "math", "why", "for");
    for (int i = 0; i < report->rows; i++)
        printf("%-36s  %-16s  %-16s  (%d)%*s  %s\n", report->row[i].operation,
               report->row[i].backend, report->row[i].math, report->row[i].reason + 1,
               report->row[i].reason < 9 ? 1 : 0, "", report->row[i].layers);
    for (int i = 0; i < report->reasons; i++)
        print_reason(i + 1, report->reason[i]);
}
