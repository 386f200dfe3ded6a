/* SPDX-License-Identifier: Apache-2.0 */
/* Writes fields of CSV files (RFC 4180), one record per line. */
#ifndef TOOLS_CSV_H
#define TOOLS_CSV_H

#include <stdio.h>

/* Writes the text in quotes and doubles inner quotes. Line ends become blanks. */
void tool_csv_quoted(FILE *csv, const char *text);
/* Writes the text in quotes if it contains characters that need them, else unchanged. */
void tool_csv_text(FILE *csv, const char *text);

#endif
