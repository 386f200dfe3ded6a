/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV files (RFC 4180), a line for each record. */
#ifndef TOOLS_CSV_H
#define TOOLS_CSV_H

#include <stdio.h>

/* In quotes, those within doubled; ends of lines become blanks. */
void tool_csv_quoted(FILE *csv, const char *text);
/* The same where the text holds what must be quoted; else as it is. */
void tool_csv_text(FILE *csv, const char *text);

#endif
