/* SPDX-License-Identifier: Apache-2.0 */
/* Error measures and tolerances, shared with the tools: how far two results differ, and how far
 * rounding alone may change them. The functions are pure. Types are numbers of plugin.h
 * (ANYDNN_PLUGIN_xxx); a vector type counts as its scalar type. */
#ifndef ADN_NUMERICS_NUMERICS_H
#define ADN_NUMERICS_NUMERICS_H

#include <stdint.h>

/* ---- types as sets of numbers (rounding.c) */

/* Returns the bits of the significand, including the hidden one; 0 for integers. */
int adn_type_digits(int32_t type);
/* Returns the smallest positive number: the least subnormal, or 1 for integers. */
double adn_type_least(int32_t type);
/* Return the largest and the lowest finite number. */
double adn_type_highest(int32_t type);
double adn_type_lowest(int32_t type);
/* Rounds `value` to a number of the type: to nearest, ties to even. Floating types overflow to
 * infinity. Integers saturate, and NaN becomes 0. */
double adn_type_round(int32_t type, double value);
/* Returns the distance from |value| to the next larger number of the type; 1 for integers. */
double adn_type_ulp(int32_t type, double value);
/* Returns |got - want| in units of the last place of `want`. It is 0 for equal numbers and for two
 * NaN, and infinite if only one is NaN or infinite. */
double adn_ulp_distance(int32_t type, double got, double want);

/* ---- bytes (elements.c): one scalar of the type, also for vector types */

double adn_element_load(int32_t type, const void *bytes);
/* Rounds like adn_type_round. */
void adn_element_store(int32_t type, void *bytes, double value);

/* ---- differences (measure.c) */

struct adn_measure {
    int64_t count;
    int64_t mismatches; /* only one is NaN, or infinities differ; excluded from the other members */
    int64_t worst_at;   /* index of max_abs, or -1 */
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
/* Returns ||got - want|| / ||want||; 0 for two zero vectors, infinite if only `want` is zero. */
double adn_measure_relative_l2(const struct adn_measure *measure);

/* ---- distribution of the error (statistics.c) */

/* A histogram of sizes from 0 on. Each interval between powers of two has equal steps. A quantile
 * of any number of values is therefore exact to one step, 1/64 of itself. */
#define ADN_SPREAD_STEPS  64
#define ADN_SPREAD_LEAST  (-32) /* smaller sizes count as 2^LEAST */
#define ADN_SPREAD_POWERS 96    /* sizes from 2^(LEAST + POWERS) on count as the largest step */

struct adn_spread {
    int64_t count;
    int64_t zeros;
    double largest;
    int64_t at[ADN_SPREAD_STEPS * ADN_SPREAD_POWERS];
};

/* Adds a size, which must be finite. A zeroed struct is an empty histogram. */
void adn_spread_add(struct adn_spread *spread, double size);
/* Returns the least size that `part` of the values (0 to 1) do not exceed. The result is never
 * below the true value and at most one step above it; 0 for no values. */
double adn_spread_quantile(const struct adn_spread *spread, double part);
/* Counts the sizes from 2^power up to, but not including, 2^(power + 1), for powers from LEAST on.
 */
int64_t adn_spread_power(const struct adn_spread *spread, int power);

/* The statistics of one result compared with its expected values. */
struct adn_statistics {
    struct adn_measure measure;
    struct adn_spread ulps;
    int64_t not_finite; /* number of results that are NaN or infinite, correctly or not */
    double sum_error;   /* sum of got - want */
    double sum_outward; /* the same, with errors away from 0 counted as positive */
    double want_sum;    /* sum of |want| */
};

void adn_statistics_begin(struct adn_statistics *statistics);
/* Adds one element. For integer types, and if infinity is the correctly rounded result, `want` is
 * first rounded to the type. Otherwise it stays exact, so that the rounding of the result counts as
 * error. */
void adn_statistics_add(struct adn_statistics *statistics, int32_t type, double got, double want);
/* Returns the sum of got - want divided by the sum of |want|. Errors of both signs cancel in it. */
double adn_statistics_bias(const struct adn_statistics *statistics);
/* Returns the same with each error counted away from 0. It is negative if results are too small in
 * magnitude, as after truncation, even if their signs are mixed. */
double adn_statistics_outward(const struct adn_statistics *statistics);

/* ---- bounds (bound.c) */

/* A result's types and the properties of its computation. */
struct adn_bound {
    int32_t type;    /* type of the result */
    int32_t compute; /* type of the accumulation */
    double terms;    /* length of the longest sum for one element, K */
    double splits;   /* number of partial sums that were added */
    double rounding; /* 2^-t if operands were rounded to t more bits; 0 for exact operands */
};

/* Returns the largest error that rounding can cause:
 * u |want| + (8 + 0.5 sqrt(K) + splits) eps S + least + K/2 least' + 4 rounding sqrt(squares).
 * u is half a unit of the result's type, and least its smallest number; for integers u |want| is
 * 1/2 and least is 0. eps is the unit of the compute type and least' its smallest number. S is the
 * sum of the absolute terms, and squares is the sum of the squared terms. For double the bound is
 * doubled, since the expected result is double too. */
double adn_bound_error(const struct adn_bound *bound, double want, double sum, double squares);
/* Returns 1 if `got` is acceptable for `want`: within the bound, both NaN, or the same infinity.
 * Integers, and numbers at the edge of overflow, must equal a rounded value that lies within the
 * error before the store. That is a single value unless `want` is near a tie, or near the number
 * from which infinity is nearest. */
int adn_bound_holds(const struct adn_bound *bound, double got, double want, double sum,
                    double squares);
/* Returns the largest relative L2 error of a transform algorithm (Winograd, FFT). `positions` is N
 * P Q for the gradient of a filter, else 0. */
double adn_bound_transform(int32_t type, double positions);

#endif
