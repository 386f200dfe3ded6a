#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that every entry that takes a handle or reads the settings uses ADN_ENTRY_SCOPE or adn_call_run. Messages for
# the application's callback then wait until the entry has released its locks and objects.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

# Prints the entries without the scope, one per line.
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
check "entries with a handle delay messages" all_wait
tap_end
