/* SPDX-License-Identifier: Apache-2.0 */
/* Tests rules of the [route] sections: how they are parsed and which one wins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anydnn/plugin.h>

#include "desc/operations.h"
#include "settings/read.h"
#include "settings_fixture.h"

#define DEFAULT    ANYDNN_PLUGIN_MATH_DEFAULT
#define TENSOR_OP  ANYDNN_PLUGIN_MATH_TENSOR_OP
#define CONVERSION ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION
#define SPLIT      ANYDNN_PLUGIN_MATH_SPLIT
#define NAME_31    "b123456789012345678901234567890"

/* ---- one rule as text */

struct rule_case {
    const char *pattern;
    const char *mode;
    const char *list;
    const char *error; /* NULL if valid */
    int math, count, fallback;
};

static const struct rule_case rules[] = {
    {"*", NULL, "a", NULL, -1, 1, ADN_FALLBACK_UNSET},
    {"*", "", "a,b", NULL, -1, 2, ADN_FALLBACK_UNSET},
    {"*", "default", " a , b\t,c ", NULL, DEFAULT, 3, ADN_FALLBACK_UNSET},
    {"convolution_*", "tensor_op", "a, fallback:on", NULL, TENSOR_OP, 1, ADN_FALLBACK_ON},
    {"convolution_forward", "allow_conversion", "a, fallback:warn", NULL, CONVERSION, 1,
     ADN_FALLBACK_WARN},
    {"im2col", "split", "a,fallback:off", NULL, SPLIT, 1, ADN_FALLBACK_OFF},
    {"*", NULL, "", NULL, -1, 0, ADN_FALLBACK_UNSET},
    {"*", NULL, "   ", NULL, -1, 0, ADN_FALLBACK_UNSET},
    {"*", NULL, "fallback:off", NULL, -1, 0, ADN_FALLBACK_OFF},
    {"*", NULL, NAME_31, NULL, -1, 1, ADN_FALLBACK_UNSET},
    {"*", NULL, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", NULL, -1, 16, ADN_FALLBACK_UNSET},
    {"*", NULL, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "more than 16 backends", 0, 0, 0},
    {"*", NULL, NAME_31 "1", "is not a valid backend name (1 to 31", 0, 0, 0},
    {"*", NULL, "Cpu_ref", "`Cpu_ref` is not a valid backend name", 0, 0, 0},
    {"*", NULL, "cpu_ref cudnn",
     "`cpu_ref cudnn` is not a valid backend name (1 to 31 characters of a-z, 0-9 and _, "
     "separated by commas)",
     0, 0, 0},
    {"*", NULL, "cpu_ref # fast", "`cpu_ref # fast` is not a valid backend name", 0, 0, 0},
    {"*", NULL, "a,,b", "an empty item between commas in `a,,b`", 0, 0, 0},
    {"*", NULL, "a,", "an empty item between commas", 0, 0, 0},
    {"*", NULL, ",a", "an empty item between commas", 0, 0, 0},
    {"*", NULL, ",", "an empty item between commas", 0, 0, 0},
    {"*", NULL, "a, b, a", "backend `a` is listed twice", 0, 0, 0},
    {"*", NULL, "fallback:on, a", "`a` follows fallback:on, which must be the last word", 0, 0, 0},
    {"*", NULL, "a, fallback:on, fallback:off", "follows fallback:on", 0, 0, 0},
    {"*", NULL, "a, fallback:maybe", "`fallback:maybe`: it must be fallback:on", 0, 0, 0},
    {"*", NULL, "a, fallback:", "`fallback:`: it must be", 0, 0, 0},
    {"*", "tensorop", "a", "unknown math mode `tensorop`; did you mean `tensor_op`?", 0, 0, 0},
    {"*", "zzz", "a", "unknown math mode `zzz`", 0, 0, 0},
    {"convolution_forwrad", NULL, "a",
     "unknown operation `convolution_forwrad`; did you mean `convolution_forward`?", 0, 0, 0},
    {"Pooling_forward", NULL, "a",
     "unknown operation `Pooling_forward`; did you mean `pooling_forward`?", 0, 0, 0},
    {"convolution", NULL, "a", "unknown operation `convolution`; `convolution*` would match 5", 0,
     0, 0},
    {"conv*", NULL, "a", NULL, -1, 1, ADN_FALLBACK_UNSET},
    {"convolve*", NULL, "a", "`convolve*` matches no operation", 0, 0, 0},
    {"convolution_forward_*", NULL, "a", "matches no operation", 0, 0, 0},
    {"*_forward", NULL, "a", "a `*` must be the end", 0, 0, 0},
    {"**", NULL, "a", "a `*` must be the end", 0, 0, 0},
    {"", NULL, "a", "unknown operation ``", 0, 0, 0},
    {"convolution_forward_with_a_name_that_is_longer_than_sixty_four_bytes", NULL, "a",
     "is longer than any", 0, 0, 0},
};
#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

static void run_rule(void **state)
{
    const struct rule_case *it = *state;
    struct adn_route_rule rule, untouched;
    char error[ADN_REASON_MAX] = "";

    memset(&rule, 0x5a, sizeof(rule));
    untouched = rule;
    if (it->error != NULL) {
        assert_int_equal(
            adn_settings_rule_parse(&rule, it->pattern, it->mode, it->list, error, sizeof(error)),
            -1);
        assert_holds(error, it->error);
        assert_memory_equal(&rule, &untouched, sizeof(rule));
        return;
    }
    assert_int_equal(
        adn_settings_rule_parse(&rule, it->pattern, it->mode, it->list, error, sizeof(error)), 0);
    assert_string_equal(rule.pattern, it->pattern);
    assert_int_equal(rule.math, it->math);
    assert_int_equal(rule.count, it->count);
    assert_int_equal(rule.fallback, it->fallback);
    assert_int_equal(rule.layer, ADN_LAYER_API);
    assert_string_equal(rule.origin, "anydnnSetRoute");
    if (it->count > 1) {
        assert_string_equal(rule.backend[0], "a");
        assert_string_equal(rule.backend[1], "b");
    }
}

/* ---- which rule wins */

struct win_case {
    const char *name;
    struct given given;
    const char *operation;
    int32_t math;
    const char *expected;
};

static const struct win_case wins[] = {
    {"built-in: everything",
     {.system = NULL},
     "softmax_forward",
     DEFAULT,
     "cuda_simt cudnn cuda_naive onednn cpu_ref"},
    {"built-in: tensor_op convolution",
     {.system = NULL},
     "convolution_backward_data",
     TENSOR_OP,
     "cuda_tensorcore cudnn cuda_simt cuda_naive onednn cpu_ref"},
    {"built-in: allow_conversion convolution",
     {.system = NULL},
     "convolution_forward",
     CONVERSION,
     "cudnn cuda_tensorcore cuda_simt cuda_naive onednn cpu_ref"},
    {"built-in: allow_conversion backward filter",
     {.system = NULL},
     "convolution_backward_filter",
     CONVERSION,
     "cuda_tensorcore cudnn cuda_simt cuda_naive onednn cpu_ref"},
    {"built-in: split convolution",
     {.system = NULL},
     "convolution_bias_activation_forward",
     SPLIT,
     "cuda_tensorcore cuda_simt cuda_naive onednn cpu_ref"},
    {"built-in: default convolution",
     {.system = NULL},
     "convolution_forward",
     DEFAULT,
     "cudnn cuda_simt cuda_naive onednn cpu_ref"},
    {"built-in: default backward data",
     {.system = NULL},
     "convolution_backward_data",
     DEFAULT,
     "cuda_simt cudnn cuda_naive onednn cpu_ref"},
    {"built-in: default backward filter",
     {.system = NULL},
     "convolution_backward_filter",
     DEFAULT,
     "cuda_simt cudnn cuda_naive onednn cpu_ref"},
    {"built-in: the bias's gradient in split math",
     {.system = NULL},
     "convolution_backward_bias",
     SPLIT,
     "cuda_simt cudnn cuda_naive onednn cpu_ref"},
    {"built-in: tensor_op of another operation",
     {.system = NULL},
     "im2col",
     TENSOR_OP,
     "cuda_simt cudnn cuda_naive onednn cpu_ref"},
    {"FMA math is routed as default",
     {.system = "[route default]\n*=a\n[route]\n*=b\n"},
     "im2col",
     3,
     "a"},
    {"exact before prefix",
     {.system = "[route]\nconvolution_*=a\nconvolution_forward=b\nconvolution_f*=c\n"},
     "convolution_forward",
     DEFAULT,
     "b"},
    {"longer prefix before shorter",
     {.system = "[route]\nconvolution_f*=a\nconvolution_*=b\n*=c\n"},
     "convolution_forward",
     DEFAULT,
     "a"},
    {"shorter prefix where the longer does not match",
     {.system = "[route]\nconvolution_f*=a\nconvolution_*=b\n"},
     "convolution_backward_data",
     DEFAULT,
     "b"},
    {"prefix before *", {.system = "[route]\npool*=a\n*=b\n"}, "pooling_forward", DEFAULT, "a"},
    {"* where no prefix matches",
     {.system = "[route]\npool*=a\n*=b\n"},
     "lrn_forward",
     DEFAULT,
     "b"},
    {"a prefix that is the whole name is weaker than the name",
     {.system = "[route]\nim2col=a\nim2col*=b\n"},
     "im2col",
     DEFAULT,
     "a"},
    {"an exact name beats the mode",
     {.system = "[route tensor_op]\nconvolution_*=a\n[route]\nconvolution_forward=b\n"},
     "convolution_forward",
     TENSOR_OP,
     "b"},
    {"between equals the mode",
     {.system = "[route tensor_op]\nim2col=a\n[route]\nim2col=b\n"},
     "im2col",
     TENSOR_OP,
     "a"},
    {"between equals the mode, in the other order",
     {.system = "[route]\n*=b\n[route tensor_op]\n*=a\n"},
     "im2col",
     TENSOR_OP,
     "a"},
    {"the mode does not count for another mode",
     {.system = "[route]\n*=b\n[route tensor_op]\n*=a\n"},
     "im2col",
     SPLIT,
     "b"},
    {"[route default] counts for default",
     {.system = "[route]\n*=b\n[route default]\n*=a\n"},
     "im2col",
     DEFAULT,
     "a"},
    {"[route default] does not count for tensor_op",
     {.system = "[route]\n*=b\n[route default]\n*=a\n"},
     "im2col",
     TENSOR_OP,
     "b"},
    {"the system's * beats built-in prefixes",
     {.system = "[route]\n*=a\n"},
     "convolution_forward",
     TENSOR_OP,
     "a"},
    {"conf.d and anydnn.conf are one layer",
     {.system = "[route]\nconvolution_*=a\n", .drop = {"5.conf", "[route]\n*=b\n"}},
     "convolution_forward",
     DEFAULT,
     "a"},
    {"conf.d after anydnn.conf",
     {.system = "[route]\n*=a\n", .drop = {"5.conf", "[route]\n*=b\n"}},
     "im2col",
     DEFAULT,
     "b"},
    {"the user's * beats the system's exact name",
     {.system = "[route split]\nim2col=a\n", .user = "[route]\n*=b\n"},
     "im2col",
     SPLIT,
     "b"},
    {"ANYDNN_CONFIG beats the user",
     {.user = "[route]\nim2col=a\n", .config = "[route]\n*=b\n"},
     "im2col",
     DEFAULT,
     "b"},
    {"the environment beats ANYDNN_CONFIG",
     {.config = "[route]\nim2col=a\n", .environment = {"ANYDNN_ROUTE=b"}},
     "im2col",
     DEFAULT,
     "b"},
    {"ANYDNN_ROUTE with a fallback word",
     {.environment = {"ANYDNN_ROUTE=b, c, fallback:off"}},
     "im2col",
     SPLIT,
     "b c fallback:off"},
    {"ANYDNN_ROUTE_OPERATION beats ANYDNN_ROUTE",
     {.environment = {"ANYDNN_ROUTE_CONVOLUTION_FORWARD=a", "ANYDNN_ROUTE=b"}},
     "convolution_forward",
     DEFAULT,
     "a"},
    {"ANYDNN_ROUTE_OPERATION is for one operation",
     {.environment = {"ANYDNN_ROUTE_CONVOLUTION_FORWARD=a", "ANYDNN_ROUTE=b"}},
     "convolution_backward_data",
     DEFAULT,
     "b"},
    {"ANYDNN_ROUTE_OPERATION__MODE",
     {.environment = {"ANYDNN_ROUTE_CONVOLUTION_FORWARD__TENSOR_OP=a",
                      "ANYDNN_ROUTE_CONVOLUTION_FORWARD=b"}},
     "convolution_forward",
     TENSOR_OP,
     "a"},
    {"ANYDNN_ROUTE_OPERATION__MODE is for one mode",
     {.environment = {"ANYDNN_ROUTE_CONVOLUTION_FORWARD__TENSOR_OP=a",
                      "ANYDNN_ROUTE_CONVOLUTION_FORWARD=b"}},
     "convolution_forward",
     SPLIT,
     "b"},
    {"ANYDNN_ROUTE__MODE",
     {.environment = {"ANYDNN_ROUTE__SPLIT=a", "ANYDNN_ROUTE=b"}},
     "im2col",
     SPLIT,
     "a"},
    {"an empty list means nothing", {.system = "[route]\nim2col =\n*=a\n"}, "im2col", DEFAULT, ""},
    {"a list replaces, it does not add",
     {.system = "[route]\n*=a, b\n", .user = "[route]\n*=c\n"},
     "im2col",
     DEFAULT,
     "c"},
};
#define WIN_COUNT (sizeof(wins) / sizeof(wins[0]))

static void run_win(void **state)
{
    const struct win_case *it = *state;
    struct adn_settings *settings = fixture_load(&it->given);

    assert_string_equal(fixture_messages, "");
    assert_string_equal(fixture_route(settings, it->operation, it->math), it->expected);
    adn_settings_free(settings);
}

/* ---- a handle's own rules */

static void api_rules(void **state)
{
    struct given given = {.environment = {"ANYDNN_ROUTE_IM2COL=a"}};
    struct adn_settings *settings = fixture_load(&given);
    struct adn_route_rule extra[3];
    char error[ADN_REASON_MAX];

    (void)state;
    assert_int_equal(adn_settings_rule_parse(&extra[0], "im2col", NULL, "x", error, sizeof(error)),
                     0);
    assert_int_equal(adn_settings_rule_parse(&extra[1], "*", NULL, "y", error, sizeof(error)), 0);
    assert_int_equal(adn_settings_rule_parse(&extra[2], "*", NULL, "z", error, sizeof(error)), 0);
    assert_string_equal(adn_settings_route(settings, extra + 1, 1, "im2col", SPLIT)->backend[0],
                        "y");
    assert_string_equal(adn_settings_route(settings, extra, 3, "im2col", SPLIT)->backend[0], "x");
    assert_string_equal(adn_settings_route(settings, extra, 3, "lrn_forward", SPLIT)->backend[0],
                        "z");
    assert_string_equal(adn_settings_route(settings, extra, 1, "lrn_forward", SPLIT)->backend[0],
                        "cuda_simt");
    adn_settings_free(settings);
}

static void origins(void **state)
{
    struct given given = {.system = "[route]\n\nim2col = a\n",
                          .environment = {"ANYDNN_ROUTE_LRN_FORWARD=b"}};
    struct adn_settings *settings = fixture_load(&given);
    char origin[300];

    (void)state;
    snprintf(origin, sizeof(origin), "%s/anydnn.conf:3", fixture_folder());
    assert_string_equal(adn_settings_route(settings, NULL, 0, "im2col", DEFAULT)->origin, origin);
    assert_string_equal(adn_settings_route(settings, NULL, 0, "lrn_forward", DEFAULT)->origin,
                        "environment ANYDNN_ROUTE_LRN_FORWARD");
    assert_string_equal(adn_settings_route(settings, NULL, 0, "lrn_backward", DEFAULT)->origin,
                        "built-in");
    adn_settings_free(settings);
}

static void items_leave_out_shadowed_rules(void **state)
{
    struct given given = {.system = "[route]\nim2col = a\n",
                          .user = "[route split]\n* = b, fallback:warn\n",
                          .environment = {"ANYDNN_ROUTE__TENSOR_OP=c"}};
    struct adn_settings *settings = fixture_load(&given);
    const char *origin;

    (void)state;
    assert_string_equal(fixture_item(settings, "route", "*", NULL),
                        "cuda_simt, cudnn, cuda_naive, onednn, cpu_ref");
    assert_string_equal(fixture_item(settings, "route", "im2col", &origin), "a");
    assert_holds(origin, "anydnn.conf:2");
    assert_string_equal(fixture_item(settings, "route split", "*", &origin), "b, fallback:warn");
    assert_holds(origin, "user.conf:2");
    assert_string_equal(fixture_item(settings, "route tensor_op", "*", NULL), "c");
    assert_string_equal(fixture_item(settings, "route tensor_op", "convolution_*", &origin), "");
    assert_string_equal(fixture_item(settings, "route split", "convolution_*", &origin), "");
    assert_string_not_equal(
        fixture_item(settings, "route allow_conversion", "convolution_*", &origin), "");
    adn_settings_free(settings);
}

/* Every operation is routed in every mode, and its own name selects it in the file and the
 * environment. */
static void every_operation(void **state)
{
    static const int32_t maths[] = {DEFAULT, TENSOR_OP, CONVERSION, SPLIT};
    int count;
    const char *const *names = adn_operation_names(&count);

    (void)state;
    assert_int_equal(count, ANYDNN_PLUGIN_OPERATION_END - 1);
    for (int i = 0; i < count; i++) {
        char text[128], variable[128] = "ANYDNN_ROUTE_";
        struct given given = {.system = text, .environment = {variable}};
        struct adn_settings *settings;

        assert_int_equal(adn_operation_parse(names[i]), i + 1);
        assert_string_equal(adn_operation_name(i + 1), names[i]);
        snprintf(text, sizeof(text), "[route]\n%s = a\n", names[i]);
        for (size_t c = 0; c <= strlen(names[i]); c++)
            variable[13 + c] =
                (char)(names[i][c] >= 'a' && names[i][c] <= 'z' ? names[i][c] - 32 : names[i][c]);
        strcat(variable, "__SPLIT=b");
        settings = fixture_load(&given);
        assert_string_equal(fixture_messages, "");
        for (int m = 0; m < 4; m++)
            assert_string_equal(fixture_route(settings, names[i], maths[m]), m == 3 ? "b" : "a");
        adn_settings_free(settings);
    }
    assert_int_equal(adn_operation_parse("convolution"), -1);
    assert_string_equal(adn_operation_name(0), "?");
    assert_string_equal(adn_operation_name(ANYDNN_PLUGIN_OPERATION_END), "?");
}

#define OTHER_COUNT 4

int main(void)
{
    static char names[RULE_COUNT][128];
    struct CMUnitTest tests[RULE_COUNT + WIN_COUNT + OTHER_COUNT] = {
        cmocka_unit_test(api_rules), cmocka_unit_test(origins),
        cmocka_unit_test(items_leave_out_shadowed_rules), cmocka_unit_test(every_operation)};
    size_t count = OTHER_COUNT;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "rule [route %s] %.40s = %.40s",
                 rules[i].mode != NULL ? rules[i].mode : "", rules[i].pattern, rules[i].list);
        tests[count++] = (struct CMUnitTest){names[i], run_rule, NULL, NULL, (void *)&rules[i]};
    }
    for (size_t i = 0; i < WIN_COUNT; i++)
        tests[count++] = (struct CMUnitTest){wins[i].name, run_win, NULL, NULL, (void *)&wins[i]};
    return _cmocka_run_group_tests("settings_route", tests, count, NULL, NULL);
}
