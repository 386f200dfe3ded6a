/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded random numbers and operand texts for the conformance tests. */
#ifndef TESTS_CONFORMANCE_DRAW_H
#define TESTS_CONFORMANCE_DRAW_H

#include <stddef.h>
#include <stdint.h>

struct draw {
    uint64_t state;
};

int draw_int(struct draw *draw, int low, int high); /* both ends included */
double draw_real(struct draw *draw);                /* of -1 to 1 */
void draw_ints(struct draw *draw, double *value, size_t count, int reach);
void draw_reals(struct draw *draw, double *value, size_t count);

enum draw_layout {
    DRAW_PACKED,
    DRAW_NHWC,
    DRAW_VIEW,     /* a sub-region of a larger packed tensor */
    DRAW_PERMUTED, /* channels outermost, gaps after every run */
    DRAW_LAYOUTS
};

/* Appends " ROLE=f64:dims:layout" to the text. */
void draw_operand(char *text, size_t size, const char *role, const int *dims, int ndims,
                  enum draw_layout layout);
/* Appends " KEY=v0,v1,..". */
void draw_list(char *text, size_t size, const char *key, const int *value, int count);

#endif
