# SPDX-License-Identifier: Apache-2.0
# Whether two runs of a program of this folder printed the same numbers, line beside line, as `paste`
# joins them: `name sum norm name sum norm`, or `name step value` twice. The second run is the standard.
#
# A float sum of K products errs by at most 3.5 2^-24 S, S the sum of their absolute values, which is
# 0.8 sqrt(K) times as large as a sum of both signs. Here K <= 540: 4e-6 of such a sum at most, and
# 1.4e-6 as a root mean square over many elements, whose errors are spread evenly at least; so two
# orders of summation are 2e-6 of the norm apart. Eight steps of descent add up eight such differences
# at most, 1.6e-5, and each of two printed numbers has six digits: 2e-5 of the norm. What is a sum
# of elements may also differ by as much of itself.
function apart(a, b) { return a > b ? a - b : b - a }
NF != 6 || $1 != $4 { print "another line: " $0; bad = 1; next }
{ scale = $6 < 0 ? -$6 : $6 }
apart($2, $5) > 2e-5 * (scale + apart($5, 0)) || apart($3, $6) > 2e-5 * scale || $3 != $3 + 0 {
    print "differs: " $0
    bad = 1
}
END { exit bad || !NR }
