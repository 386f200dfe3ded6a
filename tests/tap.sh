# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# TAP for shell tests: source it, call check once a case, end with tap_end.

tap_cases=0
tap_dir=$(mktemp -d) || exit 99
trap 'rm -rf "$tap_dir"' EXIT

# check NAME COMMAND...: one case, passed if COMMAND succeeds; its output follows a failure.
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

# skip NAME WHY: a case that this machine cannot run.
skip() {
    tap_cases=$((tap_cases + 1))
    echo "ok $tap_cases - $1 # SKIP $2"
}

# says PATTERN: what a command left in $tap_dir/out or err holds it.
says() {
    grep -q -e "$1" "$tap_dir/out" "$tap_dir/err" && return 0
    echo "it does not say: $1"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

tap_end() {
    echo "1..$tap_cases"
}
