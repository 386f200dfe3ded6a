/* SPDX-License-Identifier: Apache-2.0 */
/* Draws dims of random problems of the spatial transformer and of the CTC loss. */
#include "problem/host.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "tools/verify/cases/fuzz.h"

#include <string.h>

static int64_t draw_size(struct verify_fuzz *fuzz)
{
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 6, 7, 9, 12, 17};

    return VERIFY_FUZZ_OF(fuzz, sizes);
}

static void set(struct adn_problem *problem, int slot, int32_t ndims, const int64_t *dims)
{
    struct anydnn_plugin_tensor *tensor = &problem->tensor[slot];

    tensor->struct_size = sizeof(*tensor);
    tensor->ndims = ndims;
    memcpy(tensor->dims, dims, (size_t)ndims * sizeof(dims[0]));
    if (ndims == 1)
        tensor->strides[0] = 1;
}

static void draw_spatial(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    const int64_t x[] = {1 + verify_fuzz_below(fuzz, 3), draw_size(fuzz), draw_size(fuzz),
                         draw_size(fuzz)};
    const int64_t y[] = {x[0], x[1], draw_size(fuzz), draw_size(fuzz)};

    for (int i = 0; i < info->slot_count; i++) {
        const char *role = info->slot[i].role;

        if (strstr(role, "theta") != NULL)
            set(problem, i, 3, (const int64_t[]){x[0], 2, 3});
        else if (strstr(role, "grid") != NULL)
            set(problem, i, 4, (const int64_t[]){y[0], y[2], y[3], 2});
        else
            set(problem, i, 4, strstr(role, "y") != NULL ? y : x);
    }
}

static void draw_ctc(struct verify_fuzz *fuzz)
{
    struct adn_problem *problem = &fuzz->problem;
    const int64_t x[] = {draw_size(fuzz), draw_size(fuzz), draw_size(fuzz)};
    const int64_t labels = draw_size(fuzz);

    for (int i = 0; i < 6; i++) {
        if (i == 0 || i == 5)
            set(problem, i, 3, x);
        else
            set(problem, i, 1, i == 1 ? &labels : &x[1]);
        if (adn_problem_on_host(problem, i))
            problem->tensor[i].type = ANYDNN_PLUGIN_INT32;
        else if (i == 4 && problem->tensor[0].type != ANYDNN_PLUGIN_DOUBLE)
            problem->tensor[i].type = ANYDNN_PLUGIN_FLOAT;
    }
}

int verify_fuzz_sequence(struct verify_fuzz *fuzz)
{
    switch (adn_problem_operation(fuzz->problem.operation)->family) {
    case ADN_FAMILY_SPATIAL:
        draw_spatial(fuzz);
        return 1;
    case ADN_FAMILY_CTC:
        draw_ctc(fuzz);
        return 1;
    case ADN_FAMILY_NORMALIZATION:
        verify_fuzz_normalization(fuzz);
        return 1;
    case ADN_FAMILY_MATMUL:
        verify_fuzz_matmul(fuzz);
        return 1;
    default:
        return 0;
    }
}
