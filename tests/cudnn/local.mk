# SPDX-License-Identifier: Apache-2.0
# The tests of the backend cudnn without a GPU: the module itself, and its code over a mock of cuDNN.

TESTS += tests/cudnn/test_module.sh
dist_check_SCRIPTS += tests/cudnn/test_module.sh

if HAVE_CMOCKA
check_LTLIBRARIES += tests/cudnn/libcudnn_mock.la tests/cudnn/libcudnn_old.la tests/cudnn/libcudnn_lacks.la
check_LTLIBRARIES += tests/cudnn/libharness.la
check_PROGRAMS += tests/cudnn/test_cudnn tests/cudnn/test_layouts tests/cudnn/test_moves tests/cudnn/test_plans
TESTS += tests/cudnn/test_cudnn tests/cudnn/test_layouts tests/cudnn/test_moves tests/cudnn/test_plans
endif

MOCK_CUDNN_CPPFLAGS = $(CUDNN_CFLAGS) $(CUDA_CPPFLAGS)
MOCK_CUDNN_SOURCES = tests/cudnn/mock.h tests/cudnn/mock_cudnn.c tests/cudnn/mock_cudnn_calls.c tests/cudnn/mock_cudnn_rules.c
tests_cudnn_libcudnn_mock_la_SOURCES = $(MOCK_CUDNN_SOURCES)
tests_cudnn_libcudnn_mock_la_CPPFLAGS = $(MOCK_CUDNN_CPPFLAGS)
tests_cudnn_libcudnn_mock_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_cudnn_libcudnn_old_la_SOURCES = $(MOCK_CUDNN_SOURCES)
tests_cudnn_libcudnn_old_la_CPPFLAGS = $(MOCK_CUDNN_CPPFLAGS) -DMOCK_VERSION=8907
tests_cudnn_libcudnn_old_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_cudnn_libcudnn_lacks_la_SOURCES = $(MOCK_CUDNN_SOURCES)
tests_cudnn_libcudnn_lacks_la_CPPFLAGS = $(MOCK_CUDNN_CPPFLAGS) -DMOCK_LACKS_IM2COL
tests_cudnn_libcudnn_lacks_la_LDFLAGS = $(MOCK_LDFLAGS)

# The backend's code, and the replacements of the host and the GPU.
TEST_CUDNN_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(CMOCKA_CFLAGS) $(MOCK_CUDNN_CPPFLAGS)
TEST_CUDNN_LIBS = tests/cudnn/libharness.la core/libanydnn_base.la $(CMOCKA_LIBS) -ldl -lpthread -lm
tests_cudnn_libharness_la_SOURCES = tests/cudnn/harness.c tests/cudnn/harness.h tests/cudnn/mock.h $(CUDNN_SOURCES) $(KIT_SOURCES)
tests_cudnn_libharness_la_CPPFLAGS = $(TEST_CUDNN_CPPFLAGS) -I$(top_srcdir)/core
tests_cudnn_test_cudnn_SOURCES = tests/cudnn/harness.h tests/cudnn/mock.h tests/cudnn/test_cudnn.c
tests_cudnn_test_cudnn_CPPFLAGS = $(TEST_CUDNN_CPPFLAGS)
tests_cudnn_test_cudnn_LDADD = $(TEST_CUDNN_LIBS)
tests_cudnn_test_layouts_SOURCES = tests/cudnn/harness.h tests/cudnn/mock.h tests/cudnn/trial.h tests/cudnn/test_layouts.c
tests_cudnn_test_layouts_CPPFLAGS = $(TEST_CUDNN_CPPFLAGS)
tests_cudnn_test_layouts_LDADD = $(TEST_CUDNN_LIBS)
tests_cudnn_test_moves_SOURCES = tests/cudnn/harness.h tests/cudnn/mock.h tests/cudnn/trial.h tests/cudnn/test_moves.c
tests_cudnn_test_moves_CPPFLAGS = $(TEST_CUDNN_CPPFLAGS)
tests_cudnn_test_moves_LDADD = $(TEST_CUDNN_LIBS)
tests_cudnn_test_plans_SOURCES = tests/cudnn/harness.h tests/cudnn/mock.h tests/cudnn/test_plans.c
tests_cudnn_test_plans_CPPFLAGS = $(TEST_CUDNN_CPPFLAGS)
tests_cudnn_test_plans_LDADD = $(TEST_CUDNN_LIBS)
