# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += scripts/setup scripts/demo scripts/test scripts/lint scripts/lib.sh .ci/run
