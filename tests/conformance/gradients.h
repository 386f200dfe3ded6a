/* SPDX-License-Identifier: Apache-2.0 */
/* Compares backward operations with central differences of their forward operations, in double.
 * The formula is d<f(x), dy>/dx[i] = (<f(x + h e_i), dy> - <f(x - h e_i), dy>) / 2h, up to
 * O(h^2) and rounding / h. Inputs avoid kinks and ties. */
#ifndef TESTS_CONFORMANCE_GRADIENTS_H
#define TESTS_CONFORMANCE_GRADIENTS_H

enum draw_kind {
    REALS,
    OFF_KINKS, /* at least 0.1 from 0 and from 1, the kinks of activations */
    SPACED     /* all different by at least 0.01: no ties in a maximum */
};

/* An operand by its name in the forward problem, and the gradient to check. */
struct wanted {
    const char *role;     /* in the forward problem */
    const char *backward; /* problem text */
    const char *gradient; /* role of the gradient there */
};

struct gradient_case {
    const char *name;
    const char *forward;
    enum draw_kind kind;
    struct wanted wanted;
};

/* Runs the cases on a handle of the host, prints a TAP line per case, and returns the exit
 * status. */
int gradients_run(const struct gradient_case *cases, int count);

#endif
