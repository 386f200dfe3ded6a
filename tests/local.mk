# SPDX-License-Identifier: Apache-2.0
# Every test prints TAP, so that each case counts: cmocka's programs through run_cmocka.sh,
# shell tests through tests/tap.sh. No test depends on the current folder; see environment.sh.

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run_cmocka.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)

AM_TESTS_ENVIRONMENT = \
	ANYDNN_TEST_SRCDIR='$(abs_top_srcdir)'; export ANYDNN_TEST_SRCDIR; \
	ANYDNN_TEST_BUILDDIR='$(abs_top_builddir)'; export ANYDNN_TEST_BUILDDIR; \
	ANYDNN_TEST_SANITIZER='$(enable_sanitizer)'; export ANYDNN_TEST_SANITIZER; \
	ANYDNN_TEST_CFLAGS='$(CPPFLAGS) $(CFLAGS)'; export ANYDNN_TEST_CFLAGS; \
	CC='$(CC)'; export CC; NM='$(NM)'; export NM; AWK='$(AWK)'; export AWK; \
	VALGRIND='$(VALGRIND)'; export VALGRIND; NVCC='$(NVCC)'; export NVCC; \
	. '$(abs_top_srcdir)/tests/environment.sh';

TEST_CORE_LIBS = core/libanydnn_core.la $(CMOCKA_LIBS)
TEST_PUBLIC_LIBS = libanydnn.la $(CMOCKA_LIBS)
# The tests call every form of an entry by its symbol's name, regardless of the newest level.
TEST_CPPFLAGS = $(AM_CPPFLAGS) -DANYDNN_EVERY_FORM -I$(top_srcdir) $(CMOCKA_CFLAGS)

# make check excludes tests that take long for what they find (make check-long), and tests of times,
# which need an idle machine (make check-clock).
long_tests = tests/docs/test_site.sh
clock_tests =

# A folder with one program per test lists its tests by name in folder_tests. A program's source is FILE.c. It has
# the flags below, and links the folder's fixtures (FOLDER_LIBS), compiled once, before the core (or FOLDER_OVER).
folder_tests =
FOLDER_OVER = core/libanydnn_core.la
LDADD = $(FOLDER_LIBS) $(FOLDER_OVER) $(CMOCKA_LIBS) -ldl -lpthread -lm
tests/unit/% tests/dispatch/% tests/loader/% tests/conformance/%: private FOLDER_CPPFLAGS = -DANYDNN_EVERY_FORM -I$(top_srcdir) $(CMOCKA_CFLAGS)

# The backends that exist only for tests. A folder adds its own to mock_modules. Without an -rpath, libtool
# would build archives.
mock_modules =
check_DATA += tests/loader/mocks/built/.stamp
MOCK_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

tests/loader/mocks/built/.stamp: $(mock_modules)
	$(AM_V_GEN)$(call link_modules,tests/loader/mocks/built,$(mock_modules)) && : >$@

mocks-dir: tests/loader/mocks/built/.stamp

EXTRA_DIST += tests/README tests/environment.sh tests/holds.h tests/installed.sh tests/must.h tests/run_cmocka.sh tests/lsan.supp tests/tap.sh tests/tsan.supp tests/valgrind.supp

# Tests start in this order: first what takes longest, so that no core is left alone with it at the end.
include tests/cuda/local.mk
include tests/verify/local.mk
include tests/tools/local.mk
include tests/cudnn7/local.mk
include tests/cudnn9/local.mk
include tests/porting/local.mk
include tests/abi/local.mk
if HAVE_CMOCKA
include tests/unit/local.mk
include tests/loader/local.mk
include tests/dispatch/local.mk
include tests/conformance/local.mk
include tests/examples/local.mk
if HAVE_ONEDNN
include tests/onednn/local.mk
endif
endif
if HAVE_CUDNN
include tests/cudnn/local.mk
endif
$(folder_tests): core/libanydnn_core.la

include tests/opencl/local.mk
include tests/gpu/local.mk
include tests/locale/local.mk
include tests/process/local.mk
include tests/shortage/local.mk
include tests/probes/local.mk
include tests/shadow/local.mk
include tests/build/local.mk
include tests/template/local.mk

tests-installcheck:
	CC='$(CC)' CFLAGS='$(CFLAGS) $(ANYDNN_SANITIZE)' DESTDIR='$(DESTDIR)' PKG_CONFIG='$(PKG_CONFIG)' \
	$(SHELL) $(top_srcdir)/tests/installed.sh '$(abs_top_srcdir)' '$(prefix)' '$(libdir)' '$(bindir)' \
	    '$(pluginsdir)' '$(anydnnconfdir)' '$(docdir)'

# Runs the folders' own programs and the backends on the host. This takes minutes in slow builds, such as
# those with a sanitizer, in which make check takes many. The golden vectors run once, not staged as well.
quick_programs = $(filter-out tests/dispatch/test_stage_vectors,$(folder_tests)) $(tools_tests) $(example_tests) $(shadow_tests)
quick_tests = tests/verify/test_quick.sh $(quick_programs) tests/loader/setuid.sh tests/unit/settings_process.sh
# The goals that check-TESTS would build for all other tests are empty here.
just_these = check_PROGRAMS= check_LTLIBRARIES= check_DATA=
check-quick: all $(quick_programs) tests/loader/open_one tests/unit/settings_probe tests/loader/mocks/built/.stamp tests/locale/.stamp \
    tests/tools/anydnn_faulty.la
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS $(just_these) TESTS='$(quick_tests)'

# Runs the quick tests with a thread sanitizer. It excludes tests that take minutes there and start no threads, or only
# threads of OpenMP: the sanitizer does not see OpenMP's barriers, so it examines every access.
single_tests = $(conformance_tests) $(example_tests) tests/verify/test_quick.sh tests/onednn/test_modes
check-threads:
	$(MAKE) $(AM_MAKEFLAGS) check-quick quick_tests='$(filter-out $(single_tests),$(quick_tests))'

check-long: all tests/cuda/emulated_turing
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS $(just_these) TESTS='$(long_tests)'

check-clock: all $(clock_programs)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS $(just_these) TESTS='$(clock_tests)'

# scripts/check uses these goals: the generated files, without which a single goal does not compile in a fresh folder,
# and everything that the compiler and the linker make.
built-sources: config.h $(BUILT_SOURCES) $(nodist_anydnninclude_HEADERS)
everything: all-am mocks-dir $(check_PROGRAMS) $(check_LTLIBRARIES)

# clangd uses this file, in any build folder. It is always made anew, since only make knows whether it is out of date.
compile_commands.json: built-sources
	$(AM_V_GEN)$(srcdir)/scripts/compile-commands '$(MAKE)' '$(srcdir)' >$@.new && mv $@.new $@
CLEANFILES += compile_commands.json

tests-clean:
	rm -f tests/loader/mocks/*.o tests/loader/mocks/*.lo tests/loader/mocks/*.la
	rm -rf tests/loader/mocks/.libs tests/loader/mocks/built tests/empty_home tests/locale/de_DE.UTF-8 tests/locale/tr_TR.ISO-8859-9 tests/locale/.stamp tests/cuda/emulated*

.PHONY: built-sources check-clock check-long check-quick check-threads everything mocks-dir tests-clean tests-installcheck
