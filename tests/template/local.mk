# SPDX-License-Identifier: Apache-2.0
# The backend that others begin with, built as they build it. make installcheck runs the same script.

TESTS += tests/template/test_template.sh
dist_check_SCRIPTS += tests/template/test_template.sh
