#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that files of earlier versions are still read, and that files of a newer schema are refused with both numbers.
# tests/tools/formats has the files; each was written by the version that its name or comment gives. docs/formats.md
# lists the schemas.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
earlier=$tap_dir/earlier
cp -R "$ANYDNN_TEST_SRCDIR/tests/tools/formats" "$earlier" && chmod -R u+w "$earlier" || exit 1
ANYDNN_DEVICE=cpu
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_DEVICE ANYDNN_PLUGIN_PATH

# run STATUS ARGUMENT...: runs the program, which must exit with STATUS.
run() {
    wanted=$1
    shift
    "$anydnn" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    status=$?
    [ "$status" -eq "$wanted" ] || { echo "exit status $status"; cat "$tap_dir/out" "$tap_dir/err"; return 1; }
}

# The trace's call has a dump: softmax of 0, 1, 2 and of 3, 5, 8.
reads_trace() {
    run 0 replay "$earlier/trace_1" cpu_ref:default && says 'on the data of dump 1' && says '^1 calls*, .* 0 lines damaged'
}

reads_reduced() {
    run 0 replay "$earlier/trace_1_reduced" cpu_ref:default && says ' 0 lines damaged'
}

reads_tuning() {
    run 0 info --tuning "$earlier/tuning_1" && says 'convolution_forward' && says 'onednn'
}

# errata FILE: puts the file beside settings, where the library reads it.
errata() {
    mkdir -p "$tap_dir/beside/errata.d"
    cp "$1" "$tap_dir/beside/errata.d/one.ini"
    : >"$tap_dir/beside/anydnn.conf"
}

reads_errata() {
    errata "$earlier/errata_1.ini" && ANYDNN_CONFIG=$tap_dir/beside/anydnn.conf run 0 errata &&
        says 'softmax-of-onednn'
}

reads_settings() {
    ANYDNN_CONFIG=$earlier/settings_1.conf run 0 config && says '^sample = 1/1000 .*settings_1.conf' &&
        says '^pooling_\* = cpu_ref, fallback:off' && [ ! -s "$tap_dir/err" ]
}

reads_json() {
    run 0 compare --redraw --html "$tap_dir/page.html" "$earlier/compare_1.json" && [ -s "$tap_dir/page.html" ]
}

# newer FILE SED_COMMAND: changes the schema of a file.
newer() {
    sed "$2" "$earlier/$1" >"$tap_dir/newer"
    ! cmp -s "$earlier/$1" "$tap_dir/newer" || { echo "the sed command changed nothing"; return 1; }
}

refuses_trace() {
    newer trace_1 '1s/trace 1/trace 2/' && run 1 replay "$tap_dir/newer" cpu_ref:default &&
        says 'the trace has schema 2, and this program reads schema 1'
}

refuses_errata() {
    newer errata_1.ini '1s/^/schema = 2\n/' && errata "$tap_dir/newer" &&
        ANYDNN_CONFIG=$tap_dir/beside/anydnn.conf run 0 errata &&
        says 'one.ini:1: the file has schema 2, and this library reads schema 1' && ! grep -q softmax-of "$tap_dir/out"
}

takes_errata_of_schema() {
    newer errata_1.ini '1s/^/schema = 1\n/' && errata "$tap_dir/newer" &&
        ANYDNN_CONFIG=$tap_dir/beside/anydnn.conf run 0 errata && says 'softmax-of-onednn' && ! grep -q schema "$tap_dir/err"
}

refuses_json() {
    newer compare_1.json '1s/{/{ "schema": 2,/' && run 2 compare --redraw --html "$tap_dir/page.html" "$tap_dir/newer" &&
        says 'the file has schema 2, and this program reads schema 1'
}

# Each JSON output has the schema.
names_schema() {
    run 0 "$@" && says '"schema": 1'
}

check "a trace with a dump" reads_trace
check "a reduced trace without a schema" reads_reduced
if [ -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    check "a tuning file" reads_tuning
fi
check "an errata file" reads_errata
check "an errata file with its schema" takes_errata_of_schema
check "settings" reads_settings
check "a comparison in JSON" reads_json
check "a newer trace is refused" refuses_trace
check "newer errata are refused" refuses_errata
check "a newer comparison is refused" refuses_json
for command in info config 'explain scale_tensor y=f32:3' 'run scale_tensor y=f32:3' 'compare cpu_ref cpu_ref scale_tensor y=f32:3' \
    'verify --quick --op scale_tensor --type f32 cpu_ref' errata abi; do
    first=${command%% *}
    rest=${command#"$first"}
    # shellcheck disable=SC2086 # Each word is an argument.
    check "the JSON of $first has a schema" names_schema "$first" --json $rest
done
tap_end
