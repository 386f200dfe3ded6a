/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of one sampled call with the reference. */
#ifndef ADN_SHADOW_COMPARE_H
#define ADN_SHADOW_COMPARE_H

#include "judge/subject.h"
#include "problem/problem.h"
#include "shadow/findings.h"
#include "shadow/watch.h"

/* A sampled call. */
struct adn_pass {
    struct adn_shadowed *own;
    struct adn_subject subject;
    char sentence[ADN_JUDGE_SENTENCE];
};

/* Describes a sampled call. */
void adn_pass_begin(struct adn_pass *pass, struct adn_shadowed *own,
                    const struct anydnn_plugin_operands *operands);
/* Returns 1 if the operand's content before the call must be kept. */
int adn_pass_reads(const struct adn_pass *pass, int slot);
/* Reads the numbers of operand `slot` at `bytes`. Returns 0, or -1 with the sentence. */
int adn_pass_take(struct adn_pass *pass, int slot, const unsigned char *bytes);
/* Runs the reference and compares the outputs, `got` by slot, with its results. All inputs must
 * have been taken. */
void adn_pass_judge(struct adn_pass *pass, const unsigned char *const got[ADN_SLOTS]);
/* Counts a call as skipped, and keeps the reason. */
void adn_pass_over(struct adn_shadowed *own, enum adn_count why, const char *sentence);

#endif
