# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Runs of anydnn and what they must give. A test sources it after tests/tap.sh, and defines `run`, which keeps one run.

# keep COMMAND...: keeps the output, and the exit status in `found`.
keep() {
    "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    cat "$tap_dir/out" "$tap_dir/err"
}

# gives STATUS PATTERN ARGUMENT...: succeeds if the exit status is STATUS and standard output matches the pattern.
gives() {
    status=$1 pattern=$2
    shift 2
    run "$@"
    [ "$found" -eq "$status" ] || { echo "exit status $found, not $status"; return 1; }
    grep -q -e "$pattern" "$tap_dir/out" || { echo "no line with: $pattern"; return 1; }
}

# refuses STATUS PATTERN ARGUMENT...: succeeds if the exit status is STATUS and the program prints one
# message that matches the pattern. Warnings of the library may come in addition.
refuses() {
    status=$1 pattern=$2
    shift 2
    run "$@"
    [ "$found" -eq "$status" ] || { echo "exit status $found, not $status"; return 1; }
    grep -v '^anydnn: warning: ' "$tap_dir/err" >"$tap_dir/said"
    [ "$(wc -l <"$tap_dir/said")" -eq 1 ] || { echo "not one sentence"; return 1; }
    grep -q -e "^anydnn: .*$pattern" "$tap_dir/said" || { echo "no sentence with: $pattern"; return 1; }
}
