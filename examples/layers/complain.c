/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the sentence that describes a failure on standard error. */
#include "complain.h"

#include <anydnn/anydnn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *program = "example";

void complain_as(const char *name)
{
    program = name;
}

int complain(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return -1;
}

int complain_of_library(const char *where)
{
    char text[1024];
    const char *stop;

    anydnnGetLastErrorString(text, sizeof text);
    stop = text[0] != '\0' && strchr(".?", text[strlen(text) - 1]) != NULL ? "" : ".";
    return where != NULL ? complain("%s: %s%s", where, text, stop) : complain("%s%s", text, stop);
}
