/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A subject is a problem with everything that judging it takes: what its operands hold in logical
 * order, and what they should hold afterwards.
 */
#ifndef ADN_JUDGE_SUBJECT_H
#define ADN_JUDGE_SUBJECT_H

#include <stdint.h>

#include "problem/operation.h"
#include "problem/problem.h"

#define ADN_JUDGE_SENTENCE 1024

/* The kind of numbers that the inputs hold. */
enum adn_numbers {
    ADN_NUMBERS_REAL,  /* any numbers */
    ADN_NUMBERS_WHOLE, /* whole numbers up to the largest of the type */
    ADN_NUMBERS_SMALL  /* whole numbers so small that float adds them up exactly */
};

/* The data of one operand, in logical row-major order, scalar by scalar. */
struct adn_subject_slot {
    int64_t count;   /* 0 if the operand is absent */
    int compared;    /* 1 for an output whose content has a meaning afterwards */
    double *before;  /* content that the operation reads; NULL if it must not read */
    double *want;    /* right results of a compared output; NULL without an oracle */
    double *sum;     /* S of each element; NULL stands for 0 */
    double *squares; /* squares of the terms; NULL stands for 0 */
};

/* A problem with the content of its operands. */
struct adn_subject {
    struct adn_problem problem;
    struct adn_values values;
    const struct adn_operation *info;
    int data; /* the caller's number for the source of the data */
    enum adn_numbers numbers;
    int whole; /* 1 if all inputs are whole numbers, whose sums are exact */
    int exact; /* 1 if results may differ from the right ones by one rounding only */
    double terms;
    struct adn_subject_slot slot[ADN_SLOTS];
};

/* Describes the operands of a problem. The caller fills in what they hold. */
void adn_subject_begin(struct adn_subject *subject, const struct adn_problem *problem,
                       const struct adn_values *values);
/* Returns 1 if the operation depends on what the operand holds before a run. This is so for inputs
 * and for outputs that are blended with their old content. */
int adn_subject_is_read(const struct adn_subject *subject, int slot);
/* Copies the first input's content to each further input at the same address. Returns 0, or -1 with
 * a sentence. */
int adn_subject_share(struct adn_subject *subject, char *sentence);

/* Returns 1 if the operand is present. */
int adn_subject_has(const struct adn_subject *subject, int slot);
/* Returns 1 if the operation writes the operand. */
int adn_subject_is_out(const struct adn_subject *subject, int slot);
/* Returns 1 if the operand is an input. */
int adn_subject_is_in(const struct adn_subject *subject, int slot);
/* Returns the slot of the role, or -1 if that operand is absent. */
int adn_subject_lookup(const struct adn_subject *subject, const char *role);

/* Frees what the operands hold. */
void adn_subject_free(struct adn_subject *subject);
/* Writes that memory is out. Returns -1. */
int adn_judge_no_memory(char *sentence);

#endif
