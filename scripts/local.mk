# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += scripts/setup scripts/demo scripts/test scripts/lint scripts/lib.sh scripts/abi-baseline scripts/backends-table .ci/run
