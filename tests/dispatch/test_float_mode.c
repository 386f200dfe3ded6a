/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the application's floating-point environment: results are equal in every environment,
 * and each call restores it, flags included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anydnn/anydnn.h>

#define OPERANDS 6
#define COUNT    (1 << 17) /* floats in an operand */

/* ---- environments */

struct mode {
    const char *name;
    int rounding;
    unsigned mxcsr; /* additional bits: 0x8000 flushes results to zero, 0x0040 operands */
    unsigned x87;   /* precision bits to clear: 0x300 leaves float precision, 0x100 double */
    int flags;      /* raised before a call */
    int traps;      /* exceptions that trap */
};

static const struct mode modes[] = {
    {"flushing", FE_TONEAREST, 0x8040, 0, 0, 0},
    {"upward", FE_UPWARD, 0, 0, FE_ALL_EXCEPT, 0},
    {"to zero, short long doubles", FE_TOWARDZERO, 0, 0x300, FE_OVERFLOW, 0},
    {"double long doubles", FE_TONEAREST, 0, 0x100, 0, 0},
    {"flags alone", FE_TONEAREST, 0, 0, FE_DIVBYZERO | FE_UNDERFLOW, 0},
    {"trapping", FE_TONEAREST, 0, 0, 0, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_INEXACT},
    {"downward, flushing, trapping", FE_DOWNWARD, 0x8040, 0, FE_INEXACT, FE_DIVBYZERO},
};
#define MODES (sizeof(modes) / sizeof(modes[0]))

/* The floating-point registers of a thread. */
struct seen {
    int rounding;
    int flags;
    int traps;
    unsigned mxcsr;
    unsigned x87_control;
    unsigned x87_status;
};

static struct seen look(void)
{
    struct seen seen = {.rounding = fegetround(), .flags = fetestexcept(FE_ALL_EXCEPT)};

    seen.traps = fegetexcept();
#if defined(__x86_64__)
    uint16_t word;

    seen.mxcsr = __builtin_ia32_stmxcsr();
    __asm__ volatile("fnstcw %0" : "=m"(word));
    seen.x87_control = word;
    __asm__ volatile("fnstsw %0" : "=m"(word));
    seen.x87_status = word & 0x3fu;
#endif
    return seen;
}

static void enter(const struct mode *mode)
{
    fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    uint16_t word;

    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | mode->mxcsr);
    __asm__ volatile("fnstcw %0" : "=m"(word));
    word = (uint16_t)(word & ~mode->x87);
    __asm__ volatile("fldcw %0" : : "m"(word));
#endif
    fesetround(mode->rounding);
    feraiseexcept(mode->flags);
    feenableexcept(mode->traps);
}

/* Makes a call in that mode, and reads the environment at both ends before anything else
 * computes. */
