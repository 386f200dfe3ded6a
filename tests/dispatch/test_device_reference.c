/* SPDX-License-Identifier: Apache-2.0 */
/* Tests a reference that works on a device, such as cuda_naive. No search times it, shadow's `auto`
 * selects it for calls of its space, and a route that selects it before cuda_simt is warned of
 * once. Both names are those of mock backends here.
 *
 * Needs: tests/mocks/anydnn_cuda_naive.la tests/mocks/anydnn_cuda_simt.la */
#include "tests/dispatch/searches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

#define PLAIN "whose kernels are simple and slow"

static int group_setup(void **state)
{
    const char *build = getenv("ANYDNN_TEST_BUILDDIR");
    char sections[4096];

    (void)state;
    snprintf(sections, sizeof(sections),
             "[plugin cuda_naive]\nmodule = %s/tests/mocks/.libs/anydnn_cuda_naive.so\n"
             "set.of = %s/anydnn_cpu_ref.so\n"
             "[plugin cuda_simt]\nmodule = %s/tests/mocks/.libs/anydnn_cuda_simt.so\n",
             build, getenv("ANYDNN_TEST_PLUGINDIR"), build);
    fixture_configure("", sections);
    return 0;
}

/* Begins a test like fixture_setup, which does not know the settings of cuda_simt here. */
static int setup(void **state)
{
    int result = fixture_setup(state);

    fixture_set("cuda_simt", "algorithms", NULL);
    fixture_set("cuda_simt", "sleep_us", "20000");
    return result;
}

/* Computes y = 2 y in memory of the handle. */
static anydnnStatus_t scale(anydnnHandle_t handle)
{
    const float factor = 2;
    void *data = NULL;
    anydnnStatus_t status;

    assert_ok(anydnnMemAlloc(handle, 4096, &data));
    assert_ok(anydnnMemSet(handle, data, 0, 4096));
    status = anydnnScaleTensor(handle, fixture_tensor("f32:2,3"), data, &factor);
    assert_ok(anydnnSynchronize(handle));
    assert_ok(anydnnMemFree(handle, data));
    return status;
}

static void fastest_times_no_reference(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "fastest, cuda_naive, cuda_simt");

    (void)state;
    assert_ok(scale(handle));
    assert_string_equal(fixture_record(handle, "backend"), "cuda_simt");
}

static void find_lists_a_reference_without_its_time(void **state)
{
    anydnnHandle_t handle = fixture_handle_on("mockdev", "cuda_naive, cuda_simt");
    struct fixture_convolution with;
    search_perf perf[SEARCH_COUNT];
    int count, listed = 0;

    (void)state;
    fixture_set("cuda_simt", "algorithms", "1");
    fixture_convolution_make(&with, 8);
    count = search_find(handle, &with, perf);
    assert_true(count > 1);
    assert_string_equal(search_backend(&perf[0]), "cuda_simt");
    assert_true(perf[0].time > 0);
    for (int i = 1; i < count; i++) {
        listed += strcmp(search_backend(&perf[i]), "cuda_naive") == 0;
        assert_true(perf[i].time == -1);
    }
    assert_int_equal(listed, count - 1);
}

/* Replaces `from` in the tuning file by `to` and leaves the result in another one, which this
 * process has not read. */
static void change_tuning(const char *from, const char *to)
{
    static char path[4200];
    char text[8192], *at;
    FILE *file = fopen(fixture_settings()->tuning, "r");

    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    at = strstr(text, from);
    assert_non_null(at);
    snprintf(path, sizeof(path), "%s", fixture_path(to[0] == '\t' ? "engine" : "build"));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(file);
    fixture_settings()->tuning = path;
}

/* Checks that records from when cuda_naive had the fast kernels are ignored, by their engines and
 * by their builds. */
static void records_of_former_kernels_are_passed_over(void **state)
{
    static char path[4200];
    const char *route = "fastest, cuda_naive, cuda_simt";

    (void)state;
    snprintf(path, sizeof(path), "%s", fixture_path("tuning"));
    fixture_settings()->tuning = path;
    assert_ok(scale(fixture_handle_on("mockdev", route)));
    change_tuning("\tcuda_simt\t1\t", "\tcuda_naive\t17\t");
    for (int i = 0; i < 2; i++) {
        anydnnHandle_t handle = fixture_handle_on("mockdev", route);

        assert_ok(scale(handle));
        assert_string_equal(fixture_record(handle, "backend"), "cuda_simt");
        fixture_settings()->tuning = path;
        if (i == 0)
            change_tuning("cuda_naive 1.0", "cuda_naive 0.1.0 0123456789abcdef");
    }
}

static const char *shadow_reference(const char *device, const char *route)
{
    static char name[ANYDNN_DIM_MAX * 20];
    anydnnHandle_t handle = fixture_handle_on(device, route);

    assert_ok(anydnnSetShadow(handle, "sample = all; budget = none"));
    assert_ok(scale(handle));
    assert_ok(anydnnGetShadowInfo(handle, "reference", name, sizeof(name)));
    return name;
}

static void shadow_takes_the_reference_of_the_calls_space(void **state)
{
    (void)state;
    assert_string_equal(shadow_reference("mockdev", "mock_mirror"), "cuda_naive");
    assert_string_equal(shadow_reference("cpu", "mock_a"), "cpu_ref");
}

/* The first warning is the only one of this process. */
static void a_route_to_plain_kernels_is_warned_of_once(void **state)
{
    (void)state;
    fixture_messages();
    assert_ok(scale(fixture_handle_on("mockdev", "cuda_naive, fallback:off")));
    assert_ok(scale(fixture_handle_on("mockdev", "cuda_naive, cuda_simt")));
    assert_ok(scale(fixture_handle_on("mockdev", "mock_mirror, cuda_naive")));
    assert_null(strstr(fixture_messages(), PLAIN));
    assert_ok(scale(fixture_handle_on("mockdev", "cuda_naive")));
    assert_holds(fixture_messages(), "anydnnSetRoute: the route `*` selects cuda_naive, " PLAIN
                                     ", and does not name cuda_simt, which has fast ones");
    assert_ok(scale(fixture_handle_on("mockdev", "cuda_naive, mock_mirror")));
    assert_null(strstr(fixture_messages(), PLAIN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fastest_times_no_reference, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(find_lists_a_reference_without_its_time, setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(records_of_former_kernels_are_passed_over, setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(shadow_takes_the_reference_of_the_calls_space, setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_route_to_plain_kernels_is_warned_of_once, setup,
                                        fixture_teardown),
    };

    return cmocka_run_group_tests(tests, group_setup, fixture_group_teardown);
}
