/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which element types each operation accepts and combines: the table in
 * tests/probes/README.md, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "problem/check_problem.h"
#include "problem/problem.h"
#include "problem/text.h"
#include "sys/error.h"

#define FLOATS "f64 f32 f16 bf16"
#define EVERY  "f64 f32 f16 bf16 s8 u8 s32 s64 s8x4 u8x4 s8x32 u16 u32 u64"

/* `%s` stands for the type; 1,32 is divisible by every vector size. */
static const struct {
    const char *text;
    const char *types;
} taken[] = {
    {"convolution_forward x=%s:1,32,2,2 w=%s:32,32,1,1", FLOATS " s8 s8x4 u8x4 s8x32"},
    {"convolution_bias_activation_forward x=%s:1,32,2,2 w=%s:32,32,1,1",
     FLOATS " s8 s8x4 u8x4 s8x32"},
    {"convolution_backward_data w=%s:32,32,3,3 dy=%s:2,32,4,4 dx=%s:2,32,6,6", FLOATS},
    {"convolution_backward_filter x=%s:2,32,6,6 dy=%s:2,32,4,4 dw=%s:32,32,3,3", FLOATS},
    {"convolution_backward_bias dy=%s:2,32,5,6", FLOATS},
    {"pooling_forward x=%s:2,32,4,4 window=2,2", FLOATS " s8 s8x4 s8x32"},
    {"pooling_backward y=%s:2,32,3 x=%s:2,32,5 window=3", FLOATS},
    {"activation_forward x=%s:2,32,5", FLOATS " s8"},
    {"activation_backward y=%s:2,32,5", FLOATS},
    {"lrn_forward x=%s:2,32,5", FLOATS " s8"},
    {"lrn_backward y=%s:2,32,5", FLOATS},
    {"softmax_forward x=%s:2,32,5", FLOATS " s8"},
    {"softmax_backward y=%s:2,32,5", FLOATS},
    {"divisive_normalization_forward x=%s:2,32,5", FLOATS},
    {"divisive_normalization_backward x=%s:2,32,5", FLOATS},
    {"batch_normalization_inference x=%s:2,32,5", FLOATS " s8"},
    {"batch_normalization_training x=%s:2,32,5", FLOATS},
    {"batch_normalization_backward x=%s:2,32,5", FLOATS},
    {"dropout_forward x=%s:2,32,5", FLOATS},
    {"dropout_backward dy=%s:2,32,5", FLOATS},
    {"transform_tensor x=%s:2,32,5", FLOATS " s8 u8 s32 s8x4 u8x4 s8x32"},
    {"transform_tensor_ex x=%s:2,32,5 y=%s:2,32,5", FLOATS " s8 u8 s32 s8x4 u8x4 s8x32"},
    {"transform_filter x=%s:32,32,5 y=%s:32,32,5", FLOATS " s8 u8"},
    {"add_tensor x=%s:2,32,5", FLOATS " s8 u8 s32 s8x4 u8x4 s8x32"},
    {"op_tensor a=%s:2,32,5", FLOATS " s8"},
    {"reduce_tensor a=%s:2,32,5 c=%s:2,32,1", FLOATS " s8"},
    {"set_tensor y=%s:2,32,5", FLOATS " s8 u8 s32 s8x4 u8x4 s8x32"},
    {"scale_tensor y=%s:2,32,5", FLOATS " s8 u8 s32 s8x4 u8x4 s8x32"},
    {"im2col x=%s:2,32,5,5 window=3,2", FLOATS},
    {"spatial_grid_backward dgrid=%s:2,32,5,2", FLOATS},
    {"spatial_sampler_forward x=%s:2,32,4,4 grid=%s:2,32,5,2", FLOATS},
    {"spatial_sampler_backward x=%s:2,32,4,4 grid=%s:2,32,5,2 dy=%s:2,32,32,5", FLOATS},
    {"ctc_loss x=%s:7,32,5 labels=s32:9", FLOATS},
    {"normalization_forward x=%s:2,32,5 kind=layer axes=2", FLOATS},
    {"normalization_backward x=%s:2,32,5 kind=group groups=4", FLOATS},
    {"matmul a=%s:2,32,32 b=%s:2,32,32", FLOATS},
};

