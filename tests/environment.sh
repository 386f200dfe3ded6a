# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sets the environment of every test, whatever the caller's own settings are. make check sources it after
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
# Fresh memory is never zero by chance, and freed memory keeps nothing: what reads either shows itself.
ASAN_OPTIONS="max_malloc_fill_size=67108864 max_free_fill_size=65536 ${ASAN_OPTIONS-}"
UBSAN_OPTIONS="print_stacktrace=1 ${UBSAN_OPTIONS-}"
# LeakSanitizer faults where it looks through the thread-local memory of what a library opened late, as
# oneDNN brings its OpenMP.
LSAN_OPTIONS="use_tls=0 print_suppressions=0 suppressions=$ANYDNN_TEST_SRCDIR/tests/lsan.supp ${LSAN_OPTIONS-}"
LC_ALL=C
# Where tests/locale has made other languages.
LOCPATH=$ANYDNN_TEST_BUILDDIR/tests/locale
# Settings that their group can write are warned of.
umask 022
export ANYDNN_TEST_PLUGINDIR ANYDNN_TEST_MOCKDIR XDG_CONFIG_HOME TSAN_OPTIONS \
    ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS LC_ALL LOCPATH
mkdir -p "$XDG_CONFIG_HOME"
