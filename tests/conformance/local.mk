# SPDX-License-Identifier: Apache-2.0
# Tests that compare the operations with independent vectors, identities and difference quotients; public API only.

conformance_tests = \
	tests/conformance/test_emulate \
	tests/conformance/test_gradients \
	tests/conformance/test_gradients_ctc \
	tests/conformance/test_gradients_kinds \
	tests/conformance/test_gradients_norm \
	tests/conformance/test_identities \
	tests/conformance/test_identities_types \
	tests/conformance/test_norm_kinds \
	tests/conformance/test_products \
	tests/conformance/test_rounding \
	tests/conformance/test_sequences \
	tests/conformance/test_vectors
check_PROGRAMS += $(conformance_tests)
TESTS += $(conformance_tests)
folder_tests += $(conformance_tests)

check_LTLIBRARIES += tests/conformance/libfixtures.la
tests_conformance_libfixtures_la_SOURCES = \
	tests/conformance/draw.c \
	tests/conformance/draw.h \
	tests/conformance/gradients.c \
	tests/conformance/gradients.h \
	tests/conformance/problem_run.c \
	tests/conformance/problem_run.h \
	tests/conformance/shapes.c \
	tests/conformance/shapes.h \
	tests/conformance/types.c \
	tests/conformance/types.h \
	tools/alloc.c \
	tools/common.c \
	tools/files.c \
	tools/problem/element.c \
	tools/problem/operands.c \
	tools/problem/operands.h \
	tools/terminal.c \
	tools/verify/cases/vec_reader.c \
	tools/verify/cases/vec_reader.h \
	tools/verify/cases/vec_types.c \
	tools/verify/cases/vec_types.h
tests_conformance_libfixtures_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) -I$(top_srcdir)
tests/conformance/%: private FOLDER_LIBS = tests/conformance/libfixtures.la core/libanydnn_base.la $(JANSSON_LIBS)
tests/conformance/%: private FOLDER_OVER = libanydnn.la
$(conformance_tests): tests/conformance/libfixtures.la libanydnn.la

EXTRA_DIST += tests/vectors/README.md tests/vectors/check_convolution.py \
	tests/vectors/check_count.py tests/vectors/check_kinds.py tests/vectors/check_layers.py tests/vectors/check_sequences.py \
	tests/vectors/check_vectors.py tests/vectors/make_vectors.py tests/vectors/vec_batch_norm.py \
	tests/vectors/vec_convolution.py tests/vectors/vec_ctc.py \
	tests/vectors/vec_dropout.py tests/vectors/vec_exact.py tests/vectors/vec_integer.py \
	tests/vectors/vec_kinds.py tests/vectors/vec_mixed.py tests/vectors/vec_mixed_arithmetic.py tests/vectors/vec_norm.py \
	tests/vectors/vec_pointwise.py tests/vectors/vec_pooling.py tests/vectors/vec_reduce.py \
	tests/vectors/vec_softmax.py tests/vectors/vec_spatial.py tests/vectors/vec_tensor.py \
	tests/vectors/vec_transform.py \
	tests/vectors/vecfile.py tests/vectors/vecread.py
