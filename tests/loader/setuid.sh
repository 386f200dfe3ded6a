#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that a set-user-ID program opens only files that only root can change. Needs root, to make such a program.
# Needs: tests/loader/open_one mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

names="a plain process opens it
opens what root alone can change
refuses a file of another owner
refuses a file that the group can write
refuses a file that others can write
refuses a folder that others can write
refuses a folder of another owner further up
refuses a link in a folder that others can write
ran no code of what it refused
a plain process gives a backend the library that a setting names
gives the library that root alone can change
withholds a library of another owner
withholds a library in a folder that others can write
withholds a library without a path"

skip_all() {
    while IFS= read -r name; do
        skip "$name" "$1"
    done <<END
$names
END
    tap_end
    exit 0
}

[ "$(id -u)" = 0 ] || skip_all "needs root"
id nobody >/dev/null 2>&1 || skip_all "needs the user nobody"
top=$(mktemp -d) || exit 99
trap 'rm -rf "$top" "$tap_dir"' EXIT
chmod 755 "$top"
ANYDNN_MOCK_MARKER=$top/marker
export ANYDNN_MOCK_MARKER
: >"$ANYDNN_MOCK_MARKER"
chmod 666 "$ANYDNN_MOCK_MARKER"
cp "$ANYDNN_TEST_BUILDDIR/tests/loader/open_one" "$top/plain" && cp "$top/plain" "$top/raised" &&
    chown nobody "$top/raised" && chmod 4755 "$top/raised" || exit 99

# backend FOLDER: makes a folder that only root can change, with the backend good_a in it.
backend() {
    mkdir -p "$top/$1"
    chmod 755 "$top/$1"
    cp "$ANYDNN_TEST_MOCKDIR/anydnn_good_a.so" "$top/$1/" || exit 99
    chmod 755 "$top/$1/anydnn_good_a.so"
}

# says PROGRAM FOLDER STAGE TEXT: checks that the output has this stage and contains this text.
says() {
    "$top/$1" "$top/$2" good_a >"$top/said" 2>&1
    cat "$top/said"
    grep -q "^stage $3\$" "$top/said" && grep -q -e "$4" "$top/said"
}

backend fine
"$top/raised" "$top/fine" good_a 2>/dev/null | grep -q "^privileged 1" ||
    skip_all "set-user-ID programs get no rights here"
backend owner
chown nobody "$top/owner/anydnn_good_a.so"
backend group
chmod g+w "$top/group/anydnn_good_a.so"
backend others
chmod o+w "$top/others/anydnn_good_a.so"
backend folder
chmod 1777 "$top/folder"
backend above/inner
chown nobody "$top/above"
mkdir "$top/links"
ln -s "$top/fine/anydnn_good_a.so" "$top/links/anydnn_good_a.so"
chmod 777 "$top/links"

check "a plain process opens it" says plain fine live "privileged 0"
check "opens a backend that only root can change" says raised fine live "privileged 1"
: >"$ANYDNN_MOCK_MARKER"
check "refuses a file of another owner" \
    says raised owner untrusted "owner/anydnn_good_a.so is owned by user .*, not by root: chown root"
check "refuses a file that the group can write" \
    says raised group untrusted "is writable by others than root (mode 0775): chmod go-w"
check "refuses a file that others can write" \
    says raised others untrusted "is writable by others than root (mode 0757): chmod go-w"
check "refuses a folder that others can write" \
    says raised folder untrusted "/folder is writable by others than root (mode 1777)"
check "refuses a folder of another owner further up" \
    says raised above/inner untrusted "/above is owned by user"
check "refuses a link in a folder that others can write" \
    says raised links untrusted "/links is writable by others than root (mode 0777)"
check "ran no code of the refused backends" test ! -s "$ANYDNN_MOCK_MARKER"

# gives PROGRAM VALUE GIVEN TEXT: checks that a backend receives GIVEN for a key that names code, and that the output
# contains this text.
gives() {
    "$top/$1" "$top/fine" good_a "$2" >"$top/said" 2>&1
    cat "$top/said"
    grep -qx "library $3" "$top/said" && grep -q -e "$4" "$top/said"
}

check "a plain process gives a backend the library that a setting names" \
    gives plain "$top/owner/anydnn_good_a.so" "$top/owner/anydnn_good_a.so" "stage live"
check "gives the library that only root can change" \
    gives raised "$top/fine/anydnn_good_a.so" "$top/fine/anydnn_good_a.so" "stage live"
check "withholds a library of another owner" gives raised "$top/owner/anydnn_good_a.so" none \
    "set.library = .* of backend good_a is ignored by a privileged process: .* is owned by user .*, not by root"
check "withholds a library in a folder that others can write" gives raised "$top/folder/anydnn_good_a.so" none \
    "/folder is writable by others than root (mode 1777)"
check "withholds a library without a path" gives raised libdnnl.so.3 none "it is not an absolute path"
tap_end
