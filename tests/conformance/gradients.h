/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backward operations against central differences of their forward operations, in double:
 * d<f(x), dy>/dx[i] = (<f(x + h e_i), dy> - <f(x - h e_i), dy>) / 2h up to O(h^2) and rounding / h.
 * Inputs keep away from kinks and ties.
 */
#ifndef TESTS_CONFORMANCE_GRADIENTS_H
#define TESTS_CONFORMANCE_GRADIENTS_H

enum draw_kind {
    REALS,
    OFF_KINKS, /* at least 0.1 from 0 and from 1, where activations bend */
    SPACED     /* all different, 0.01 apart at least: no ties in a maximum */
};

/* One operand by its name in the forward problem, and what is to be differentiated by. */
struct wanted {
    const char *role;     /* of the forward problem */
    const char *backward; /* problem text */
    const char *gradient; /* role of the gradient there */
};

struct gradient_case {
    const char *name;
    const char *forward;
    enum draw_kind kind;
    struct wanted wanted;
};

/* Runs the cases on a handle of the host: TAP, one line a case. The exit status. */
int gradients_run(const struct gradient_case *cases, int count);

#endif
