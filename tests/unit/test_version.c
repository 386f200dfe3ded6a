/* SPDX-License-Identifier: Apache-2.0 */
/* Tests version, status names, last error, message callback, and the header's own numbers. */
#include "tests/unit/desc_fixture.h"

#include <pthread.h>

#include "sys/error.h"
#include "sys/log.h"

static void versions_agree(void **state)
{
    int major, minor, patch;

    (void)state;
    assert_ok(anydnnGetProperty(ANYDNN_MAJOR_VERSION, &major));
    assert_ok(anydnnGetProperty(ANYDNN_MINOR_VERSION, &minor));
    assert_ok(anydnnGetProperty(ANYDNN_PATCH_LEVEL, &patch));
    assert_int_equal(anydnnGetVersion(), major * 10000 + minor * 100 + patch);
    assert_int_equal(anydnnGetVersion(), ANYDNN_VERSION);
    assert_int_equal(anydnnGetApiLevel(), 2);
    assert_refused(anydnnGetProperty((anydnnLibraryPropertyType_t)3, &major), INVALID_VALUE,
                   "type is 3");
    assert_refused(anydnnGetProperty((anydnnLibraryPropertyType_t)-1, &major), INVALID_VALUE,
                   "type is -1");
    assert_refused(anydnnGetProperty(ANYDNN_MAJOR_VERSION, NULL), BAD_PARAM, "value is NULL");
}

static void statuses_have_names(void **state)
{
    static const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 100, 101, 102};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        assert_non_null(strstr(anydnnGetErrorString((anydnnStatus_t)numbers[i]), "ANYDNN_STATUS_"));
    assert_string_equal(anydnnGetErrorString(ANYDNN_STATUS_BAD_PARAM), "ANYDNN_STATUS_BAD_PARAM");
    assert_string_equal(anydnnGetErrorString(ANYDNN_STATUS_CONFIG_ERROR),
                        "ANYDNN_STATUS_CONFIG_ERROR");
    assert_non_null(anydnnGetErrorString((anydnnStatus_t)14));
    assert_non_null(anydnnGetErrorString((anydnnStatus_t)-1));
}

static void last_error_is_cut_and_ended(void **state)
{
    char text[8];
    int value;

    (void)state;
    assert_int_equal(anydnnGetProperty((anydnnLibraryPropertyType_t)3, &value), INVALID_VALUE);
    memset(text, '#', sizeof(text));
    anydnnGetLastErrorString(text, 7);
    assert_string_equal(text, "anydnn");
    assert_int_equal(text[7], '#');
    anydnnGetLastErrorString(text, 1);
    assert_string_equal(text, "");
    text[0] = '#';
    anydnnGetLastErrorString(text, 0);
    assert_int_equal(text[0], '#');
    anydnnGetLastErrorString(NULL, 8);
}

static void others_refuse_by_it(void **state)
{
    char text[100];

    (void)state;
    assert_int_equal(anydnnRefuse(ANYDNN_STATUS_MAPPING_ERROR, "cudnnThis: of that, 100%s"),
                     ANYDNN_STATUS_MAPPING_ERROR);
    anydnnGetLastErrorString(text, sizeof(text));
    assert_string_equal(text, "cudnnThis: of that, 100%s");
    assert_refused(anydnnRefuse(ANYDNN_STATUS_SUCCESS, "cudnnThis: fine"), BAD_PARAM,
                   "status is SUCCESS");
    assert_refused(anydnnRefuse(ANYDNN_STATUS_BAD_PARAM, NULL), BAD_PARAM, "sentence is NULL");
    assert_refused(anydnnRefuse(ANYDNN_STATUS_BAD_PARAM, ""), BAD_PARAM, "sentence is empty");
}

static void *other_thread(void *text)
{
    anydnnGetLastErrorString(text, 100);
    return NULL;
}

static void last_error_is_the_threads_own(void **state)
{
    char mine[100];
    char others[100] = "?";
    pthread_t thread;
    int value;

    (void)state;
    assert_int_equal(anydnnGetProperty((anydnnLibraryPropertyType_t)3, &value), INVALID_VALUE);
    assert_int_equal(pthread_create(&thread, NULL, other_thread, others), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    anydnnGetLastErrorString(mine, sizeof(mine));
    assert_string_equal(others, "");
    assert_non_null(strstr(mine, "anydnnGetProperty"));
    /* A call that succeeds keeps the error. */
    assert_ok(anydnnGetProperty(ANYDNN_MAJOR_VERSION, &value));
    anydnnGetLastErrorString(mine, sizeof(mine));
    assert_non_null(strstr(mine, "anydnnGetProperty"));
}

struct heard {
    int count;
    anydnnSeverity_t severity;
    char text[200];
    size_t length;
};

static void hear(anydnnSeverity_t sev, void *udata, const anydnnDebug_t *dbg, const char *msg)
{
    struct heard *heard = udata;

    assert_null(dbg);
    heard->count++;
    heard->severity = sev;
    heard->length = strlen(msg);
    assert_int_equal(msg[heard->length + 1], '\0');
    snprintf(heard->text, sizeof(heard->text), "%s", msg);
}

static void callback(void **state)
{
    struct heard heard = {0};
    anydnnCallback_t function;
    unsigned mask;
    void *user;

    (void)state;
    assert_ok(anydnnGetCallback(&mask, &user, &function));
    assert_true(mask == 0 && !user && !function);
    assert_ok(anydnnSetCallback(ANYDNN_SEV_WARNING_EN | ANYDNN_SEV_INFO_EN, &heard, hear));
    assert_ok(anydnnGetCallback(&mask, &user, &function));
    assert_true(mask == 12 && user == &heard && function == hear);
    adn_info("one %d", 1);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.severity, ANYDNN_SEV_INFO);
    assert_non_null(strstr(heard.text, "one 1"));
    assert_ok(anydnnSetCallback(ANYDNN_SEV_ERROR_EN, &heard, hear));
    adn_info("two");
    assert_int_equal(heard.count, 1);
    assert_ok(anydnnSetCallback(0, NULL, NULL));
    adn_info("three");
    assert_int_equal(heard.count, 1);
    assert_refused(anydnnGetCallback(&mask, NULL, &function), BAD_PARAM, "udata is NULL");
}

/* Programs compiled against cuDNN's numbers rely on these values. */
static void numbers(void **state)
{
    (void)state;
    assert_int_equal(sizeof(anydnnConvolutionFwdAlgoPerf_t), 80);
    assert_int_equal(offsetof(anydnnConvolutionFwdAlgoPerf_t, memory), 16);
    assert_int_equal(offsetof(anydnnConvolutionBwdDataAlgoPerf_t, mathType), 28);
    assert_int_equal(offsetof(anydnnConvolutionBwdFilterAlgoPerf_t, backend), 32);
    assert_int_equal(sizeof(anydnnStatus_t), 4);
    assert_int_equal(ANYDNN_TENSOR_OP_MATH_SPLIT, 1000);
    assert_int_equal(ANYDNN_DATA_BFLOAT16, 9);
    assert_int_equal(ANYDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED, 5);
    assert_int_equal(ANYDNN_STATUS_RUNTIME_FP_OVERFLOW, 13);
    assert_int_equal(ANYDNN_16BIT_INDICES, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(versions_agree),
                                       cmocka_unit_test(statuses_have_names),
                                       cmocka_unit_test(last_error_is_cut_and_ended),
                                       cmocka_unit_test(others_refuse_by_it),
                                       cmocka_unit_test(last_error_is_the_threads_own),
                                       cmocka_unit_test(callback),
                                       cmocka_unit_test(numbers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
