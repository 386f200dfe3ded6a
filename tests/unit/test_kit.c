/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the kit for backends: complete copies of structures from older and newer hosts,
 * refusals, offers, names, settings and publishing. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "desc/operations.h"
#include "plugins/kit/philox.h"
#include "plugins/kit/problem.h"
#include "plugins/kit/walk.h"
#include "problem/operation.h"

#define TRAINING ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING

/* ------------------------------------------------------------------ a host */

static char said[1000];
static const char *setting;
static int has_memory = 1;

static const char *answer_setting(const struct anydnn_plugin_host *host, const char *key)
{
    (void)host;
    (void)key;
    return setting;
}

static void set_error(const struct anydnn_plugin_host *host, const char *text)
{
    (void)host;
    snprintf(said, sizeof said, "%s", text);
}

static void *give(size_t bytes)
{
    void *memory = has_memory ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;

    if (memory)
        memset(memory, 0x5a, bytes);
    return memory;
}

static const struct anydnn_plugin_host host = {
    .struct_size = sizeof host,
    .setting = answer_setting,
    .set_error = set_error,
    .alloc = give,
    .free = free,
};

static int begin(void **state)
{
    static struct anydnn_plugin description = {.struct_size = sizeof description, .name = "mine"};

    (void)state;
    kit_begin(&host, &description);
    return 0;
}

/* ------------------------------------------------------------------ copies */

static void copies_are_whole(void **state)
{
    struct anydnn_plugin_tensor x = {.struct_size = sizeof x, .ndims = 2, .dims = {3, 4}}, y = x;
    struct anydnn_plugin_activation params = {
        .struct_size = sizeof params, .mode = ANYDNN_PLUGIN_ACTIVATION_ELU, .coef = 2};
    struct anydnn_plugin_problem problem = {.struct_size = sizeof problem,
                                            .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
                                            .math = ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                            .present = 3,
                                            .tensor = {&x, &y},
                                            .params = &params};
    struct anydnn_plugin_problem copy;
    struct kit_copies copies;

    (void)state;
    kit_copy_problem(&copy, &copies, &problem);
    memset(&params, 0x77, sizeof params);
    memset(&x, 0x77, sizeof x);
    assert_int_equal(copy.math, ANYDNN_PLUGIN_MATH_TENSOR_OP);
    assert_ptr_equal(copy.tensor[0], &copies.tensor[0]);
    assert_ptr_equal(copy.tensor[1], &copies.tensor[1]);
    assert_int_equal(copy.tensor[0]->dims[1], 4);
    assert_ptr_equal(copy.params, &copies.params);
    assert_int_equal(copies.params.activation.mode, ANYDNN_PLUGIN_ACTIVATION_ELU);
    assert_true(copies.params.activation.coef == 2);
}

/* A slot without its bit, and one with the bit but no tensor, are cleared. */
static void absent_operands_are_absent(void **state)
{
    struct anydnn_plugin_tensor x = {.struct_size = sizeof x, .ndims = 1};
    struct anydnn_plugin_problem problem = {.struct_size = sizeof problem,
                                            .operation = ANYDNN_PLUGIN_ADD_TENSOR,
                                            .present = 5,
                                            .tensor = {&x, &x},
                                            .params = &x};
    struct anydnn_plugin_problem copy;
    struct kit_copies copies;

    (void)state;
    kit_copy_problem(&copy, &copies, &problem);
    assert_int_equal(copy.present, 1);
    assert_null(copy.tensor[1]);
    assert_null(copy.tensor[2]);
    assert_null(copy.params); /* the operation has no parameters */
}

