#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks pages of compare, replay and bench: well-formed and self-contained for all names of layers, with and
# without gnuplot. Names contain characters that are special in a shell.
# Needs: tools/anydnn
# shellcheck disable=SC2016
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH
page=$tap_dir/page.html
suite="$tap_dir/a<b>'&c.suite"
printf '[plugin cpu_ref]\nset.emulate = on\n' >"$tap_dir/emulate.conf"

# The names have special characters of HTML, XML and gnuplot, and bytes that are not UTF-8.
{
    echo 'plain: convolution_forward x=f32:1,16,6,6 w=f32:8,16,1,1'
    echo 'longer: convolution_forward x=f32:1,64,6,6 w=f32:8,64,3,3'
    echo '<script>alert(1)</script>&"`id`: convolution_forward x=f32:1,8,6,6 w=f32:8,8,1,1'
    echo "END'\$x]]>-->: convolution_forward x=f32:1,4,6,6 w=f32:8,4,1,1"
    printf 'bytes\377\001\355\240\200: convolution_forward x=f32:1,5,6,6 w=f32:8,5,1,1\n'
} >"$suite"

# written STATUS COMMAND ARGUMENT...: succeeds if the exit status is STATUS; output in $tap_dir/out and err.
written() {
    status=$1
    shift
    rm -f "$page"
    "$anydnn" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn $*"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}
holds() { python3 "$ANYDNN_TEST_SRCDIR/tests/tools/page.py" "$page" "$@"; }

compared() {
    written 0 compare --config "$tap_dir/emulate.conf" --html "$page" cpu_ref:default cpu_ref:allow_conversion \
        "$suite"
}
drawn() {
    compared && holds 5 '<script>alert(1)</script>&"`id`' "END'\$x]]>-->" 'A is cpu_ref:default' holds \
        "allow_conversion: a<b>'&c"
}
# Draws one page from the output of two comparisons, and checks that other files are refused.
redrawn() {
    for type in f32 f16; do
        written 0 compare --json --config "$tap_dir/emulate.conf" --type $type --sample 100 cpu_ref:default \
            cpu_ref:allow_conversion "$suite" || return 1
        cp "$tap_dir/out" "$tap_dir/$type.json"
    done
    written 0 compare --redraw --html "$page" "$tap_dir/f32.json" "$tap_dir/f16.json" &&
        holds "$1" '10 problems in several comparisons' 'cpu_ref:allow_conversion, f32' 'cpu_ref:default, f16' \
            'These are samples' 'All layers' "END'\$x]]>-->" || return 1
    echo '{"layers": [{"outputs": [{"errors": [{"side": 7}]}]}]}' >"$tap_dir/side.json"
    echo '{"layers": [' >"$tap_dir/cut.json"
    written 2 compare --redraw --html "$page" "$tap_dir/side.json" &&
        says 'side.json: not output of compare --json' &&
        written 2 compare --redraw --html "$page" "$tap_dir/cut.json" && says 'cut.json:2: .*; --redraw requires output of compare --json, not of --csv' &&
        written 2 compare --redraw "$tap_dir/f32.json" && says '--redraw requires --html FILE and files'
}
# Whole numbers have no error, so there is nothing to draw, and the page reports that.
exact() {
    written 0 compare --inputs integers --html "$page" cpu_ref cpu_ref "$suite" &&
        holds 0 'Worst elements'
}
# compared_by FOLDER: compares with the gnuplot in FOLDER instead of an installed one.
compared_by() (
    PATH=$1:$PATH
    export KEEP="$1"
    compared
)
undrawn() {
    mkdir -p "$tap_dir/bin" && printf '#!/bin/sh\nexit 1\n' >"$tap_dir/bin/gnuplot" && chmod +x "$tap_dir/bin/gnuplot"
    compared_by "$tap_dir/bin" && holds 0 'This figure is missing: gnuplot is not installed or failed.' '5 figures are missing'
}
# The input of gnuplot shows that each side's roofline is the best of its own points.
roofs() {
    mkdir -p "$tap_dir/keep" && printf '#!/bin/sh\ncat >"$KEEP/script.$$"\n' >"$tap_dir/keep/gnuplot" &&
        chmod +x "$tap_dir/keep/gnuplot" || return 1
    compared_by "$tap_dir/keep" && python3 - "$(grep -l TFLOP "$tap_dir"/keep/script.*)" <<'END'
import re, sys
script = open(sys.argv[1]).read()
roofs = re.findall(r"\(x\*(\S+) < (\S+) \? x\*(\S+) : (\S+)\) with lines", script)
sides = [[tuple(map(float, line.split())) for line in block.splitlines() if "?" not in line]
         for block in re.findall(r"^\$series\d+ << END\n(.*?)^END", script, re.S | re.M)]
assert len(roofs) == len(sides) == 2 and all(len(points) == 5 for points in sides), (roofs, sides)
for roof, points in zip(roofs, sides):
    slope, top = max(y / x for x, y in points), max(y for x, y in points)
    assert roof[0] == roof[2] and roof[1] == roof[3], roof
    assert abs(float(roof[0]) / slope - 1) < 1e-6 and abs(float(roof[1]) / top - 1) < 1e-6, (roof, points)
END
}
# Draws a page of two pairs, and a page of one.
timed() {
    written 0 bench --config "$tap_dir/emulate.conf" --rounds 1 --time 0.01 --peak-flops 1T --peak-bytes 10G --html "$page" \
        "$suite" cpu_ref:default cpu_ref:allow_conversion &&
        holds "$1" '<script>alert(1)</script>&"`id`' "END'\$x]]>-->" 'All layers' 'Geometric means' \
            "allow_conversion: a<b>'&c" 'convolution_forward x=f32:1,64,6,6' &&
        written 0 bench --rounds 1 --time 0.01 --peak-flops 1T --peak-bytes 10G --html "$page" "$suite" cpu_ref && holds "$1"
}
# The labels of the bars are the suite's names without the characters that are special to gnuplot.
bars() {
    written 0 bench --rounds 1 --time 0.01 --peak-flops 1T --peak-bytes 10G --plot "$tap_dir/bars.gp" "$suite" cpu_ref &&
        grep -q '^"_script_alert(1)_/script____id_" ' "$tap_dir/bars.gp" && ! grep -q '`id`' "$tap_dir/bars.gp"
}
replayed() {
    ANYDNN_TRACE_FILE=$tap_dir/calls "$anydnn" run 'convolution_forward x=f32:2,8,6,6 w=f32:4,8,3,3' >"$tap_dir/out" \
        2>"$tap_dir/err" &&
        written 0 replay --html "$page" "$tap_dir/calls" && holds "$1" 'as recorded'
}
refused() {
    written 2 compare --html "$tap_dir/none/page.html" cpu_ref cpu_ref "$suite" &&
        says '^anydnn: --html=.*/none/page.html: No such file' &&
        written 2 bench --html "$tap_dir/none/page.html" "$suite" cpu_ref &&
        says '^anydnn: --html=.*/none/page.html: No such file' &&
        written 2 replay --html '' "$tap_dir/calls" && says '^anydnn: --html=: requires the name of a file'
}

if command -v gnuplot >/dev/null 2>&1; then
    check "a comparison's page has its figures, and hostile names are text" drawn
    check "a trace's page" replayed 4
    check "several comparisons on one page" redrawn 5
    check "a page of speeds" timed 2
else
    skip "a comparison's page has its figures, and hostile names are text" "gnuplot is not installed"
    check "a trace's page" replayed 0
    check "several comparisons on one page" redrawn 0
    check "a page of speeds" timed 0
fi
check "layers' names in a script of bars are text" bars
check "the roofline of a comparison's side is the best of its layers" roofs
check "without errors, the page has only tables" exact
check "without gnuplot, the page reports that" undrawn
check "files that cannot be written" refused
tap_end
