#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks pages of compare and bench in a headless browser, 360 and 1,400 pixels wide. browser.py has the rules.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
page=$tap_dir/page.html
printf '[plugin cpu_ref]\nset.emulate = on\n' >"$tap_dir/emulate.conf"

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name" || :)
done

# opened FIGURES: checks the page, which must have FIGURES figures.
opened() {
    python3 "$ANYDNN_TEST_SRCDIR/tests/tools/browser.py" "$browser" "$page" "$1"
}
compared() {
    "$anydnn" compare --config "$tap_dir/emulate.conf" --suites "$ANYDNN_TEST_SRCDIR/bench/suites" --batch 1 --html "$page" \
        cpu_ref:default cpu_ref:allow_conversion lenet && opened 5
}
# The maximum number of sides for which a page has colours.
gathered() {
    for type in f32 f16 bf16 f64; do
        "$anydnn" compare --json --config "$tap_dir/emulate.conf" --suites "$ANYDNN_TEST_SRCDIR/bench/suites" --batch 1 \
            --type $type cpu_ref:default cpu_ref:allow_conversion lenet >"$tap_dir/$type.json" || return 1
    done
    "$anydnn" compare --redraw --html "$page" "$tap_dir"/*.json && opened 5
}
timed() {
    "$anydnn" bench --config "$tap_dir/emulate.conf" --suites "$ANYDNN_TEST_SRCDIR/bench/suites" --batch 1 --rounds 1 \
        --time 0.01 --peak-flops 50G --peak-bytes 10G --html "$page" lenet cpu_ref:default cpu_ref:allow_conversion && opened 2
}
# Checks that browser.py detects faults: an unbroken line, small labels, high rows, similar colours.
refused() {
    timed || return 1
    sed "s|<body>|<body><p style=\"white-space:nowrap;max-width:none\">$(printf 'wide %.0s' $(seq 100))</p>|" "$page" >"$tap_dir/wide.html"
    sed 's|img{display:block;width:100%|img{display:block;width:40%|' "$page" >"$tap_dir/small.html"
    sed 's|min-width:40em|min-width:0;width:6em|' "$page" >"$tap_dir/tall.html"
    # The first pair in an olive that looks like the second's red without red vision.
    python3 - "$page" "$tap_dir/alike.html" <<'END'
import base64, re, sys
text = open(sys.argv[1]).read()
def alike(found):
    svg = base64.b64decode(found.group(1)).decode()
    return "svg+xml;base64," + base64.b64encode(re.sub(r"(?i)#0072b2|rgb\( *0, *114, *178\)", "#808000", svg).encode()).decode()
open(sys.argv[2], "w").write(re.sub(r"svg\+xml;base64,([A-Za-z0-9+/=]+)", alike, text))
END
    for broken in wide:'pixels wide on 360' small:'labels of' tall:'a row of' alike:'apart (no '; do
        page=$tap_dir/${broken%%:*}.html
        opened 2 >"$tap_dir/out" 2>"$tap_dir/err" && { echo "${broken%%:*} is not seen"; return 1; }
        says "${broken#*:}" || return 1
    done
}

if [ -z "$browser" ] || ! command -v gnuplot >/dev/null 2>&1; then
    skip "pages in a browser" "no chromium, or no gnuplot"
else
    check "a comparison's page on both widths" compared
    check "a page of speeds on both widths" timed
    check "several comparisons on both widths" gathered
    check "boxes that are too wide and labels that are too small are detected" refused
fi
tap_end
