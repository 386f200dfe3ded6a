# SPDX-License-Identifier: Apache-2.0
# The example's own network in tests: its dropout by several backends, and its routes.

example_tests = tests/examples/test_lenet_dropout
check_PROGRAMS += $(example_tests)
TESTS += $(example_tests)
tests_examples_test_lenet_dropout_CPPFLAGS = $(TEST_CPPFLAGS)
tests_examples_test_lenet_dropout_LDADD = $(TEST_PUBLIC_LIBS) -lm
tests_examples_test_lenet_dropout_SOURCES = tests/examples/test_lenet_dropout.c \
	examples/lenet/complain.c \
	examples/lenet/complain.h \
	examples/lenet/dataset.c \
	examples/lenet/dataset.h \
	examples/lenet/digits.c \
	examples/lenet/digits.h \
	examples/lenet/dropout.c \
	examples/lenet/dropout.h \
	examples/lenet/element.c \
	examples/lenet/element.h \
	examples/lenet/network.c \
	examples/lenet/network.h \
	examples/lenet/pass.c \
	examples/lenet/pass.h \
	examples/lenet/progress.c \
	examples/lenet/progress.h \
	examples/lenet/random.c \
	examples/lenet/random.h \
	examples/lenet/report.c \
	examples/lenet/report.h \
	examples/lenet/train.c \
	examples/lenet/train.h

TESTS += tests/examples/test_lenet_routes.sh
dist_check_SCRIPTS += tests/examples/test_lenet_routes.sh
