/* SPDX-License-Identifier: Apache-2.0 */
/* Writes fields of CSV files. */
#include "csv.h"

#include <string.h>

void tool_csv_quoted(FILE *csv, const char *text)
{
    fputc('"', csv);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, csv);
    }
    fputc('"', csv);
}

void tool_csv_text(FILE *csv, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0')
        fputs(text, csv);
    else
        tool_csv_quoted(csv, text);
}
