/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error measures and tolerances, shared with the tools: how far two results are apart, and how far
 * rounding alone may drive them. Pure functions; types are numbers of plugin.h (ANYDNN_PLUGIN_xxx),
 * vector types count as their scalars.
 */
#ifndef ADN_NUMERICS_NUMERICS_H
#define ADN_NUMERICS_NUMERICS_H

#include <stdint.h>

/* ---- types as sets of numbers (rounding.c) */

/* Bits of the significand, the hidden one included; 0 for integers. */
int adn_type_digits(int32_t type);
/* The smallest positive number: subnormal, or 1. */
double adn_type_least(int32_t type);
/* The largest and the lowest finite number. */
double adn_type_highest(int32_t type);
double adn_type_lowest(int32_t type);
/* The number of the type that `value` becomes: to nearest, ties to even; floating types overflow to
 * infinity, integers saturate and take NaN for 0. */
double adn_type_round(int32_t type, double value);
/* Distance from |value| to the next larger number of the type; 1 for integers. */
double adn_type_ulp(int32_t type, double value);
/* |got - want| in units of the last place of `want`: 0 for equal numbers and for two NaN, infinite
 * when one alone is NaN or infinite. */
double adn_ulp_distance(int32_t type, double got, double want);

/* ---- as bytes (elements.c): one scalar of the type, of vector types too */

double adn_element_load(int32_t type, const void *bytes);
/* Rounds as adn_type_round. */
void adn_element_store(int32_t type, void *bytes, double value);

/* ---- how far apart (measure.c) */

struct adn_measure {
    int64_t count;
    int64_t mismatches; /* one side alone is NaN, or infinities that differ; no part of the rest */
    int64_t worst_at;   /* position of max_abs, -1 for none */
    double max_abs;
    double max_ulp;
    double sum_abs;
    double sum_ulp;
    double error_squares;
    double want_squares;
};

void adn_measure_begin(struct adn_measure *measure);
void adn_measure_add(struct adn_measure *measure, int32_t type, double got, double want);
double adn_measure_mean_abs(const struct adn_measure *measure);
double adn_measure_mean_ulp(const struct adn_measure *measure);
/* ||got - want|| / ||want||; 0 for two zero vectors, infinite when only `want` is one. */
double adn_measure_relative_l2(const struct adn_measure *measure);

/* ---- the shape of the error (statistics.c) */

/* How often sizes from 0 on occurred. Powers of two are cut into equal steps, so that a quantile of
 * any number of values is known to one step, 1/64 of itself. */
#define ADN_SPREAD_STEPS  64
#define ADN_SPREAD_LEAST  (-32) /* smaller sizes count as 2^LEAST */
#define ADN_SPREAD_POWERS 96    /* sizes from 2^(LEAST + POWERS) on count as the largest step */

struct adn_spread {
    int64_t count;
    int64_t zeros;
    double largest;
    int64_t at[ADN_SPREAD_STEPS * ADN_SPREAD_POWERS];
};

/* All zeros is a spread of nothing. `size` is finite. */
void adn_spread_add(struct adn_spread *spread, double size);
/* The least size that `part` of the values (0 to 1) do not exceed, never below the true one and at
 * most a step above it; 0 for no values. */
double adn_spread_quantile(const struct adn_spread *spread, double part);
/* How many sizes lie from 2^power on and below 2^(power + 1), of the powers from LEAST on. */
int64_t adn_spread_power(const struct adn_spread *spread, int power);

/* Everything about one result held to what it should be. */
struct adn_statistics {
    struct adn_measure measure;
    struct adn_spread ulps;
    int64_t not_finite; /* got NaN or infinite, rightly or not */
    double sum_error;   /* of got - want */
    double sum_outward; /* of the same, counted away from 0 */
    double want_sum;    /* of |want| */
};

void adn_statistics_begin(struct adn_statistics *statistics);
/* Of integer types, and where infinity is the type's nearest number, `want` is rounded to the type
 * first; else it stays what it is, so that the rounding of the result counts as error. */
void adn_statistics_add(struct adn_statistics *statistics, int32_t type, double got, double want);
/* Sum of got - want over the sum of |want|: what stays when errors of both signs cancel. */
double adn_statistics_bias(const struct adn_statistics *statistics);
/* The same with each error counted away from 0: negative where results are too small, as truncation
 * makes them, also when their signs are mixed. */
double adn_statistics_outward(const struct adn_statistics *statistics);

/* ---- how far they may be (bound.c) */

/* A result and how it came about. */
struct adn_bound {
    int32_t type;    /* of the result */
    int32_t compute; /* of the accumulation */
    double terms;    /* length of the longest sum behind one element, K */
    double splits;   /* partial sums that were added up */
    double rounding; /* 2^-t when operands were rounded to t bits more: 0 for exact operands */
};

/*
 * The largest error that rounding explains: u |want| + (8 + 0.5 sqrt(K) + splits) eps sum + least +
 * K/2 least', with u half a unit of the result's type (for integers 1/2 and no least), eps the unit
 * of the compute type and least' its smallest number, sum = S, the sum of the absolute terms, and
 * for rounded operands 4 rounding sqrt(squares), the squares of the terms added up. In double the
 * same again, since the result that it is held to is double too.
 */
double adn_bound_error(const struct adn_bound *bound, double want, double sum, double squares);
/* 1 when `got` may stand for `want`: within the bound, or NaN for NaN, or the same infinity.
 * Integers, and numbers at the edge of overflow, must be what a value that far from `want` before
 * the store rounds to: one alone but beside a tie, and beside the number from which on infinity is
 * nearest. */
int adn_bound_holds(const struct adn_bound *bound, double got, double want, double sum,
                    double squares);
/* The largest relative L2 error of a transform algorithm (Winograd, FFT). `positions` is N P Q for
 * the gradient of a filter, else 0. */
double adn_bound_transform(int32_t type, double positions);

#endif
