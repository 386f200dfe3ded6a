#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of each tutorial, in a folder with an installed tree, and compares their output with the page.
# python/tests/torch.sh runs those that need torch.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/docs/overlay.sh"

runner=$ANYDNN_TEST_SRCDIR/tests/docs/tutorials.py
pages=$ANYDNN_TEST_SRCDIR/docs/tutorials
HOME=$tap_dir/home
export HOME
unset ANYDNN_PLUGIN_PATH XDG_CONFIG_HOME MAKEFLAGS MAKELEVEL MFLAGS

# in_home PAGE: runs a page with the variables of README.md.
in_home() (
    folder=$tap_dir/$(basename "$1" .md)
    mkdir -p "$folder"
    PATH=$HOME/anydnn/bin:$PATH
    LD_LIBRARY_PATH=$HOME/anydnn/lib
    PKG_CONFIG_PATH=$HOME/anydnn/lib/pkgconfig
    ANYDNN_DEVICE=cpu
    export PATH LD_LIBRARY_PATH PKG_CONFIG_PATH ANYDNN_DEVICE
    python3 "$runner" "$1" "$folder"
)

# detects PATTERN PAGE...: runs a page that is wrong. The runner must fail with output that matches.
detects() {
    pattern=$1
    shift
    printf '%s\n' "$@" >"$tap_dir/page.md"
    rm -rf "$tap_dir/spoilt" && mkdir "$tap_dir/spoilt"
    python3 "$runner" "$tap_dir/page.md" "$tap_dir/spoilt" >"$tap_dir/said" 2>&1 && { echo "not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q -e "$pattern" "$tap_dir/said"
}

if [ -n "${ANYDNN_TEST_SANITIZER-}" ] && [ "$ANYDNN_TEST_SANITIZER" != no ]; then
    skip "tutorials" "programs of others are built without a sanitizer"
    tap_end
    exit 0
fi
check "an installed tree" overlay "$HOME/anydnn"
for page in "$pages"/*.md; do
    case $page in
    */pytorch.md) ;;
    *) check "tutorial $(basename "$page")" in_home "$page" ;;
    esac
done
check "a command that fails is detected" detects 'exit status 3' '```sh' 'exit 3' '```'
check "a command that should fail is detected" detects 'exit status 0' '<!-- fails -->' '```sh' 'true' '```'
check "other output is detected" detects 'lacks this line: two' '```sh' 'echo one' '```' '<!-- output -->' '```' 'two' '```'
check "output in another order is detected" detects 'lacks this line: one' '```sh' 'echo one; echo two' '```' \
    '<!-- output -->' '```' 'two' 'one' '```'
check "a page without commands is detected" detects 'no commands' 'text'
tap_end
