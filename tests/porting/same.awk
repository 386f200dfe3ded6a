# SPDX-License-Identifier: Apache-2.0
# Checks that two runs of a program of this folder printed the same numbers. `paste` joins their lines:
# `name sum norm name sum norm`, or `name step value` twice. The second run is the reference.
#
# A float sum of K products has an error of at most 3.5 2^-24 S, where S is the sum of their absolute
# values. S is 0.8 sqrt(K) times as large as a sum of both signs. Here K <= 540, so the error is at
# most 4e-6 of such a sum. As a root mean square over many elements, whose errors are at least evenly
# distributed, it is 1.4e-6. Two orders of summation therefore differ by 2e-6 of the norm. Eight steps
# of descent add up at most eight such differences, 1.6e-5. Each of the two printed numbers has six
# digits, which gives 2e-5 of the norm. A sum of elements may also differ by the same share of itself.
function apart(a, b) { return a > b ? a - b : b - a }
NF != 6 || $1 != $4 { print "another line: " $0; bad = 1; next }
{ scale = $6 < 0 ? -$6 : $6 }
apart($2, $5) > 2e-5 * (scale + apart($5, 0)) || apart($3, $6) > 2e-5 * scale || $3 != $3 + 0 {
    print "differs: " $0
    bad = 1
}
END { exit bad || !NR }
