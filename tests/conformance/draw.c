/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers (splitmix64, Steele, Lea and Flood 2014) and operand texts. */
#include "tests/conformance/draw.h"

#include <stdio.h>
#include <string.h>

static uint64_t next(struct draw *draw)
{
    uint64_t z = (draw->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int draw_int(struct draw *draw, int low, int high)
{
    return low + (int)(next(draw) % (uint64_t)(high - low + 1));
}

double draw_real(struct draw *draw)
{
    return (double)(next(draw) >> 11) * 0x1p-52 - 1.0;
}

void draw_ints(struct draw *draw, double *value, size_t count, int reach)
{
    for (size_t i = 0; i < count; i++)
        value[i] = draw_int(draw, -reach, reach);
}

void draw_reals(struct draw *draw, double *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        value[i] = draw_real(draw);
}

void draw_list(char *text, size_t size, const char *key, const int *value, int count)
{
    size_t used = strlen(text);

    used += (size_t)snprintf(text + used, size - used, " %s=", key);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%d" : "%d", value[i]);
}

/* Computes strides with the dimensions stored in `order`, outermost first, and `gap` unused
 * elements per run. */
static void make_strides(const int *dims, int ndims, const int *order, int gap, int *strides)
{
    int step = 1;

    for (int i = ndims - 1; i >= 0; i--) {
        strides[order[i]] = step;
        step = step * dims[order[i]] + gap + i;
    }
}

void draw_operand(char *text, size_t size, const char *role, const int *dims, int ndims,
                  enum draw_layout layout)
{
    char key[32];
    int strides[8], order[8], step = 1;
    size_t used;

    snprintf(key, sizeof(key), "%s=f64:", role);
    used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, " %s", key);
    for (int i = 0; i < ndims; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%d" : "%d", dims[i]);
    if (layout == DRAW_PACKED || layout == DRAW_NHWC) {
        snprintf(text + used, size - used, layout == DRAW_NHWC ? ":nhwc" : ":nchw");
        return;
    }
    for (int i = 0; i < ndims; i++)
        order[i] = i == 0 ? 1 : i == ndims - 1 ? 0 : ndims - i;
    make_strides(dims, ndims, order, 1, strides);
    for (int i = ndims - 1; layout == DRAW_VIEW && i >= 0; i--) {
        strides[i] = step;
        step *= dims[i] + 1 + i % 2;
    }
    for (int i = 0; i < ndims; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%d" : ":%d", strides[i]);
}
