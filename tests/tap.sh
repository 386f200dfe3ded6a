# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Prints TAP for shell tests: a test sources this file, calls `check` for each case and ends with tap_end.

tap_cases=0
tap_dir=$(mktemp -d) || exit 99
trap 'rm -rf "$tap_dir"' EXIT

# check NAME COMMAND...: runs a case, which passes if COMMAND succeeds. A failure shows the command's output.
check() {
    tap_name=$1
    shift
    tap_cases=$((tap_cases + 1))
    if "$@" >"$tap_dir/output" 2>&1; then
        echo "ok $tap_cases - $tap_name"
    else
        echo "not ok $tap_cases - $tap_name"
        sed 's/^/# /' "$tap_dir/output"
    fi
}

# skip NAME REASON: reports a case that this machine cannot run.
skip() {
    tap_cases=$((tap_cases + 1))
    echo "ok $tap_cases - $1 # SKIP $2"
}

# says PATTERN: succeeds if $tap_dir/out or $tap_dir/err matches the pattern.
says() {
    grep -q -e "$1" "$tap_dir/out" "$tap_dir/err" && return 0
    echo "no output matches: $1"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

tap_end() {
    echo "1..$tap_cases"
}
