/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that the bit masks that entries use agree with the table of operations, and that aliases
 * are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "problem/masks.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

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

/* Returns the alias of one slot. */
static uint32_t alias_of(struct adn_slot_masks masks, uint32_t present, void *const *data, int slot)
{
    struct adn_aliases aliases = adn_aliases_of(masks, present, data);

    return adn_alias_get(&aliases, slot);
}

static int has_none(struct adn_slot_masks masks, uint32_t present, void *const *data)
{
    struct adn_aliases aliases = adn_aliases_of(masks, present, data);

    return aliases.word[0] == 0 && aliases.word[1] == 0 && aliases.word[2] == 0;
}

/* Each output is combined with each input at its address; the first of two inputs there is
 * reported. */
static void aliases_name_the_first_input(void **state)
{
    static char places[ADN_SLOTS];

    (void)state;
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++) {
        const struct adn_slot_masks masks = adn_slot_masks[operation];
        uint32_t all = masks.ins | masks.outs;

        for (int out = 0; out < ADN_SLOTS; out++)
            for (int in = 0; in < ADN_SLOTS; in++) {
                void *data[ADN_SLOTS];

                if (out == in || !(masks.outs >> out & 1) || !(masks.ins >> in & 1))
                    continue;
                for (int slot = 0; slot < ADN_SLOTS; slot++)
                    data[slot] = all >> slot & 1 ? &places[slot] : NULL;
                assert_true(has_none(masks, all, data));
                data[out] = data[in];
                assert_int_equal(alias_of(masks, all, data, out), in + 1);
                assert_int_equal(alias_of(masks, all & ~(1U << in), data, out), 0);
            }
    }
}

/* A further input at that address refers to the output in turn, unless it is an output itself. */
static void further_inputs_name_the_output(void **state)
{
    const struct adn_slot_masks masks = adn_slot_masks[ANYDNN_PLUGIN_ACTIVATION_BACKWARD];
    char one, other;
    void *three[] = {&one, &other, &one, &one};
    void *four[] = {&one, &one, &one, &one};

    (void)state;
    assert_int_equal(alias_of(masks, 0xf, three, 3), 1);
    assert_int_equal(alias_of(masks, 0xf, three, 2), 4);
    assert_int_equal(alias_of(masks, 0xf, three, 1), 0);
    assert_int_equal(alias_of(masks, 0xf, four, 1), 4);
    assert_int_equal(alias_of(masks, 0xd, four, 1), 0);
}

/* An operation may have as many operands as plugin.h permits. The last one's number as an alias
 * would need a sixth bit, so that it must not be an input or output that may have an alias. */
static void wide_operations_have_aliases(void **state)
{
    const struct adn_slot_masks masks = {.ins = 0x000fffff, .outs = 0x7ff00000};
    static char places[ADN_SLOTS];
    void *data[ADN_SLOTS];

    (void)state;
    assert_int_equal(ADN_SLOTS, 32);
    for (int out = 20; out < 31; out++)
        for (int in = 0; in < 20; in++) {
            for (int slot = 0; slot < ADN_SLOTS; slot++)
                data[slot] = &places[slot];
            assert_true(has_none(masks, 0x7fffffff, data));
            data[out] = data[in];
            assert_int_equal(alias_of(masks, 0x7fffffff, data, out), in + 1);
            data[(in + 1) % 20] = data[in];
            assert_int_equal(alias_of(masks, 0x7fffffff, data, in == 19 ? 19 : in + 1), out + 1);
        }
    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++)
        assert_int_equal((adn_slot_masks[operation].ins | adn_slot_masks[operation].outs) >> 31, 0);
}

/* A backend receives the inputs that are read, and none of the others. */
static void views_leave_out_what_is_not_read(void **state)
{
    static const struct {
        int32_t mode;
        uint8_t alias[4];
    } seen[] = {{ANYDNN_ACTIVATION_TANH, {0, 4, 0, 1}}, {ANYDNN_ACTIVATION_SWISH, {0, 0, 4, 2}}};
    struct anydnn_plugin_problem view;
    struct adn_problem problem;

    (void)state;
    adn_problem_init(&problem, ANYDNN_PLUGIN_ACTIVATION_BACKWARD);
    problem.present = 0xf;
    memcpy(problem.alias, (const uint8_t[]){0, 4, 4, 1}, 4);
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        problem.params.activation.mode = seen[i].mode;
        adn_problem_view(&problem, 0, &view);
        assert_memory_equal(view.alias, seen[i].alias, 4);
    }
    for (int32_t slot = 0; slot < 4; slot++)
        assert_int_equal(adn_problem_home(&problem, slot), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_agree_with_the_table),
        cmocka_unit_test(aliases_name_the_first_input),
        cmocka_unit_test(further_inputs_name_the_output),
        cmocka_unit_test(wide_operations_have_aliases),
        cmocka_unit_test(views_leave_out_what_is_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
