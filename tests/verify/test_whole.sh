#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every case of anydnn verify on cpu_ref and checks that there are enough. This is one of the long tests.
# Needs: tools/anydnn mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/verify/verify.sh"

# The golden vectors are found, each case has a known answer, and none is declined. There are at least 6 cases of each
# operation and type, and 1000 in all.
passes_cpu_ref() {
    verify 0 cpu_ref && says ' 0 declined, 0 failed$' && says ' golden ' &&
        ! says 'Without golden vectors' >/dev/null && ! says 'without a known answer' >/dev/null
}
has_enough_cases() {
    awk '$1 ~ /_|im2col/ && $3 != "golden" && $2 ~ /^[a-z]+[0-9]+/ && NF == 6 { sum[$1 " " $2] += $4 }
         END { for (key in sum) { all += sum[key]; if (sum[key] < 6) { print key, sum[key]; bad = 1 } }
               if (all < 1000) { print all, "in all"; bad = 1 }
               exit bad }' "$tap_dir/out"
}

check 'cpu_ref passes' passes_cpu_ref
check 'at least 6 cases of each operation and type, 1000 in all' has_enough_cases
tap_end
