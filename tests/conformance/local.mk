# SPDX-License-Identifier: Apache-2.0
# Operations held to vectors, identities and difference quotients that are not ours; public API only.

check_PROGRAMS += tests/conformance/test_vectors tests/conformance/test_identities \
	tests/conformance/test_identities_types tests/conformance/test_gradients \
	tests/conformance/test_gradients_norm
TESTS += tests/conformance/test_vectors tests/conformance/test_identities \
	tests/conformance/test_identities_types tests/conformance/test_gradients \
	tests/conformance/test_gradients_norm

conformance_types = tools/verify/vec_types.c tools/verify/vec_types.h
conformance_run = tests/conformance/problem_run.c tests/conformance/problem_run.h \
	tests/conformance/types.c tests/conformance/types.h

tests_conformance_test_vectors_SOURCES = tests/conformance/test_vectors.c $(conformance_run) \
	tools/verify/vec_reader.c tools/verify/vec_reader.h $(conformance_types)
tests_conformance_test_vectors_CPPFLAGS = $(TEST_CPPFLAGS)
tests_conformance_test_vectors_LDADD = $(TEST_PUBLIC_LIBS) -lm

conformance_shapes = tests/conformance/shapes.c tests/conformance/shapes.h $(conformance_types) \
	$(conformance_run) tests/conformance/draw.c tests/conformance/draw.h

tests_conformance_test_identities_SOURCES = tests/conformance/test_identities.c \
	$(conformance_shapes)
tests_conformance_test_identities_CPPFLAGS = $(TEST_CPPFLAGS)
tests_conformance_test_identities_LDADD = $(TEST_PUBLIC_LIBS) -lm

tests_conformance_test_identities_types_SOURCES = tests/conformance/test_identities_types.c \
	$(conformance_shapes)
tests_conformance_test_identities_types_CPPFLAGS = $(TEST_CPPFLAGS)
tests_conformance_test_identities_types_LDADD = $(TEST_PUBLIC_LIBS) -lm

conformance_gradients = tests/conformance/gradients.c tests/conformance/gradients.h \
	$(conformance_run) tests/conformance/draw.c tests/conformance/draw.h

tests_conformance_test_gradients_SOURCES = tests/conformance/test_gradients.c \
	$(conformance_gradients)
tests_conformance_test_gradients_CPPFLAGS = $(TEST_CPPFLAGS)
tests_conformance_test_gradients_LDADD = $(TEST_PUBLIC_LIBS) -lm

tests_conformance_test_gradients_norm_SOURCES = tests/conformance/test_gradients_norm.c \
	$(conformance_gradients)
tests_conformance_test_gradients_norm_CPPFLAGS = $(TEST_CPPFLAGS)
tests_conformance_test_gradients_norm_LDADD = $(TEST_PUBLIC_LIBS) -lm

check_PROGRAMS += tests/conformance/test_emulate
TESTS += tests/conformance/test_emulate
tests_conformance_test_emulate_SOURCES = tests/conformance/test_emulate.c
tests_conformance_test_emulate_CPPFLAGS = $(TEST_CPPFLAGS)
tests_conformance_test_emulate_LDADD = $(TEST_PUBLIC_LIBS)

EXTRA_DIST += tests/vectors/README.md tests/vectors/check_convolution.py \
	tests/vectors/check_count.py tests/vectors/check_layers.py tests/vectors/check_vectors.py \
	tests/vectors/make_vectors.py tests/vectors/vec_batch_norm.py tests/vectors/vec_convolution.py \
	tests/vectors/vec_dropout.py tests/vectors/vec_exact.py tests/vectors/vec_integer.py \
	tests/vectors/vec_mixed.py tests/vectors/vec_mixed_arithmetic.py tests/vectors/vec_norm.py \
	tests/vectors/vec_pointwise.py tests/vectors/vec_pooling.py tests/vectors/vec_reduce.py \
	tests/vectors/vec_softmax.py tests/vectors/vec_tensor.py tests/vectors/vec_transform.py \
	tests/vectors/vecfile.py tests/vectors/vecread.py
