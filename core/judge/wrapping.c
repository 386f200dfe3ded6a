/* SPDX-License-Identifier: Apache-2.0 */
/* Runs convolutions of integers. The oracle sums in double, and this file wraps the sums to 32
 * bits. The rest of the fused operation runs on the oracle again, with a depthwise 1x1 filter of
 * ones in place of w. */
#include "judge/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "desc/shape.h"
#include "judge/subject.h"

static double wrapped(double sum)
{
    double rest = fmod(sum, 0x1p32);

    return rest >= 0x1p31 ? rest - 0x1p32 : rest < -0x1p31 ? rest + 0x1p32 : rest;
}

static void wrap_all(double *sums, int64_t count, double factor)
{
    for (int64_t i = 0; i < count; i++)
        sums[i] = factor * wrapped(sums[i]);
}

#define PLAIN(name) slot_convolution_forward_##name
#define FUSED(name) slot_convolution_bias_activation_forward_##name

static int run_sums(struct adn_oracle *oracle, const struct adn_problem *fused,
                    double *const in[ADN_SLOTS], double *sums, char *sentence)
{
    struct adn_problem plain;
    struct adn_values values;
    double *out[ADN_SLOTS] = {[PLAIN(y)] = sums};
    double *inputs[ADN_SLOTS] = {[PLAIN(x)] = in[FUSED(x)], [PLAIN(w)] = in[FUSED(w)]};

    adn_problem_init(&plain, ANYDNN_PLUGIN_CONVOLUTION_FORWARD);
    adn_values_init(&values, plain.operation);
    plain.params = fused->params;
    plain.params.convolution.activation = 0;
    plain.params.convolution.coef = 0;
    plain.tensor[PLAIN(x)] = fused->tensor[FUSED(x)];
    plain.tensor[PLAIN(w)] = fused->tensor[FUSED(w)];
    plain.tensor[PLAIN(y)] = fused->tensor[FUSED(y)];
    plain.present = 1 << PLAIN(x) | 1 << PLAIN(w) | 1 << PLAIN(y);
    return adn_oracle_run(oracle, &plain, &values, inputs, out, sentence);
}

/* Applies bias, z and activation to sums that have their factor already. */
static int run_rest(struct adn_oracle *oracle, const struct adn_problem *fused,
                    const struct adn_values *values, double *const in[ADN_SLOTS], double *sums,
                    double *const out[ADN_SLOTS], char *sentence)
{
    struct adn_problem rest = *fused;
    struct adn_values factors = *values;
    struct anydnn_plugin_convolution *params = &rest.params.convolution;
    int64_t channels = fused->tensor[FUSED(y)].dims[1];
    double *ones = reallocarray(NULL, (size_t)channels, sizeof(double));
    double *inputs[ADN_SLOTS] = {[FUSED(x)] = sums,
                                 [FUSED(w)] = ones,
                                 [FUSED(z)] = in[FUSED(z)],
                                 [FUSED(bias)] = in[FUSED(bias)]};
    int result;

    if (ones == NULL)
        return adn_judge_no_memory(sentence);
    for (int64_t i = 0; i < channels; i++)
        ones[i] = 1;
    for (int i = 0; i < params->spatial_dims; i++) {
        params->pad[i] = 0;
        params->stride[i] = params->dilation[i] = 1;
        rest.tensor[FUSED(w)].dims[i + 2] = 1;
    }
    params->groups = channels;
    rest.tensor[FUSED(x)] = fused->tensor[FUSED(y)];
    rest.tensor[FUSED(w)].dims[0] = channels;
    rest.tensor[FUSED(w)].dims[1] = 1;
    factors.scale[0] = 1;
    result = adn_oracle_run(oracle, &rest, &factors, inputs, out, sentence);
    free(ones);
    return result;
}

int adn_oracle_run_wrapping(struct adn_oracle *oracle, const struct adn_problem *problem,
                            const struct adn_values *values, double *const in[ADN_SLOTS],
                            double *const out[ADN_SLOTS], char *sentence)
{
    int64_t count = adn_shape_elements(&problem->tensor[PLAIN(y)]);
    double *sums;
    int result;

    if (problem->operation != ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD) {
        result = adn_oracle_run(oracle, problem, values, in, out, sentence);
        if (result == 0)
            wrap_all(out[PLAIN(y)], count, 1);
        return result;
    }
    count = adn_shape_elements(&problem->tensor[FUSED(y)]);
    sums = reallocarray(NULL, (size_t)count, sizeof(double));
    if (sums == NULL)
        return adn_judge_no_memory(sentence);
    result = run_sums(oracle, problem, in, sums, sentence);
    if (result == 0) {
        wrap_all(sums, count, values->scale[0]);
        result = run_rest(oracle, problem, values, in, sums, out, sentence);
    }
    free(sums);
    return result;
}