/* Structures of an older host are shorter, those of a newer one longer. */
static void sizes_are_heeded(void **state)
{
    struct {
        struct anydnn_plugin_tensor known;
        int64_t beyond;
    } longer = {.known = {.struct_size = sizeof longer, .ndims = 8}, .beyond = -1};
    struct anydnn_plugin_convolution params = {
        .struct_size = offsetof(struct anydnn_plugin_convolution, activation), .activation = 5};
    struct anydnn_plugin_problem problem = {
        .struct_size = offsetof(struct anydnn_plugin_problem, extension),
        .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
        .present = 1,
        .tensor = {&longer.known},
        .params = &params,
        .extension = (const struct anydnn_plugin_extension *)&params};
    struct anydnn_plugin_operands operands = {
        .struct_size = offsetof(struct anydnn_plugin_operands, workspace), .workspace = &longer};
    struct anydnn_plugin_operands whole;
    struct anydnn_plugin_problem copy;
    struct kit_copies copies;

    (void)state;
    memset(&whole, 0x77, sizeof whole);
    kit_copy_problem(&copy, &copies, &problem);
    assert_null(copy.extension);
    assert_int_equal(copy.struct_size, sizeof copy);
    assert_int_equal(copies.tensor[0].ndims, 8);
    assert_int_equal(copies.tensor[0].struct_size, sizeof copies.tensor[0]);
    assert_int_equal(copies.params.convolution.activation, 0);
    assert_ptr_equal(kit_whole_operands(&operands, &whole), &whole);
    assert_null(whole.workspace);
    operands.struct_size = sizeof operands + 8;
    assert_ptr_equal(kit_whole_operands(&operands, &whole), &operands);
}

static void extensions_are_looked_at(void **state)
{
    struct anydnn_plugin_extension second = {
        .struct_size = sizeof second, .kind = 77, .must_understand = 1};
    struct anydnn_plugin_extension first = {
        .struct_size = sizeof first, .kind = 3, .next = &second};
    struct anydnn_plugin_problem problem = {.struct_size = sizeof problem, .extension = &first};
    struct kit_refusal why;

    (void)state;
    assert_int_equal(kit_check_extensions(&problem, &why), ANYDNN_PLUGIN_REASON_EXTENSION);
    assert_int_equal(why.reason, ANYDNN_PLUGIN_REASON_EXTENSION);
    assert_string_equal(why.sentence, "mine does not support the required extension of kind 77");
    second.must_understand = 0;
    assert_int_equal(kit_check_extensions(&problem, &why), 0);
}

/* ------------------------------------------------------------------ offers */

struct heard {
    int32_t count, enough_at;
    int32_t reason[16], algorithm[16];
    uint64_t engine[16];
    char sentence[800];
};

static int32_t hear(void *cookie, const struct anydnn_plugin_candidate *candidate)
{
    struct heard *heard = cookie;

    assert_int_equal(candidate->struct_size, sizeof *candidate);
    heard->reason[heard->count] = candidate->reason;
    heard->algorithm[heard->count] = candidate->algorithm;
    heard->engine[heard->count] = candidate->engine;
    if (candidate->sentence)
        snprintf(heard->sentence, sizeof heard->sentence, "%s", candidate->sentence);
    return ++heard->count == heard->enough_at;
}

static void refusals_are_offered(void **state)
{
    struct heard heard = {0};
    struct kit_refusal why;

    (void)state;
    assert_int_equal(kit_refuse(&why, ANYDNN_PLUGIN_REASON_SHAPE, "%d dims", 9),
                     ANYDNN_PLUGIN_REASON_SHAPE);
    kit_offer_refusal(&why, hear, &heard);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.reason[0], ANYDNN_PLUGIN_REASON_SHAPE);
    assert_int_equal(heard.algorithm[0], ANYDNN_PLUGIN_ALGORITHM_NONE);
    assert_string_equal(heard.sentence, "9 dims");
}

