/* SPDX-License-Identifier: Apache-2.0 */
/* The bit masks that entries fold say the same as the table of operations, and aliases are found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problem/masks.h"

static void masks_agree_with_the_table(void **state)
{
    (void)state;
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        const struct adn_operation *info = adn_problem_operation(operation);
        uint32_t ins = 0, outs = 0;

        for (int32_t slot = 0; slot < info->slot_count; slot++) {
            ins |= (info->slot[slot].flags & ADN_SLOT_IN ? 1U : 0U) << slot;
            outs |= (info->slot[slot].flags & ADN_SLOT_OUT ? 1U : 0U) << slot;
        }
        assert_int_equal(adn_slot_masks[operation].ins, ins);
        assert_int_equal(adn_slot_masks[operation].outs, outs);
    }
}

/* Each output with each input at its address, and the first of two inputs there. */
static void aliases_name_the_first_input(void **state)
{
    static char places[ADN_SLOTS];

    (void)state;
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        const struct adn_slot_masks masks = adn_slot_masks[operation];
        uint32_t all = (uint32_t)(masks.ins | masks.outs);

        for (int out = 0; out < ADN_SLOTS; out++)
            for (int in = 0; in < ADN_SLOTS; in++) {
                void *data[ADN_SLOTS];

                if (out == in || !(masks.outs >> out & 1) || !(masks.ins >> in & 1))
                    continue;
                for (int slot = 0; slot < ADN_SLOTS; slot++)
                    data[slot] = all >> slot & 1 ? &places[slot] : NULL;
                assert_true(adn_aliases_of(masks, all, data) == 0);
                data[out] = data[in];
                assert_int_equal(adn_aliases_of(masks, all, data) >> (4 * out) & 15, in + 1);
                assert_int_equal(adn_aliases_of(masks, all & ~(1U << in), data) >> (4 * out) & 15,
                                 0);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_agree_with_the_table),
        cmocka_unit_test(aliases_name_the_first_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
