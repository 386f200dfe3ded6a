/* SPDX-License-Identifier: Apache-2.0 */
/* What wrong elements look like: another way of rounding, no saturation, sums or operands of fewer
 * bits than the problem permits. */
#include "judge/element.h"
#include "judge/subject.h"
#include "tools/verify/checks/target.h"

#include <math.h>
#include <string.h>

static int is_integer(const struct adn_judged *element)
{
    return adn_type_digits(element->bound.type) == 0;
}

/* The number of the type next to `want` by another rule of rounding. */
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

/* S where it was not needed: the size of the result. */
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

/* Each product is off by up to twice what rounding to 11 bits, or 8, does. */
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

/* The narrower explanation comes first. */
static const struct {
    const char *check;
    const char *sentence;
    int (*fits)(const struct adn_judged *element);
} names[] = {
    {"overflow",
     "what is too large for the type becomes its largest number; it must become infinity",
     is_clamped},
    {"rounding",
     "ties are rounded away from zero; results are rounded to the nearest number, of two to the "
     "even one",
     is_ties_away},
    {"saturation", "results that are out of the type's range wrap around; they must saturate",
     is_wrapped},
    {"rounding",
     "results are truncated; they must be rounded to the nearest number, of two to the even one",
     is_truncated},
    {"subnormal", "subnormal results become 0; the type keeps them", is_flushed},
    {"precision",
     "it is right within the roundings of sums in 16 bits; sums are float's, unless the compute "
     "type is half",
     is_of_short_sums},
    {"math",
     "it is right within what rounding of the operands to TF32 does, which the math that the "
     "candidate states does not permit",
     is_of_tf32},
    {"math",
     "it is right within what rounding of the operands to bfloat16 does, which the math that the "
     "candidate states does not permit",
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
    /* Rounding operands leaves small whole numbers as they are. */
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
