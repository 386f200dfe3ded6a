/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the 2-D convolutions of a suite of bench/suites, which has lines "NAME: PROBLEM". Fails and
 * allocates for onednn_direct and cudnn_direct. */
#include "direct.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_ 512

void fail(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vwarnx(format, list);
    va_end(list);
    exit(EXIT_FAILURE);
}

void *take(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (!memory)
        fail("out of memory for %zu bytes", bytes);
    return memory;
}

/* ------------------------------------------------------------------ suites */

/* Returns the text after KEY= in a problem, or NULL if it is absent. */
static const char *value_of(const char *problem, const char *key)
{
    size_t length = strlen(key);

    for (const char *word = problem; word; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (strncmp(word, key, length) == 0 && word[length] == '=')
            return word + length + 1;
    }
    return NULL;
}

/* Reads comma-separated numbers. Returns their count, which may exceed `capacity`. */
static int numbers(const char *text, int values[], int capacity)
{
    int count = 0;

    for (;;) {
        char *end;
        long value = strtol(text, &end, 10);

        if (end == text)
            return count;
        if (count < capacity)
            values[count] = (int)value;
        count++;
        if (*end != ',')
            return count;
        text = end + 1;
    }
}

/* Reads the four dims of a packed float operand. Returns 0 for anything else. */
static int dims(const char *problem, const char *role, int values[4])
{
    const char *text = value_of(problem, role);
    return text && strncmp(text, "f32:", 4) == 0 && numbers(text + 4, values, 4) == 4;
}

/* Reads a pair of numbers. `standard` replaces both if the key is absent. */
static void pair(const char *problem, const char *key, int standard, int values[2])
{
    const char *text = value_of(problem, key);

    values[0] = values[1] = standard;
    if (text && numbers(text, values, 2) != 2)
        fail("%s: %s is not a pair of numbers", problem, key);
}

/* Returns 0 if the problem is not a 2-D convolution of floats. */
static int read_layer(const char *problem, struct layer *layer)
{
    int x[4], w[4];

    if (strncmp(problem, "convolution_forward ", 20) != 0 || !dims(problem, "x", x) ||
        !dims(problem, "w", w))
        return 0;
    layer->n = x[0];
    layer->c = x[1];
    layer->h = x[2];
    layer->w = x[3];
    layer->k = w[0];
    layer->r = w[2];
    layer->s = w[3];
    if (w[1] < 1 || x[1] % w[1])
        fail("%s: the channels of w do not divide those of x", problem);
    layer->groups = x[1] / w[1];
    pair(problem, "pad", 0, layer->pad);
    pair(problem, "stride", 1, layer->stride);
    pair(problem, "dilation", 1, layer->dilation);
    return 1;
}

static int known(const struct layer *layers, int count, const struct layer *layer)
{
    const size_t name = offsetof(struct layer, n);

    for (int i = 0; i < count; i++) {
        if (memcmp((const char *)&layers[i] + name, (const char *)layer + name,
                   sizeof *layer - name) == 0)
            return 1;
    }
    return 0;
}

int suite_read(const char *path, int batch, struct layer *layers, int capacity)
{
    FILE *file = fopen(path, "r");
    char line[LINE_MAX_];
    int count = 0;

    if (!file)
        fail("%s: cannot be opened", path);
    while (fgets(line, sizeof line, file)) {
        char *problem = strstr(line, ": ");
        struct layer layer;

        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#' || !problem)
            continue;
        *problem = '\0';
        memset(&layer, 0, sizeof layer);
        snprintf(layer.name, sizeof layer.name, "%.*s", NAME_MAX_ - 1, line);
        if (!read_layer(problem + 2, &layer))
            continue;
        layer.n = batch > 0 ? batch : layer.n;
        if (known(layers, count, &layer))
            continue;
        if (count == capacity)
            fail("%s has more than %d layers", path, capacity);
        layers[count++] = layer;
    }
    fclose(file);
    if (!count)
        fail("%s does not contain 2-D convolutions of floats", path);
    return count;
}
