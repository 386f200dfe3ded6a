/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that damaged arrays and traces are refused or read without a fault; ANYDNN_TEST_FUZZ is
 * their number. An array is read only if its header and its size match, and its values are those
 * that were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/npy.h"
#include "judge/random.h"
#include "tools/replay/replay.h"

#define COUNT 6

static long executions(void)
{
    const char *text = getenv("ANYDNN_TEST_FUZZ");

    return text != NULL ? atol(text) : 20000;
}

static const int32_t types[] = {ANYDNN_PLUGIN_FLOAT, ANYDNN_PLUGIN_HALF,  ANYDNN_PLUGIN_BFLOAT16,
                                ANYDNN_PLUGIN_INT8,  ANYDNN_PLUGIN_INT32, ANYDNN_PLUGIN_DOUBLE};
static const size_t sizes[] = {4, 2, 2, 1, 4, 8};

#define TYPES (sizeof(types) / sizeof(types[0]))

static void describe(struct anydnn_plugin_tensor *tensor, int32_t type, int ndims)
{
    memset(tensor, 0, sizeof(*tensor));
    tensor->type = type;
    tensor->ndims = ndims;
    for (int i = 0; i < ndims; i++)
        tensor->dims[i] = tensor->strides[i] = 1;
    tensor->dims[ndims - 1] = COUNT;
}

/* Makes a whole file and returns its size. */
static size_t make(const struct anydnn_plugin_tensor *tensor, size_t scalar, unsigned char *bytes)
{
    size_t size = adn_npy_header(tensor, (char *)bytes);

    for (size_t i = 0; i < COUNT; i++)
        adn_element_store(tensor->type, bytes + size + i * scalar, (double)i - 2);
    return size + COUNT * scalar;
}

/* Checks that the header equals numpy.save's, except for blanks. */
static void header_is_numpys(void **state)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }";
    struct anydnn_plugin_tensor tensor;
    char header[ADN_NPY_MAX];

    (void)state;
    describe(&tensor, ANYDNN_PLUGIN_FLOAT, 1);
    assert_int_equal(adn_npy_header(&tensor, header), 128);
    assert_memory_equal(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(header + 10, text, sizeof(text) - 1);
    assert_int_equal(header[127], '\n');
    assert_int_equal(header[126], ' ');
}

static void what_was_written_is_read(void **state)
{
    struct anydnn_plugin_tensor tensor;
    unsigned char bytes[1024];
    double numbers[COUNT];

    (void)state;
    for (size_t t = 0; t < TYPES; t++)
        for (int ndims = 1; ndims <= ANYDNN_PLUGIN_DIM_MAX; ndims++) {
            size_t size;

            describe(&tensor, types[t], ndims);
            size = make(&tensor, sizes[t], bytes);
            assert_int_equal(compare_dump_take(&tensor, COUNT, bytes, size, numbers), 0);
            for (int i = 0; i < COUNT; i++)
                assert_true(numbers[i] == i - 2);
            assert_int_equal(compare_dump_take(&tensor, COUNT, bytes, size - 1, numbers), -1);
            assert_int_equal(compare_dump_take(&tensor, COUNT + 1, bytes, size, numbers), -1);
            tensor.dims[0]++;
            assert_int_equal(compare_dump_take(&tensor, COUNT, bytes, size, numbers), -1);
        }
}

/* ---- damage */

static uint64_t random_state = 1;

static size_t below(size_t limit)
{
    return limit > 0 ? (size_t)(adn_random_bits(&random_state) % limit) : 0;
}

/* Damages a file by changed bits and bytes, cuts, and copies of a part. Returns the new size, at
 * most `capacity`. */
static size_t damage(unsigned char *bytes, size_t size, size_t capacity)
{
    for (size_t i = below(4) + 1; i > 0; i--) {
        size_t at = below(size), length = below(16), to = below(size);

        switch (below(6)) {
        case 0:
            if (size > 0)
                bytes[at] ^= (unsigned char)(1U << below(8));
            break;
        case 1:
            if (size > 0)
                bytes[at] = (unsigned char)below(256);
            break;
        case 2:
            size = at;
            break;
        case 3:
            if (size + 1 < capacity)
                bytes[size++] = (unsigned char)below(256);
            break;
        case 4:
            if (at + length < size && to + length < size)
                memmove(bytes + to, bytes + at, length);
            break;
        default:
            if (size > 0)
                bytes[at] = (unsigned char)"\t\n-#9 ,({'"[below(10)];
        }
    }
    return size;
}

/* Reads damaged arrays from memory of exactly the file's size, so that a read beyond it is
 * detected. */
static void damaged_arrays(void **state)
{
    long taken = 0;

    (void)state;
    for (long i = 0; i < executions(); i++) {
        size_t t = below(TYPES), size, header;
        struct anydnn_plugin_tensor tensor;
        unsigned char bytes[2048];
        unsigned char *exact;
        double numbers[COUNT];
        int result;

        describe(&tensor, types[t], 1 + (int)below(ANYDNN_PLUGIN_DIM_MAX));
        size = damage(bytes, make(&tensor, sizes[t], bytes), sizeof(bytes));
        exact = malloc(size > 0 ? size : 1);
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        result = compare_dump_take(&tensor, COUNT, exact, size, numbers);
        header = adn_npy_match(&tensor, exact, size);
        assert_int_equal(result == 0, header > 0 && size == header + COUNT * sizes[t]);
        taken += result == 0;
        free(exact);
    }
    /* The damage of some files affects only their numbers. */
    assert_true(taken > 0);
}

/* Checks the calls of a trace and returns their number. */
static long look_at_dumps(const struct replay_trace *trace)
{
    long calls = 0;

    for (size_t i = 0; i < trace->sides; i++)
        for (const struct replay_call *call = trace->side[i]->first; call; call = call->beside) {
            assert_true(strcmp(call->dump, "-") == 0 ||
                        call->dump[strspn(call->dump, "0123456789")] == '\0');
            calls++;
        }
    assert_int_equal(calls, trace->count);
    return calls;
}

static void damaged_traces(void **state)
{
    static const char line[] =
        "softmax_forward x=f32:2,3:nchw\tcpu_ref\t1\tdefault\t1.5\t1:1\t1\t-\tok\n"
        "softmax_forward x=f32:2,3:nchw\tcpu_ref\t1\tdefault\t-\t1:1\t-\t17\t"
        "mismatch\n";
    struct replay_trace *trace = malloc(sizeof(*trace));
    long calls = 0;

    (void)state;
    assert_non_null(trace);
    for (long i = 0; i < executions(); i++) {
        struct tool tool = {.quiet = 1};
        unsigned char bytes[512];
        size_t size = sizeof(line) - 1;
        FILE *file;

        memcpy(bytes, line, size);
        size = damage(bytes, size, sizeof(bytes));
        file = fmemopen(bytes, size, "r");
        if (file == NULL) /* fmemopen returns NULL for no bytes */
            continue;
        if (replay_read_from(&tool, file, "trace", trace) == TOOL_FINE)
            calls += look_at_dumps(trace);
        replay_free(trace);
        fclose(file);
        free(tool.sentence);
    }
    free(trace);
    assert_true(calls > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_is_numpys),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(damaged_arrays),
        cmocka_unit_test(damaged_traces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