static void offers_go_by_algorithm(void **state)
{
    /* Among the numbers 0, 1 and 3, number 1 comes first; engine 12 is the best without
     * workspace. */
    static const int32_t algorithms[] = {1, 1, 1, 1, 0, 0, 3, 3};
    static const uint64_t engines[] = {10, 11, 12, 13, 10, 12, 10, 12};
    struct anydnn_plugin_candidate candidates[] = {{.engine = 10, .workspace = 8},
                                                   {.engine = 11, .workspace = 4},
                                                   {.engine = 12},
                                                   {.engine = 13}};
    struct heard heard = {0}, plain = {0}, enough = {.enough_at = 5};

    (void)state;
    kit_offer(candidates, 4, 0xb, 1, hear, &heard);
    assert_int_equal(heard.count, 8);
    for (int i = 0; i < heard.count; i++) {
        assert_int_equal(heard.algorithm[i], algorithms[i]);
        assert_int_equal(heard.engine[i], engines[i]);
    }
    kit_offer(candidates, 4, 0, 0, hear, &plain);
    assert_int_equal(plain.count, 4);
    assert_int_equal(plain.algorithm[3], ANYDNN_PLUGIN_ALGORITHM_NONE);
    kit_offer(candidates, 4, 0xb, 1, hear, &enough);
    assert_int_equal(enough.count, 5);
}

/* ------------------------------------------------------------------ iteration */

#define PLACES 400

/* The positions that rows touch, in order, for each tensor, counted in elements of one byte. */
struct visits {
    const char *base;
    int32_t tensors;
    int64_t count, rows;
    int64_t place[2][PLACES];
};

static void visit(void *arg, void *const place[], const int64_t stride[], int64_t n)
{
    struct visits *visits = arg;

    visits->rows++;
    for (int64_t i = 0; i < n; i++, visits->count++)
        for (int32_t t = 0; t < visits->tensors; t++)
            visits->place[t][visits->count] = (const char *)place[t] - visits->base + i * stride[t];
}

static void walk_by(struct visits *visits, const struct kit_walk *walk, int64_t begin, int64_t end)
{
    static char memory[2 * PLACES], *base = memory + PLACES;
    void *const data[] = {base, base};

    *visits = (struct visits){.base = base, .tensors = walk->tensors};
    kit_walk_range(walk, data, begin, end, visit, visits);
    assert_int_equal(visits->count, end - begin);
}

/* The elements (i, j, k) of a 2 x 3 x 4 tensor are visited in logical order, with a second
 * tensor broadcast along j. */
static void logical_walks_count_as_tuples(void **state)
{
    const struct anydnn_plugin_tensor a = {
        .type = ANYDNN_PLUGIN_INT8, .ndims = 3, .dims = {2, 1, 4}, .strides = {1, 77, 3}};
    const struct anydnn_plugin_tensor b = {
        .type = ANYDNN_PLUGIN_INT8, .ndims = 3, .dims = {2, 3, 4}, .strides = {5, 11, 40}};
    struct visits visits, part;
    struct kit_walk walk;

    (void)state;
    kit_walk_make(&walk, (const struct anydnn_plugin_tensor *const[]){&a, &b}, 2, 1, KIT_WALK_ALL,
                  KIT_WALK_LOGICAL);
    walk_by(&visits, &walk, 0, 24);
    for (int64_t n = 0; n < 24; n++) {
        assert_int_equal(visits.place[0][n], n / 12 + n % 4 * 3);
        assert_int_equal(visits.place[1][n], n / 12 * 5 + n / 4 % 3 * 11 + n % 4 * 40);
    }
    walk_by(&part, &walk, 7, 18);
    assert_memory_equal(part.place[1], &visits.place[1][7], 11 * sizeof part.place[1][0]);
}

/* A packed channels-last tensor is one row in any order of its dims. Beside a tensor in rows it
 * is the leader, so its positions come in order. */
static void sorted_walks_merge_what_is_packed(void **state)
{
    const struct anydnn_plugin_tensor last = {
        .type = ANYDNN_PLUGIN_UINT8, .ndims = 4, .dims = {2, 3, 4, 5}, .strides = {60, 1, 15, 3}};
    const struct anydnn_plugin_tensor first = {
        .type = ANYDNN_PLUGIN_UINT8, .ndims = 4, .dims = {2, 3, 4, 5}, .strides = {60, 20, 5, 1}};
    struct visits visits;
    struct kit_walk walk;

    (void)state;
    kit_walk_make(&walk, (const struct anydnn_plugin_tensor *const[]){&last, &last}, 2, 1,
                  KIT_WALK_ALL, KIT_WALK_SORTED);
    walk_by(&visits, &walk, 0, 120);
    assert_int_equal(visits.rows, 1);
    kit_walk_make(&walk, (const struct anydnn_plugin_tensor *const[]){&first, &last}, 2, 1,
                  KIT_WALK_ALL, KIT_WALK_SORTED);
    walk_by(&visits, &walk, 0, 120);
    for (int64_t n = 0; n < 120; n++) {
        assert_int_equal(visits.place[1][n], n);
        assert_int_equal(visits.place[0][n], n / 60 * 60 + n % 3 * 20 + n / 3 % 20);
    }
    kit_walk_make(&walk, (const struct anydnn_plugin_tensor *const[]){&first}, 1, 0, 2u,
                  KIT_WALK_SORTED);
    walk_by(&visits, &walk, 0, 3);
    assert_int_equal(visits.place[0][2], 40);
}

