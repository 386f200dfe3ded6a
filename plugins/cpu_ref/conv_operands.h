/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of floating data read their two inputs many times over. What is not float or double,
 * or is to be rounded as a math mode permits, is brought to float once a call, beforehand, in a
 * packed copy; every value of half, bfloat16, TF32, and a split sum, is one of float. */
#ifndef CPU_REF_CONV_OPERANDS_H
#define CPU_REF_CONV_OPERANDS_H

#include "conv.h"
#include "walk.h"

/* In every direction the inputs stand in the first two slots. */
#define CONV_INPUTS 2

/* How an input is brought to float. */
struct conv_copy {
    kit_row_fn convert;   /* NULL: it is read as it lies */
    struct kit_walk walk; /* over the input and its copy */
};

/* The state of a plan. `conv` has the strides of what the loops read. */
struct conv_state {
    struct conv conv;
    struct conv_copy copy[CONV_INPUTS];
};

/* Fills plan->state. */
void cpu_ref_conv_state(struct anydnn_plugin_plan *plan, const struct conv_roles *roles,
                        const struct anydnn_plugin_tensor *z);

/* The inputs of one call, in the form in which the loops read them. */
struct conv_inputs {
    const void *data[CONV_INPUTS];
    void *memory;
};

/* Makes the copies. Returns 0, or a status with a sentence at the host. */
int32_t cpu_ref_conv_open(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands,
                          struct conv_inputs *inputs);
void cpu_ref_conv_close(const struct conv_inputs *inputs);

#endif
