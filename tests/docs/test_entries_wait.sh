#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every entry that takes a handle, or reads the settings, begins with ADN_ENTRY_SCOPE or ends in
# adn_call_run: messages for the application's callback wait until it has released its locks and objects.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

# Definitions without the scope, one a line.
bare() {
    awk '/^[a-z].*[ *]anydnn[A-Z][A-Za-z0-9_]*\(/ { head = ""; reading = 1 }
        reading { head = head " " $0 }
        /;/ && !begun { reading = 0 }
        /^\{/ && reading { begun = 1; reading = 0; scoped = 0 }
        begun && /ADN_ENTRY_SCOPE;|return adn_call_run\(/ { scoped = 1 }
        /^\}/ && begun {
            begun = 0
            wants = head ~ /anydnnHandle_t/ || FILENAME ~ /info\.c$/
            if (wants && !scoped) print FILENAME ":" head
            if (wants) count++
        }
        END { if (count < 80) print "only " count + 0 " entries were found" }' \
        "$ANYDNN_TEST_SRCDIR"/core/api/*.c
}

all_wait() {
    found=$(bare)
    [ -z "$found" ] && return 0
    echo "$found"
    return 1
}
check "entries with a handle hold messages back" all_wait
tap_end
