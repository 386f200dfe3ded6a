# SPDX-License-Identifier: Apache-2.0
# Tests of configure and of the make files.

long_tests += tests/build/test_fresh.sh
dist_check_SCRIPTS += tests/build/test_fresh.sh
