/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the conversion of a convolution's inputs. Convolutions of floating-point data read their
 * two inputs many times. Inputs that are not float or double, or that a math mode rounds, are
 * converted to packed float copies once per call. Float represents every value of half, bfloat16
 * and TF32, and a split sum, exactly. */
#ifndef CPU_REF_CONV_OPERANDS_H
#define CPU_REF_CONV_OPERANDS_H

#include "conv.h"
#include "walk.h"

/* The inputs are in the first two slots, in every direction. */
#define CONV_INPUTS 2

/* The conversion of an input to float. */
struct conv_copy {
    kit_row_fn convert;   /* NULL if it is read in place */
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

/* The inputs of one call, in the form that the loops read. */
struct conv_inputs {
    const void *data[CONV_INPUTS];
    void *memory;
};

/* Makes the copies. Returns 0, or a status after a message to the host. */
int32_t cpu_ref_conv_open(const struct anydnn_plugin_plan *plan,
                          const struct anydnn_plugin_operands *operands,
                          struct conv_inputs *inputs);
void cpu_ref_conv_close(const struct conv_inputs *inputs);

#endif
