# SPDX-License-Identifier: Apache-2.0
# anydnn verify, on backends that are wrong on purpose, and on random problems.

TESTS += tests/verify/test_wrong.sh tests/verify/test_wrong_types.sh tests/verify/test_verify.sh \
	tests/verify/test_fuzz.sh
long_tests += tests/verify/test_fuzz_long.sh tests/verify/test_whole.sh
dist_check_SCRIPTS += tests/verify/test_fuzz.sh tests/verify/test_fuzz_long.sh tests/verify/test_quick.sh \
	tests/verify/test_verify.sh tests/verify/test_whole.sh tests/verify/test_wrong.sh \
	tests/verify/test_wrong_types.sh
EXTRA_DIST += tests/verify/fuzz_seeds.sh tests/verify/verify.sh tests/verify/wrong/wrong.c tests/verify/wrong/wrong_fused.c \
	tests/verify/wrong/wrong_places.c tests/verify/wrong/wrong_types.c \
	tests/verify/wrong/shelf.h tests/verify/wrong/tensor.h tests/verify/mutants.py \
	tests/verify/mutants.txt
