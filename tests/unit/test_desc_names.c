/* SPDX-License-Identifier: Apache-2.0 */
/* Tests names of types and math modes in both directions, and the nearest-name search. */
#include "tests/unit/desc_fixture.h"

#include "desc/names.h"

#include <anydnn/plugin.h>

/* Returns the bytes of a word and its space in a list. Fails if the list lacks the word. */
static size_t listed_bytes(const char *list, const char *word)
{
    char spaced[200], wanted[20];

    snprintf(spaced, sizeof(spaced), " %s ", list);
    snprintf(wanted, sizeof(wanted), " %s ", word);
    assert_non_null(strstr(spaced, wanted));
    return strlen(word) + 1;
}

static void types_there_and_back(void **state)
{
    static const struct {
        int32_t type;
        const char *name;
        int size;
        int lanes;
    } cases[] = {{ANYDNN_PLUGIN_FLOAT, "f32", 4, 1},       {ANYDNN_PLUGIN_DOUBLE, "f64", 8, 1},
                 {ANYDNN_PLUGIN_HALF, "f16", 2, 1},        {ANYDNN_PLUGIN_BFLOAT16, "bf16", 2, 1},
                 {ANYDNN_PLUGIN_INT8, "s8", 1, 1},         {ANYDNN_PLUGIN_UINT8, "u8", 1, 1},
                 {ANYDNN_PLUGIN_INT32, "s32", 4, 1},       {ANYDNN_PLUGIN_INT64, "s64", 8, 1},
                 {ANYDNN_PLUGIN_INT8X4, "s8x4", 4, 4},     {ANYDNN_PLUGIN_UINT8X4, "u8x4", 4, 4},
                 {ANYDNN_PLUGIN_INT8X32, "s8x32", 32, 32}, {ANYDNN_PLUGIN_UINT16, "u16", 2, 1},
                 {ANYDNN_PLUGIN_UINT32, "u32", 4, 1},      {ANYDNN_PLUGIN_UINT64, "u64", 8, 1}};
    size_t listed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(adn_type_name(cases[i].type), cases[i].name);
        assert_int_equal(adn_type_parse(cases[i].name), cases[i].type);
        assert_int_equal(adn_type_size(cases[i].type), cases[i].size);
        assert_int_equal(adn_type_lanes(cases[i].type), cases[i].lanes);
        listed += listed_bytes(ADN_TYPE_NAMES, cases[i].name);
    }
    assert_int_equal(listed, strlen(ADN_TYPE_NAMES) + 1);
}

static void types_that_are_none(void **state)
{
    static const int32_t none[] = {-1, 11, 12, 13, 999, 1003, INT32_MAX, INT32_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_string_equal(adn_type_name(none[i]), "?");
        assert_int_equal(adn_type_size(none[i]), 0);
        assert_int_equal(adn_type_lanes(none[i]), 1);
    }
    assert_int_equal(adn_type_parse("f8"), -1);
    assert_int_equal(adn_type_parse(""), -1);
}

static void maths_there_and_back(void **state)
{
    static const struct {
        int32_t math;
        const char *name;
    } cases[] = {{ANYDNN_PLUGIN_MATH_DEFAULT, "default"},
                 {ANYDNN_PLUGIN_MATH_TENSOR_OP, "tensor_op"},
                 {ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, "allow_conversion"},
                 {ANYDNN_PLUGIN_MATH_SPLIT, "split"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(adn_math_name(cases[i].math), cases[i].name);
        assert_int_equal(adn_math_parse(cases[i].name), cases[i].math);
    }
    assert_string_equal(adn_math_name(ANYDNN_FMA_MATH), "default");
    assert_string_equal(adn_math_name(4), "?");
    assert_int_equal(adn_math_parse("tf32"), -1);
}

static void nearest(void **state)
{
    static const char *const names[] = {"fallback", "staging", "device", "log", "log_file"};
    static const struct {
        const char *name;
        const char *answer;
    } cases[] = {{"falback", "fallback"},
                 {"fallbcak", "fallback"},
                 {"staging", "staging"},
                 {"devise", "device"},
                 {"lgo", "log"},
                 {"logfile", "log_file"},
                 {"loop", NULL},
                 {"x", NULL},
                 {"", NULL},
                 {"fallforward", NULL},
                 {"fbllbacc", "fallback"}};
    char longer[200];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *answer = adn_name_nearest(cases[i].name, names, 5);

        if (cases[i].answer)
            assert_string_equal(answer, cases[i].answer);
        else
            assert_null(answer);
    }
    memset(longer, 'a', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    assert_null(adn_name_nearest(longer, names, 5));
    assert_null(adn_name_nearest("log", names, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_there_and_back), cmocka_unit_test(types_that_are_none),
        cmocka_unit_test(maths_there_and_back), cmocka_unit_test(nearest)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
