# SPDX-License-Identifier: Apache-2.0
# What the shared library shows to the outside.

TESTS += tests/abi/symbols.sh
dist_check_SCRIPTS += tests/abi/symbols.sh
