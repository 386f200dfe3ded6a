/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which the outputs of each operation are judged. */
#ifndef ADN_JUDGE_RULES_H
#define ADN_JUDGE_RULES_H

#include "judge/subject.h"
#include "problem/problem.h"

/* The ways in which a result may differ from that of the oracle. */
enum adn_judgement {
    ADN_JUDGE_EXACT,    /* rounded at most once, whatever the data */
    ADN_JUDGE_SUMS,     /* sums of products: S is the same problem on absolute values */
    ADN_JUDGE_SENSITIVE /* other functions: S is the change of the result under small relative
                         * changes of the inputs */
};

/* Returns 1 for states and reserves, which hold bits and no numbers. */
int adn_judge_is_bytes(const char *role);
/* Returns 1 for an output whose content has no meaning: scratch, and the reserve of batch
 * normalization without an activation. */
int adn_judge_is_idle(const struct adn_problem *problem, const char *role);
/* Sets the indices in `scale` of the factors that blend the output, or -1. */
void adn_subject_blend(const struct adn_subject *subject, int slot, int *alpha, int *beta);
/* Returns the way in which results of the problem are judged. */
enum adn_judgement adn_judge_of(const struct adn_problem *problem);
/* Returns 1 if the results are exact for whole inputs. */
int adn_judge_exact_on_integers(const struct adn_problem *problem);

/* Activations, by the numbers that problems use. */
enum {
    ADN_JUDGE_SIGMOID = 0,
    ADN_JUDGE_TANH = 2,
    ADN_JUDGE_ELU = 4,
    ADN_JUDGE_IDENTITY = 5,
    ADN_JUDGE_SWISH = 6,
    ADN_JUDGE_GELU = 1000,
    ADN_JUDGE_GELU_TANH = 1001
};

/* The activation behind a sum of products. */
struct adn_judge_activation {
    int32_t mode; /* ADN_JUDGE_IDENTITY where the operation has none */
    double coef;
};

/* Returns the activation of a fused convolution or of a matrix product. */
struct adn_judge_activation adn_judge_activation_of(const struct adn_problem *problem);
/* Returns 1 if sums of products end in a function whose last bits depend on the library: sigmoid,
 * tanh, elu, swish or GELU. */
int adn_judge_is_activated(const struct adn_problem *problem);
/* Returns the number of terms that an element of the result sums up. */
double adn_judge_terms(const struct adn_problem *problem);
/* Returns 1 for a convolution whose sums are integers of 32 bits, which wrap. */
int adn_judge_sums_wrap(const struct adn_problem *problem);

#endif