/* Channel c of a vector tensor is at vector c / lanes, lane c % lanes. */
static void walks_take_vectors_apart(void **state)
{
    const struct anydnn_plugin_tensor of_4 = {
        .type = ANYDNN_PLUGIN_INT8X4, .ndims = 3, .dims = {1, 64, 2}, .strides = {32, 2, 1}};
    const struct anydnn_plugin_tensor of_32 = {
        .type = ANYDNN_PLUGIN_INT8X32, .ndims = 3, .dims = {1, 64, 2}, .strides = {4, 2, 1}};
    struct visits visits;
    struct kit_walk walk;

    (void)state;
    kit_walk_make(&walk, (const struct anydnn_plugin_tensor *const[]){&of_4, &of_32}, 2, 1,
                  KIT_WALK_ALL, KIT_WALK_LOGICAL);
    walk_by(&visits, &walk, 0, 128);
    for (int64_t n = 0; n < 128; n++) {
        int64_t c = n / 2, w = n % 2;

        assert_int_equal(visits.place[0][n], (c / 4 * 2 + w) * 4 + c % 4);
        assert_int_equal(visits.place[1][n], (c / 32 * 2 + w) * 32 + c % 32);
    }
}

/* Iterations set up by hand: in bytes, backwards, and over one element. */
static void walks_are_made_by_hand(void **state)
{
    struct visits visits;
    struct kit_walk walk;

    (void)state;
    kit_walk_begin(&walk, 1);
    kit_walk_add(&walk, 3, (const int64_t[]){1}, 0);
    kit_walk_add(&walk, 1, (const int64_t[]){99}, 0);
    kit_walk_add(&walk, 2, (const int64_t[]){-10}, 0);
    kit_walk_end(&walk);
    walk_by(&visits, &walk, 0, 6);
    for (int64_t n = 0; n < 6; n++)
        assert_int_equal(visits.place[0][n], n % 3 - n / 3 * 10);
    kit_walk_begin(&walk, 1);
    kit_walk_end(&walk);
    walk_by(&visits, &walk, 0, 1);
    assert_true(kit_unit(walk.strides[0], 1));
}

/* ------------------------------------------------------------------ names */

/* The names of all operations must equal those in the library's table. */
static void operations_are_the_librarys(void **state)
{
    (void)state;
    for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++) {
        const struct adn_operation *info = adn_problem_operation(number);

        assert_string_equal(kit_operation_name(number), adn_operation_name(number));
        assert_int_equal(kit_params_size(number), adn_problem_params_size(info->family));
        for (int32_t slot = 0; slot < info->slot_count; slot++) {
            assert_string_equal(kit_slot_name(number, slot), info->slot[slot].role);
            assert_int_equal(kit_is_written(number, slot),
                             (info->slot[slot].flags & ADN_SLOT_OUT) != 0);
        }
        assert_string_equal(kit_slot_name(number, info->slot_count), "?");
        assert_false(kit_is_written(number, info->slot_count));
    }
}