/* The pairs of types: the second list gives the outputs permitted for the first. */
static const struct {
    const char *text; /* with two `%s` */
    const char *from;
    const char *to;
} mixed[] = {
    {"transform_tensor x=%s:1,32,3 y=%s:1,32,3", "f32 f16 bf16 s8 s8x4 s8x32",
     "f32 f16 bf16 s8 s8x4 s8x32"},
    {"transform_tensor x=%s:1,32,3 y=%s:1,32,3", "u8 u8x4", "u8 u8x4"},
    {"transform_tensor x=%s:1,32,3 y=%s:1,32,3", "s32", "s32"},
    {"transform_tensor x=%s:1,32,3 y=%s:1,32,3", "f64", "f64"},
    {"transform_tensor_ex x=%s:1,32,3 y=%s:1,32,3", "f32 f16 bf16 s8 s8x4 s8x32",
     "f32 f16 bf16 s8 s8x4 s8x32"},
    {"transform_tensor_ex x=%s:1,32,3 y=%s:1,32,3", "u8 u8x4", "u8 u8x4"},
    {"transform_filter x=%s:32,32,3 y=%s:32,32,3", "f32 f16 bf16 s8", "f32 f16 bf16 s8"},
    {"transform_filter x=%s:32,32,3 y=%s:32,32,3", "u8", "u8"},
    {"op_tensor a=%s:2,32 c=%s:2,32", "f32", "f32 f16 bf16 s8"},
    {"op_tensor a=%s:2,32 c=%s:2,32", "f16", "f32 f16"},
    {"op_tensor a=%s:2,32 c=%s:2,32", "bf16", "f32 bf16"},
    {"op_tensor a=%s:2,32 c=%s:2,32", "s8", "f32 s8"},
    {"op_tensor a=%s:2,32 c=%s:2,32", "f64", "f64"},
    {"reduce_tensor a=%s:2,32,3 c=%s:2,32,1", "f32", "f32 f16 bf16 s8"},
    {"reduce_tensor a=%s:2,32,3 c=%s:2,32,1", "f16", "f32 f16"},
    {"reduce_tensor a=%s:2,32,3 c=%s:2,32,1", "bf16", "f32 bf16"},
    {"reduce_tensor a=%s:2,32,3 c=%s:2,32,1", "s8", "f32 s8"},
    {"reduce_tensor a=%s:2,32,3 c=%s:2,32,1", "f64", "f64"},
    {"matmul a=f32:3,5 b=%s:5,32 d=%s:3,32", "f32", "f32"},
    {"matmul a=f64:3,5 b=%s:5,32 d=%s:3,32", "f64", "f64"},
    {"matmul a=f16:3,5 b=%s:5,32 d=%s:3,32", "f16", "f16 f32"},
    {"matmul a=bf16:3,5 b=%s:5,32 d=%s:3,32", "bf16", "bf16 f32"},
    {"matmul a=bf16:3,5 b=bf16:5,32 d=%s:3,32 bias=%s:1,32", "bf16", "bf16 f32"},
    {"matmul a=f16:3,5 b=f16:5,32 d=%s:3,32 c=%s:3,32", "f32", "f32"},
    {"normalization_forward x=%s:2,32,5 y=%s:2,32,5 kind=rms axes=2", "f32 f16 bf16",
     "f32 f16 bf16"},
    {"normalization_forward x=%s:2,32,5 y=%s:2,32,5 kind=rms axes=2", "f64", "f64"},
    {"normalization_forward x=%s:2,32,5 scale=%s:1,32,1 kind=group", "f32 f16 bf16",
     "f32 f16 bf16"},
    {"convolution_forward x=%s:1,32,2,2 w=s8:32,32,1,1 y=%s:1,32,2,2", "s8 u8", "s8 f32"},
    {"convolution_forward x=%s:1,32,2,2 w=s8x4:32,32,1,1 y=%s:1,32,2,2", "s8x4", "s8x4 f32"},
    {"convolution_forward x=%s:1,32,2,2 w=s8x4:32,32,1,1 y=%s:1,32,2,2", "u8x4", "u8x4 s8x4 f32"},
    {"convolution_forward x=%s:1,32,2,2 w=u8x4:32,32,1,1 y=%s:1,32,2,2", "u8x4", "u8x4 f32"},
    {"convolution_bias_activation_forward x=%s:1,32,2,2 w=s8:32,32,1,1 y=%s:1,32,2,2", "s8 u8",
     "s8 f32"},
};

/* Copies the word at *list to `word`; returns 0 at the end of the list. */
static int next_word(const char **list, char *word)
{
    size_t length;

    *list += strspn(*list, " ");
    length = strcspn(*list, " ");
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length > 0;
}

static int holds_word(const char *list, const char *word)
{
    char other[8];

    while (next_word(&list, other))
        if (strcmp(other, word) == 0)
            return 1;
    return 0;
}

/* Writes the text with `first` for its first `%s` and `second` for each later one. */
static void with_types(const char *text, const char *first, const char *second, char *out)
{
    const char *type = first;

    for (; *text != '\0'; text++)
        if (strncmp(text, "%s", 2) == 0) {
            out = stpcpy(out, type);
            type = second;
            text++;
        } else {
            *out++ = *text;
        }
    *out = '\0';
}

/* Checks that the problem is accepted, or refused with a sentence that names the type. */
static void expect(const char *text, int wanted, const char *type)
{
    struct adn_problem problem;
    struct adn_values values;
    anydnnStatus_t status = adn_problem_parse(text, &problem, &values);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_problem_check(&problem, "anydnnTest");
    if ((status == ANYDNN_STATUS_SUCCESS) != wanted)
        fail_msg("%s\nanswers %d %s", text, (int)status, status ? adn_error_text() : "");
    if (!wanted && (status != ANYDNN_STATUS_NOT_SUPPORTED || !strstr(adn_error_text(), type)))
        fail_msg("%s\nanswers %d %s", text, (int)status, adn_error_text());
}

static void types_that_operations_take(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        const char *every = EVERY;
        char type[8], text[300];

        while (next_word(&every, type)) {
            with_types(taken[i].text, type, type, text);
            expect(text, holds_word(taken[i].types, type), type);
        }
    }
}

static void types_that_go_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++) {
        const char *froms = mixed[i].from;
        char from[8], to[8], text[300];

        while (next_word(&froms, from)) {
            const char *every = EVERY;

            while (next_word(&every, to)) {
                with_types(mixed[i].text, from, to, text);
                expect(text, holds_word(mixed[i].to, to), to);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_that_operations_take),
        cmocka_unit_test(types_that_go_together),
    };

    return cmocka_run_group_tests_name("problem types", tests, NULL, NULL);
}
