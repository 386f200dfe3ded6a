/* SPDX-License-Identifier: Apache-2.0 */
/* Names what wrong elements have in common: another rounding rule, no saturation, or sums or
 * operands with fewer bits than the problem permits. */
#include "judge/element.h"
#include "judge/subject.h"
#include "tools/verify/checks/target.h"

#include <math.h>
#include <string.h>

static int is_integer(const struct adn_judged *element)
{
    return adn_type_digits(element->bound.type) == 0;
}

/* Returns the number of the type that another rounding rule gives for `want`. */
static double by_rule(const struct adn_judged *element, double (*rule)(double))
{
    int32_t type = element->bound.type;
    double unit = adn_type_ulp(type, element->want);

    return adn_type_round(type, isfinite(element->want) ? rule(element->want / unit) * unit
                                                        : element->want);
}

static int is_ties_away(const struct adn_judged *element)
{
    return element->got == by_rule(element, round);
}

static int is_truncated(const struct adn_judged *element)
{
    return element->got == by_rule(element, trunc);
}

static int is_wrapped(const struct adn_judged *element)
{
    double low = adn_type_lowest(element->bound.type);
    double span = adn_type_highest(element->bound.type) - low + 1;
    double whole = rint(element->want);

    return is_integer(element) && element->got == whole - span * floor((whole - low) / span);
}

static int is_clamped(const struct adn_judged *element)
{
    return !is_integer(element) && isinf(adn_type_round(element->bound.type, element->want)) &&
           !isinf(element->want) &&
           element->got == copysign(adn_type_highest(element->bound.type), element->want);
}

static int is_flushed(const struct adn_judged *element)
{
    double normal =
        ldexp(adn_type_least(element->bound.type), adn_type_digits(element->bound.type) - 1);

    return !is_integer(element) && element->got == 0 && fabs(element->want) < normal;
}

/* Returns S. If it was not computed, the size of the result replaces it. */
static double sum_of(const struct adn_judged *element)
{
    return element->sum > 0 ? element->sum : fabs(element->want);
}

static int is_of_short_sums(const struct adn_judged *element)
{
    struct adn_bound bound = element->bound;

    bound.compute = bound.type;
    return !is_integer(element) && adn_type_digits(bound.type) < 24 &&
           adn_bound_holds(&bound, element->got, element->want, sum_of(element), 0);
}

/* Returns 1 if the error fits rounded operands. Each product is off by up to twice the rounding to
 * 11 bits, or 8. */
static int is_of_rounded(const struct adn_judged *element, double rounding)
{
    return isfinite(element->want) &&
           fabs(element->got - element->want) <=
               adn_bound_error(&element->bound, element->want, element->sum, 0) +
                   2 * rounding * element->sum;
}

static int is_of_tf32(const struct adn_judged *element)
{
    return is_of_rounded(element, 0x1p-11);
}

static int is_of_bfloat16(const struct adn_judged *element)
{
    return is_of_rounded(element, 0x1p-8);
}

/* The explanations, the most specific first. */
static const struct {
    const char *check;
    const char *sentence;
    int (*fits)(const struct adn_judged *element);
} names[] = {
    {"overflow",
     "results too large for the type become its largest number; they must become infinity",
     is_clamped},
    {"rounding",
     "ties are rounded away from zero; results must be rounded to nearest, ties to even",
     is_ties_away},
    {"saturation", "results out of the type's range wrap around; they must saturate", is_wrapped},
    {"rounding", "results are truncated; they must be rounded to nearest, ties to even",
     is_truncated},
    {"subnormal", "it flushes subnormals: subnormal results are flushed to 0; they must be kept",
     is_flushed},
    {"precision",
     "the error is that of sums in 16 bits; sums must be in float unless the compute type is half",
     is_of_short_sums},
    {"math",
     "the error is that of operands rounded to TF32, which the candidate's math mode does not "
     "permit",
     is_of_tf32},
    {"math",
     "the error is that of operands rounded to bfloat16, which the candidate's math mode does not "
     "permit",
     is_of_bfloat16},
};

#define NAMES (sizeof(names) / sizeof(names[0]))

struct naming {
    int fits[NAMES];
};

static void take_element(void *cookie, const struct adn_judged *element)
{
    struct naming *naming = cookie;

    for (size_t i = 0; i < NAMES && !element->right; i++)
        naming->fits[i] = naming->fits[i] && names[i].fits(element);
}

const char *verify_name_of_wrong(const struct verify_run *run, const struct adn_subject *subject,
                                 const char **sentence)
{
    struct naming naming;

    if (run->candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM)
        return NULL;
    /* Small integers remain exact when operands are rounded. */
    for (size_t i = 0; i < NAMES; i++)
        naming.fits[i] = !subject->whole || strcmp(names[i].check, "math") != 0;
    for (int i = 0; i < subject->info->slot_count; i++)
        if (adn_subject_has(subject, i) && subject->slot[i].compared &&
            subject->slot[i].want != NULL)
            verify_each_element(run, subject, i, take_element, &naming);
    for (size_t i = 0; i < NAMES; i++)
        if (naming.fits[i]) {
            *sentence = names[i].sentence;
            return names[i].check;
        }
    return NULL;
}
