# SPDX-License-Identifier: Apache-2.0
# The test of the template for backends, built as backend authors build it. make installcheck runs the same script.

TESTS += tests/template/test_template.sh
dist_check_SCRIPTS += tests/template/test_template.sh