/* The slots follow the comments of plugin.h. */
static void slots_are_those_of_the_header(void **state)
{
    (void)state;
    assert_string_equal(kit_slot_name(TRAINING, 8), "save_inv_var");
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++)
        assert_int_equal(kit_is_written(TRAINING, slot), slot >= 4 && slot <= 9);
    assert_true(kit_is_written(ANYDNN_PLUGIN_DROPOUT_FORWARD, 1));
    assert_true(kit_is_written(ANYDNN_PLUGIN_SCALE_TENSOR, 0));
    assert_int_equal(kit_params_size(ANYDNN_PLUGIN_IM2COL),
                     sizeof(struct anydnn_plugin_convolution));
    assert_string_equal(kit_operation_name(0), "an unknown operation");
    assert_string_equal(kit_operation_name(ANYDNN_PLUGIN_OPERATION_END), "an unknown operation");
    assert_string_equal(kit_slot_name(-1, 0), "?");
    assert_string_equal(kit_slot_name(TRAINING, -1), "?");
    assert_string_equal(kit_slot_name(TRAINING, ANYDNN_PLUGIN_OPERAND_MAX), "?");
    assert_int_equal(kit_params_size(ANYDNN_PLUGIN_OPERATION_END), 0);
    assert_false(kit_is_written(ANYDNN_PLUGIN_OPERATION_END, 0));
    assert_false(kit_is_written(TRAINING, -1));
    assert_false(kit_is_written(TRAINING, ANYDNN_PLUGIN_OPERAND_MAX));
}