static struct seen entered, left;
#define IN(mode, call)                                                                             \
    do {                                                                                           \
        anydnnStatus_t in_status;                                                                  \
                                                                                                   \
        enter(mode);                                                                               \
        entered = look();                                                                          \
        in_status = (call);                                                                        \
        left = look();                                                                             \
        fesetenv(FE_DFL_ENV);                                                                      \
        judge(in_status, mode, #call);                                                             \
    } while (0)

static void judge(anydnnStatus_t status, const struct mode *mode, const char *call)
{
    char text[1024];

    anydnnGetLastErrorString(text, sizeof(text));
    if (status != ANYDNN_STATUS_SUCCESS)
        fail_msg("%s in %s: %d: %s", call, mode->name, (int)status, text);
    if (memcmp(&entered, &left, sizeof(left)) != 0)
        fail_msg("%s in %s: rounding %d then %d, flags 0x%x then 0x%x, traps 0x%x then 0x%x, "
                 "mxcsr 0x%x then 0x%x, x87 0x%x 0x%x then 0x%x 0x%x",
                 call, mode->name, entered.rounding, left.rounding, entered.flags, left.flags,
                 entered.traps, left.traps, entered.mxcsr, left.mxcsr, entered.x87_control,
                 entered.x87_status, left.x87_control, left.x87_status);
}

static const struct mode plain = {"the plain one", FE_TONEAREST, 0, 0, 0, 0};

/* ---- calls */

static const char *const problems[] = {
    "convolution_forward x=f32:4,8,20,20 w=f32:8,8,3,3 y=f32:4,8,20,20 pad=1,1 alpha=0.3",
    "convolution_backward_filter x=f32:4,8,20,20 dy=f32:4,8,20,20 dw=f32:8,8,3,3 pad=1,1",
    "pooling_forward x=f32:4,8,20,20 y=f32:4,8,10,10 window=2,2 stride=2,2 mode=average_include",
    "activation_forward x=f32:4,8,20,20 y=f32:4,8,20,20 activation=tanh",
    "softmax_forward x=f32:64,128,1,1 y=f32:64,128,1,1 softmax=accurate mode=channel",
    "lrn_forward x=f32:4,8,20,20 y=f32:4,8,20,20 n=5",
};
#define PROBLEMS (sizeof(problems) / sizeof(problems[0]))

static float *operands[OPERANDS];

/* Fills the operands so that every product needs rounding. Every other block of 1600 values of
 * the first operand, half an image, is subnormal. */
static void fill(void)
{
    uint32_t random = 1;

    for (int i = 0; i < OPERANDS; i++)
        for (int j = 0; j < COUNT; j++) {
            random = random * 1664525u + 1013904223u;
            operands[i][j] =
                ((float)(random >> 9) - 4e6f) * (i == 0 && j / 1600 % 2 ? 0x1p-149f : 0x1p-24f);
        }
}

/* Runs a problem on a new handle, also created in that mode; returns 0 if the backend is
 * unavailable. */
static int run(const struct mode *mode, const char *backend, const char *text, float *result)
{
    anydnnHandle_t handle = NULL;
    anydnnProblem_t problem = NULL;
    char record[64];
    int count, there;

    fill();
    IN(mode, anydnnCreateOnDevice(&handle, "cpu"));
    IN(mode, anydnnSetRoute(handle, "*", NULL, backend));
    IN(mode, anydnnProblemParse(text, &problem));
    IN(mode, anydnnProblemGetOperandCount(problem, &count));
    assert_in_range(count, 1, OPERANDS);
    there = anydnnProblemExecute(handle, problem, (void *const *)operands, NULL, 0) !=
            ANYDNN_STATUS_NOT_SUPPORTED;
    fill();
    for (int i = 0; there && i < 2; i++)
        IN(mode, anydnnProblemExecute(handle, problem, (void *const *)operands, NULL, 0));
    if (there) {
        IN(mode, anydnnGetDispatchInfo(handle, "backend", record, sizeof(record)));
        memcpy(result, operands[count - 1], sizeof(float) * COUNT);
    }
    IN(mode, anydnnProblemDestroy(problem));
    IN(mode, anydnnDestroy(handle));
    return there;
}

static void same_bits(const char *backend)
{
    static float first[COUNT], now[COUNT];

    for (size_t i = 0; i < PROBLEMS; i++)
        for (size_t j = 0; j < MODES; j++) {
            if (!run(&modes[j], backend, problems[i], now))
                skip();
            /* The first mode runs first, since the backend's threads start in it. */
            if (j == 0)
                assert_int_equal(run(&plain, backend, problems[i], first), 1);
            if (memcmp(first, now, sizeof(now)) != 0)
                fail_msg("%s gives other bits in %s: %s", backend, modes[j].name, problems[i]);
        }
}

static void test_same_bits_cpu_ref(void **state)
{
    (void)state;
    same_bits("cpu_ref");
}

static void test_same_bits_onednn(void **state)
{
    (void)state;
    same_bits("onednn");
}

/* ---- a backend that changes the environment */

static anydnnTensorDescriptor_t tensor;
static anydnnActivationDescriptor_t relu;
static const float plain_bits = LDBL_MANT_DIG;

static void activate(const struct mode *mode, anydnnHandle_t handle)
{
    static const float alpha = 0x1p-140f, zero = 0;
    float y[4] = {-1, -1, -1, -1};

    IN(mode, anydnnActivationForward(handle, relu, &alpha, tensor, operands[0], &zero, tensor, y));
    if ((int)y[0] != FE_TONEAREST || y[1] != 0x1p-140f || y[2] != alpha || y[3] != plain_bits)
        fail_msg("in %s, where %s changes it, the backend finds rounding %d, a subnormal number as "
                 "%g, alpha as %g, %g bits of a long double",
                 mode->name, getenv("MOCK_FLOAT_CHANGES"), (int)y[0], (double)y[1], (double)y[2],
                 (double)y[3]);
}

/* Each function changes the environment in turn, in every mode and in the plain one. The first,
 * main, runs when the backend is opened. */
static void test_backend_that_changes_it(void **state)
{
    static const char *const functions[] = {"main",           "context_create", "candidates",
                                            "plan_create",    "plan_execute",   "plan_destroy",
                                            "context_destroy"};

    (void)state;
    assert_int_equal(anydnnCreateTensorDescriptor(&tensor), ANYDNN_STATUS_SUCCESS);
    assert_int_equal(
        anydnnSetTensor4dDescriptor(tensor, ANYDNN_TENSOR_NCHW, ANYDNN_DATA_FLOAT, 1, 1, 2, 2),
        ANYDNN_STATUS_SUCCESS);
    assert_int_equal(anydnnCreateActivationDescriptor(&relu), ANYDNN_STATUS_SUCCESS);
    IN(&modes[0], anydnnSetActivationDescriptor(relu, ANYDNN_ACTIVATION_RELU,
                                                ANYDNN_NOT_PROPAGATE_NAN, 0x1p-1070));
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        for (size_t j = 0; j <= MODES; j++) {
            const struct mode *mode = j < MODES ? &modes[j] : &plain;
            anydnnHandle_t handle = NULL;

            setenv("MOCK_FLOAT_CHANGES", functions[i], 1);
            IN(mode, anydnnCreateOnDevice(&handle, "cpu"));
            IN(mode, anydnnSetRoute(handle, "*", NULL, "mock_float"));
            activate(mode, handle);
            activate(mode, handle);
            /* A second plan follows. */
            IN(mode, anydnnSetRoute(handle, "activation_forward", NULL, "mock_float"));
            activate(mode, handle);
            IN(mode, anydnnDestroy(handle));
        }
    unsetenv("MOCK_FLOAT_CHANGES");
    anydnnDestroyActivationDescriptor(relu);
    anydnnDestroyTensorDescriptor(tensor);
}

/* ---- numbers in text */

static void test_text(void **state)
{
    static const char text[] = "activation_forward x=f32:1,2,3,4 y=f32:1,2,3,4 activation=elu "
                               "coef=0.1 alpha=4.9406564584124654e-324 beta=0.69999999999999996";
    char first[1024], now[1024];

    (void)state;
    for (size_t i = 0; i <= MODES; i++) {
        const struct mode *mode = i == 0 ? &plain : &modes[i - 1];
        anydnnProblem_t problem = NULL;
        size_t needed;

        IN(mode, anydnnProblemParse(text, &problem));
        IN(mode, anydnnProblemPrint(problem, now, sizeof(now), &needed));
        IN(mode, anydnnProblemDestroy(problem));
        if (i == 0)
            strcpy(first, now);
        assert_string_equal(now, first);
    }
    assert_non_null(strstr(first, "coef=0.1 "));
    assert_non_null(strstr(first, "beta=0.7"));
    assert_non_null(strstr(first, "alpha=5e-324"));
}

/* ---- the process */

static char settings[64];

static int set_up(void **state)
{
    int file;

    (void)state;
    strcpy(settings, "/tmp/anydnn_float_mode_XXXXXX");
    file = mkstemp(settings);
    if (file < 0 ||
        dprintf(file,
                "[anydnn]\nplugin_path = %s:%s\ndevice = cpu\n"
                "[plugin cpu_ref]\nset.threads = 4\n[plugin onednn]\nset.threads = 2\n"
                "[route]\n* = cpu_ref\n",
                getenv("ANYDNN_TEST_PLUGINDIR"), getenv("ANYDNN_TEST_MOCKDIR")) < 0 ||
        close(file) != 0)
        return -1;
    setenv("ANYDNN_CONFIG", settings, 1);
    for (int i = 0; i < OPERANDS; i++)
        if (!(operands[i] = aligned_alloc(256, COUNT * sizeof(float))))
            return -1;
    fill();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < OPERANDS; i++)
        free(operands[i]);
    return unlink(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backend_that_changes_it),
        cmocka_unit_test(test_same_bits_cpu_ref),
        cmocka_unit_test(test_same_bits_onednn),
        cmocka_unit_test(test_text),
    };

    return cmocka_run_group_tests_name("float_mode", tests, set_up, tear_down);
}
