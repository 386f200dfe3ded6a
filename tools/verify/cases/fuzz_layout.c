/* SPDX-License-Identifier: Apache-2.0 */
/* Draws strides of random problems: packed in either order, dims in any order with gaps, and
 * meaningless strides for dims of one element. Also places outputs on inputs. */
#include "tools/verify/cases/fuzz.h"

#include <string.h>

#include "desc/layout.h"
#include "desc/operations.h"
#include "desc/shape.h"
#include "judge/rules.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

static void shuffle(struct verify_fuzz *fuzz, int32_t *order, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        order[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = verify_fuzz_below(fuzz, i + 1);
        int32_t kept = order[i];

        order[i] = order[k];
        order[k] = kept;
    }
}

static void spread(struct verify_fuzz *fuzz, struct anydnn_plugin_tensor *tensor)
{
    static const int64_t firsts[] = {1, 1, 1, 2, 3};
    int32_t order[ANYDNN_PLUGIN_DIM_MAX];
    int64_t step = VERIFY_FUZZ_OF(fuzz, firsts);
    int sorted = verify_fuzz_once_in(fuzz, 2);

    shuffle(fuzz, order, tensor->ndims);
    for (int32_t i = 0; i < tensor->ndims; i++) {
        int32_t d = sorted ? tensor->ndims - 1 - i : order[i];
        int64_t extent = adn_shape_extent(tensor, d);

        tensor->strides[d] = step;
        if (extent == 1 && verify_fuzz_once_in(fuzz, 2))
            tensor->strides[d] = 1 + verify_fuzz_below(fuzz, 100);
        else
            step = step * extent + (verify_fuzz_once_in(fuzz, 2) ? verify_fuzz_below(fuzz, 4) : 0);
    }
}

/* Returns "nchw", "nhwc" or "strided", if the backend publishes it. */
static const char *draw_layout(struct verify_fuzz *fuzz)
{
    for (int i = 0; i < 20; i++) {
        const struct verify_layout *layout =
            &verify_layouts[verify_fuzz_below(fuzz, VERIFY_LAYOUTS)];

        if (layout->bit != ANYDNN_PLUGIN_LAYOUT_VECT_C && (fuzz->published->layouts & layout->bit))
            return layout->name;
    }
    return "nchw";
}

static void lay_out(struct verify_fuzz *fuzz, struct anydnn_plugin_tensor *tensor,
                    const char *layout)
{
    if (strcmp(layout, "strided") == 0)
        spread(fuzz, tensor);
    else if (adn_type_lanes(tensor->type) > 1)
        adn_layout_set(tensor, "nchw_vect_c");
    else
        adn_layout_set(tensor, layout);
}

/* Places an output on an input if the rules permit it. */
static void try_in_place(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    struct adn_problem before = *problem;
    int out = verify_fuzz_below(fuzz, info->slot_count);
    int in = verify_fuzz_below(fuzz, info->slot_count);

    if (out <= in || !(problem->present >> out & 1) || !(problem->present >> in & 1) ||
        !(info->slot[out].flags & ADN_SLOT_OUT) || !(info->slot[in].flags & ADN_SLOT_IN))
        return;
    problem->tensor[in] = problem->tensor[out]; /* an output's elements must not overlap */
    if (problem->alias[out] == 0)
        problem->alias[out] = (uint8_t)(in + 1);
    else if (in > problem->alias[out] - 1)
        problem->alias[in] = (uint8_t)(out + 1);
    if (!verify_is_valid(problem))
        *problem = before;
}

/* Omits an input that is not read, unless it shares memory. */
static void try_without(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    uint32_t unread = adn_problem_unread(problem);

    for (int32_t i = 0; i < ADN_SLOTS; i++) {
        int shares = adn_problem_home(problem, i) != i;

        if (!(unread >> i & 1) || verify_fuzz_once_in(fuzz, 2))
            continue;
        for (int32_t k = 0; k < ADN_SLOTS; k++)
            shares |= problem->alias[k] == i + 1;
        if (shares)
            continue;
        problem->absent |= UINT32_C(1) << i;
        problem->tensor[i] = problem->tensor[adn_problem_substitute(problem, i)];
    }
}

void verify_fuzz_layout(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    const char *common = draw_layout(fuzz);
    int alike = verify_fuzz_once_in(fuzz, 2);

    for (int i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && problem->tensor[i].ndims > 1 &&
            !adn_judge_is_bytes(info->slot[i].role))
            lay_out(fuzz, &problem->tensor[i], alike ? common : draw_layout(fuzz));
    for (int i = 0; i < 4; i++)
        try_in_place(fuzz);
    try_without(fuzz);
}