/* The constants for operations of 1 to 12 operands equal the slots in the comments of plugin.h. */
static void slots_have_constants(void **state)
{
    static const struct {
        int32_t operation, slot, number;
        const char *name;
    } slots[] = {
        {ANYDNN_PLUGIN_SET_TENSOR, slot_set_tensor_y, 0, "y"},
        {ANYDNN_PLUGIN_POOLING_FORWARD, slot_pooling_forward_x, 0, "x"},
        {ANYDNN_PLUGIN_POOLING_FORWARD, slot_pooling_forward_y, 1, "y"},
        {ANYDNN_PLUGIN_OP_TENSOR, slot_op_tensor_c, 2, "c"},
        {ANYDNN_PLUGIN_LRN_BACKWARD, slot_lrn_backward_dx, 3, "dx"},
        {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD,
         slot_convolution_bias_activation_forward_bias, 3, "bias"},
        {ANYDNN_PLUGIN_CTC_LOSS, slot_ctc_loss_label_lengths, 2, "label_lengths"},
        {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD, slot_divisive_normalization_backward_dmeans,
         6, "dmeans"},
        {TRAINING, slot_batch_normalization_training_running_var, 5, "running_var"},
        {TRAINING, slot_batch_normalization_training_reserve, 9, "reserve"},
        {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, slot_batch_normalization_backward_x, 0, "x"},
        {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, slot_batch_normalization_backward_dbias, 11,
         "dbias"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        assert_int_equal(slots[i].slot, slots[i].number);
        assert_string_equal(kit_slot_name(slots[i].operation, slots[i].slot), slots[i].name);
    }
    assert_true(KIT_SAME_SLOT(pooling_backward, activation_backward, dx));
    assert_false(KIT_SAME_SLOT(pooling_backward, softmax_backward, dx));
}

static void types_have_names_and_sizes(void **state)
{
    static const struct {
        int32_t type;
        const char *name;
        int64_t size, lanes;
    } types[] = {
        {ANYDNN_PLUGIN_FLOAT, "float", 4, 1},
        {ANYDNN_PLUGIN_DOUBLE, "double", 8, 1},
        {ANYDNN_PLUGIN_HALF, "half", 2, 1},
        {ANYDNN_PLUGIN_INT8, "int8", 1, 1},
        {ANYDNN_PLUGIN_INT32, "int32", 4, 1},
        {ANYDNN_PLUGIN_INT8X4, "int8x4", 1, 4},
        {ANYDNN_PLUGIN_UINT8, "uint8", 1, 1},
        {ANYDNN_PLUGIN_UINT8X4, "uint8x4", 1, 4},
        {ANYDNN_PLUGIN_INT8X32, "int8x32", 1, 32},
        {ANYDNN_PLUGIN_BFLOAT16, "bfloat16", 2, 1},
        {ANYDNN_PLUGIN_INT64, "int64", 8, 1},
        {ANYDNN_PLUGIN_UINT16, "uint16", 2, 1},
        {ANYDNN_PLUGIN_UINT32, "uint32", 4, 1},
        {ANYDNN_PLUGIN_UINT64, "uint64", 8, 1},
        {-1, "an unknown type", 0, 1},
        {KIT_TYPES, "an unknown type", 0, 1},
        {1003, "an unknown type", 0, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        assert_string_equal(kit_type_name(types[i].type), types[i].name);
        assert_int_equal(kit_type_size(types[i].type), types[i].size);
        assert_int_equal(kit_lanes(types[i].type), types[i].lanes);
    }
    assert_int_equal(kit_lane_type(ANYDNN_PLUGIN_UINT8X4), ANYDNN_PLUGIN_UINT8);
    assert_int_equal(kit_lane_type(ANYDNN_PLUGIN_INT8X32), ANYDNN_PLUGIN_INT8);
    assert_int_equal(kit_lane_type(ANYDNN_PLUGIN_HALF), ANYDNN_PLUGIN_HALF);
}

/* ------------------------------------------------------------------ the host's functions */

static void settings_are_read(void **state)
{
    int32_t number = -1;

    (void)state;
    setting = NULL;
    assert_int_equal(kit_setting_switch("s", &number), 0);
    assert_int_equal(number, 0);
    setting = "on";
    assert_int_equal(kit_setting_switch("s", &number), 0);
    assert_int_equal(number, 1);
    setting = "maybe";
    assert_int_equal(kit_setting_switch("s", &number), ANYDNN_PLUGIN_STATUS_BAD_PARAM);
    assert_string_equal(said, "set.s is \"maybe\"; it must be on or off");
    setting = "8";
    assert_int_equal(kit_setting_threads(8, &number), 0);
    assert_int_equal(number, 8);
    assert_int_equal(kit_setting_threads(7, &number), ANYDNN_PLUGIN_STATUS_BAD_PARAM);
    assert_string_equal(said, "set.threads is \"8\"; it must be auto or a number from 1 to 7");
    setting = "auto";
    assert_int_equal(kit_setting_threads(1, &number), 0);
    assert_int_equal(number, 1);
    setting = NULL;
    assert_int_equal(kit_setting_threads(1 << 20, &number), 0);
    assert_true(number >= 1);
    assert_int_equal(kit_check_host_device(0), 0);
    assert_int_equal(kit_check_host_device(-1), ANYDNN_PLUGIN_STATUS_BAD_PARAM);
}

static void the_program_limits_threads(void **state)
{
    static const struct {
        const char *setting, *limit;
        int32_t count, now;
    } cases[] = {
        {NULL, "1", 4, 1},      {"auto", "1", 4, 1},  {"auto", "3,2", 4, 3},
        {"auto", "9", 4, 4},    {"auto", NULL, 4, 4}, {"auto", "0", 4, 4},
        {"auto", "many", 4, 4}, {"4", "1", 4, 4},     {"auto", "2", 1, 1},
    };
    int32_t number = -1;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setting = cases[i].setting;
        if (cases[i].limit)
            setenv("OMP_NUM_THREADS", cases[i].limit, 1);
        else
            unsetenv("OMP_NUM_THREADS");
        assert_int_equal(kit_setting_threads(1 << 10, &number), 0);
        assert_int_equal(kit_threads_now(cases[i].count), cases[i].now);
    }
    unsetenv("OMP_NUM_THREADS");
}

static void memory_is_clean_or_refused(void **state)
{
    char *memory = kit_alloc(100, "a plan");

    (void)state;
    assert_non_null(memory);
    for (int i = 0; i < 100; i++)
        assert_int_equal(memory[i], 0);
    kit_host->free(memory);
    has_memory = 0;
    assert_null(kit_alloc(100, "a plan"));
    assert_string_equal(said, "out of memory for a plan");
    has_memory = 1;
}

static void operations_are_published(void **state)
{
    static const struct anydnn_plugin_operation common = {.maths = KIT_EVERY_MATH};
    struct anydnn_plugin description = {.struct_size = sizeof description, .name = "mine"};

    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        kit_begin(&host, &description);
        for (int32_t number = 1; number < ANYDNN_PLUGIN_OPERATION_END; number++)
            kit_publish(&description, &common, number, (uint32_t)number, KIT_LAYOUTS);
    }
    assert_string_equal(kit_name, "mine");
    assert_int_equal(description.operation_count, ANYDNN_PLUGIN_OPERATION_END - 1);
    assert_int_equal(description.operations[4]->struct_size, sizeof common);
    assert_int_equal(description.operations[4]->operation, 5);
    assert_int_equal(description.operations[4]->types, 5);
    assert_int_equal(description.operations[4]->maths, 0xf);
    assert_int_equal(description.operations[4]->layouts, KIT_LAYOUTS);
}

