# SPDX-License-Identifier: Apache-2.0
# The layers of the examples, LeNet's dropout by several backends, its routes, comparisons of trainings.

example_tests = tests/examples/test_layers tests/examples/test_lenet_dropout
check_PROGRAMS += $(example_tests)
TESTS += $(example_tests)
tests_examples_test_layers_CPPFLAGS = $(TEST_CPPFLAGS)
tests_examples_test_layers_LDADD = $(LAYERS_LIBS) $(TEST_PUBLIC_LIBS)
tests_examples_test_layers_SOURCES = tests/examples/test_layers.c
tests_examples_test_lenet_dropout_CPPFLAGS = $(TEST_CPPFLAGS) $(ZLIB_CFLAGS)
tests_examples_test_lenet_dropout_LDADD = $(LAYERS_LIBS) $(TEST_PUBLIC_LIBS) $(ZLIB_LIBS)
tests_examples_test_lenet_dropout_SOURCES = tests/examples/test_lenet_dropout.c \
	examples/lenet/digits.c \
	examples/lenet/digits.h \
	examples/lenet/idx.c \
	examples/lenet/idx.h \
	examples/lenet/lenet.c \
	examples/lenet/lenet.h

TESTS += tests/examples/test_compare.sh tests/examples/test_lenet_routes.sh
dist_check_SCRIPTS += tests/examples/test_compare.sh tests/examples/test_lenet_routes.sh
