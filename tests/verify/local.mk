# SPDX-License-Identifier: Apache-2.0
# The tests of anydnn verify, on faulty backends and on random problems.

TESTS += tests/verify/test_wrong.sh tests/verify/test_wrong_norm.sh tests/verify/test_wrong_types.sh \
	tests/verify/test_verify.sh \
	tests/verify/test_fuzz.sh
long_tests += tests/verify/test_fuzz_long.sh tests/verify/test_whole.sh
dist_check_SCRIPTS += tests/verify/test_fuzz.sh tests/verify/test_fuzz_long.sh tests/verify/test_quick.sh \
	tests/verify/test_verify.sh tests/verify/test_whole.sh tests/verify/test_wrong.sh \
	tests/verify/test_wrong_norm.sh tests/verify/test_wrong_types.sh
EXTRA_DIST += tests/verify/fuzz_seeds.sh tests/verify/verify.sh tests/verify/mutants.py tests/verify/mutants.txt

# Faulty backends, named after the entries of their tables of faults. They are built without a sanitizer, since anydnn
# verify must detect their faults.
wrong_backends = \
	tests/verify/wrong/anydnn_wrong.la \
	tests/verify/wrong/anydnn_wrong_exports.la \
	tests/verify/wrong/anydnn_wrong_fused.la \
	tests/verify/wrong/anydnn_wrong_norm.la \
	tests/verify/wrong/anydnn_wrong_places.la \
	tests/verify/wrong/anydnn_wrong_types.la
check_LTLIBRARIES += $(wrong_backends)
$(wrong_backends): $(PLUGIN_MAP)
WRONG_SOURCES = tests/verify/wrong/fault.h tests/verify/wrong/tensor.h $(FAKE_SOURCES)
WRONG_CFLAGS = $(AM_CFLAGS) -fno-sanitize=all
WRONG_LIBS = -ldl -lm

tests_verify_wrong_anydnn_wrong_la_SOURCES = tests/verify/wrong/wrong.c tests/verify/wrong/queue.h tests/verify/wrong/shelf.h $(WRONG_SOURCES)
tests_verify_wrong_anydnn_wrong_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_verify_wrong_anydnn_wrong_la_CFLAGS = $(WRONG_CFLAGS)
tests_verify_wrong_anydnn_wrong_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_verify_wrong_anydnn_wrong_la_LIBADD = $(WRONG_LIBS)

tests_verify_wrong_anydnn_wrong_exports_la_SOURCES = tests/verify/wrong/wrong.c tests/verify/wrong/queue.h tests/verify/wrong/shelf.h $(WRONG_SOURCES)
tests_verify_wrong_anydnn_wrong_exports_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DWRONG_EXPORTS
tests_verify_wrong_anydnn_wrong_exports_la_CFLAGS = $(WRONG_CFLAGS)
tests_verify_wrong_anydnn_wrong_exports_la_LDFLAGS = $(MOCK_OPEN)
tests_verify_wrong_anydnn_wrong_exports_la_LIBADD = $(WRONG_LIBS)

tests_verify_wrong_anydnn_wrong_fused_la_SOURCES = tests/verify/wrong/wrong_fused.c $(WRONG_SOURCES)
tests_verify_wrong_anydnn_wrong_fused_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_verify_wrong_anydnn_wrong_fused_la_CFLAGS = $(WRONG_CFLAGS)
tests_verify_wrong_anydnn_wrong_fused_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_verify_wrong_anydnn_wrong_fused_la_LIBADD = $(WRONG_LIBS)

tests_verify_wrong_anydnn_wrong_norm_la_SOURCES = tests/verify/wrong/wrong_norm.c $(WRONG_SOURCES)
tests_verify_wrong_anydnn_wrong_norm_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_verify_wrong_anydnn_wrong_norm_la_CFLAGS = $(WRONG_CFLAGS)
tests_verify_wrong_anydnn_wrong_norm_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_verify_wrong_anydnn_wrong_norm_la_LIBADD = $(WRONG_LIBS)

tests_verify_wrong_anydnn_wrong_places_la_SOURCES = tests/verify/wrong/wrong_places.c $(WRONG_SOURCES)
tests_verify_wrong_anydnn_wrong_places_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_verify_wrong_anydnn_wrong_places_la_CFLAGS = $(WRONG_CFLAGS)
tests_verify_wrong_anydnn_wrong_places_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_verify_wrong_anydnn_wrong_places_la_LIBADD = $(WRONG_LIBS)

tests_verify_wrong_anydnn_wrong_types_la_SOURCES = tests/verify/wrong/wrong_types.c $(WRONG_SOURCES)
tests_verify_wrong_anydnn_wrong_types_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_verify_wrong_anydnn_wrong_types_la_CFLAGS = $(WRONG_CFLAGS)
tests_verify_wrong_anydnn_wrong_types_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_verify_wrong_anydnn_wrong_types_la_LIBADD = $(WRONG_LIBS)