/* These are the known answers of the Random123 library that accompanies the paper (kat_vectors,
 * philox 4x32 10). */
static void philox_gives_the_known_words(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], word[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    };
    uint32_t word[4];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        kit_philox(known[i].counter, known[i].key, word);
        assert_memory_equal(word, known[i].word, sizeof word);
    }
}

static void sizes_do_not_wrap(void **state)
{
    const int64_t most = INT64_MAX;

    (void)state;
    assert_int_equal(kit_bytes(0, 8), 0);
    assert_int_equal(kit_bytes(3, 8), 24);
    assert_true(kit_bytes(INT64_C(1) << 61, 8) == KIT_TOO_MANY_BYTES);
    assert_true(kit_bytes(most, 1) == KIT_TOO_MANY_BYTES);
    assert_true(kit_bytes(-1, 1) == KIT_TOO_MANY_BYTES);
    assert_true(4 * (KIT_TOO_MANY_BYTES / 4) <= SIZE_MAX / 4);
    assert_int_equal(kit_times(1431655764, 3), INT64_C(4294967292));
    assert_int_equal(kit_times(most, 0), 0);
    assert_int_equal(kit_times(0, most), 0);
    assert_int_equal(kit_times(most, 1), most);
    assert_int_equal(kit_times(INT64_C(1) << 31, INT64_C(3) << 31), most);
    assert_int_equal(kit_times(most / 2, 2), most - 1);
    assert_int_equal(kit_times(most / 2 + 1, 2), most);
    assert_int_equal(kit_plus(most, 1), most);
    assert_int_equal(kit_plus(most - 1, 1), most);
    assert_int_equal(kit_plus(1, 2), 3);
}

/* ------------------------------------------------------------------ numbers */

/* The kit formats numbers with a point in every locale of the program. */
static void numbers_have_a_point(void **state)
{
    struct kit_refusal why;

    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "alpha is %g", 0.5);
    kit_refuse(&why, ANYDNN_PLUGIN_REASON_OTHER, "beta is %g", 1.5);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
    assert_string_equal(said, "alpha is 0.5");
    assert_string_equal(why.sentence, "beta is 1.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_whole),
        cmocka_unit_test(absent_operands_are_absent),
        cmocka_unit_test(sizes_are_heeded),
        cmocka_unit_test_setup(extensions_are_looked_at, begin),
        cmocka_unit_test(refusals_are_offered),
        cmocka_unit_test(offers_go_by_algorithm),
        cmocka_unit_test(logical_walks_count_as_tuples),
        cmocka_unit_test(sorted_walks_merge_what_is_packed),
        cmocka_unit_test(walks_take_vectors_apart),
        cmocka_unit_test(walks_are_made_by_hand),
        cmocka_unit_test(operations_are_the_librarys),
        cmocka_unit_test(slots_are_those_of_the_header),
        cmocka_unit_test(slots_have_constants),
        cmocka_unit_test(types_have_names_and_sizes),
        cmocka_unit_test_setup(settings_are_read, begin),
        cmocka_unit_test_setup(the_program_limits_threads, begin),
        cmocka_unit_test_setup(memory_is_clean_or_refused, begin),
        cmocka_unit_test(operations_are_published),
        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(philox_gives_the_known_words),
        cmocka_unit_test_setup(numbers_have_a_point, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
