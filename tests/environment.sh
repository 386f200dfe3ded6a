# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sets the environment of every test, regardless of the caller's own settings. make check sources it after it has set
# ANYDNN_TEST_SRCDIR and ANYDNN_TEST_BUILDDIR. To run one test by hand, set these two and source this file.

for name in $(env | sed -n 's/^\(ANYDNN_[A-Za-z0-9_]*\)=.*/\1/p'); do
    case $name in
    ANYDNN_TEST_*) ;;
    *) unset "$name" ;;
    esac
done
ANYDNN_TEST_PLUGINDIR=$ANYDNN_TEST_BUILDDIR/plugins/built
ANYDNN_TEST_MOCKDIR=$ANYDNN_TEST_BUILDDIR/tests/loader/mocks/built
XDG_CONFIG_HOME=$ANYDNN_TEST_BUILDDIR/tests/empty_home
TSAN_OPTIONS="suppressions=$ANYDNN_TEST_SRCDIR/tests/tsan.supp die_after_fork=0 ${TSAN_OPTIONS-}"
# Fresh memory is never zero by chance, and freed memory keeps nothing, so code that reads either fails.
ASAN_OPTIONS="max_malloc_fill_size=67108864 max_free_fill_size=65536 ${ASAN_OPTIONS-}"
UBSAN_OPTIONS="print_stacktrace=1 ${UBSAN_OPTIONS-}"
# LeakSanitizer crashes when it searches the thread-local memory of a library that was opened late, such as
# oneDNN's OpenMP.
LSAN_OPTIONS="use_tls=0 print_suppressions=0 suppressions=$ANYDNN_TEST_SRCDIR/tests/lsan.supp ${LSAN_OPTIONS-}"
LC_ALL=C
# tests/locale builds the locales of other languages here.
LOCPATH=$ANYDNN_TEST_BUILDDIR/tests/locale
# The library warns of settings that their group can write.
umask 022
export ANYDNN_TEST_PLUGINDIR ANYDNN_TEST_MOCKDIR XDG_CONFIG_HOME TSAN_OPTIONS \
    ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS LC_ALL LOCPATH
mkdir -p "$XDG_CONFIG_HOME"
