# SPDX-License-Identifier: Apache-2.0
# The tests of the program anydnn, with a backend that breaks the rules and a copy of one with a planted fault.

TESTS += tests/tools/test_anydnn.sh tests/tools/test_bench.sh tests/tools/test_compare.sh tests/tools/test_errata.sh tests/tools/test_files.sh \
	tests/tools/test_formats.sh \
	tests/tools/test_many_backends.sh tests/tools/test_replay.sh tests/tools/test_report.sh \
	tests/tools/test_run_types.sh tests/tools/test_shadow.sh
dist_check_SCRIPTS += tests/tools/test_anydnn.sh tests/tools/test_bench.sh tests/tools/test_compare.sh tests/tools/test_errata.sh tests/tools/test_files.sh \
	tests/tools/test_formats.sh \
	tests/tools/test_many_backends.sh tests/tools/test_replay.sh tests/tools/test_report.sh \
	tests/tools/test_run_types.sh tests/tools/test_shadow.sh
EXTRA_DIST += \
	tests/tools/formats/1/0.npy \
	tests/tools/formats/1/1.after.npy \
	tests/tools/formats/1/1.npy \
	tests/tools/formats/compare_1.json \
	tests/tools/formats/errata_1.ini \
	tests/tools/formats/settings_1.conf \
	tests/tools/formats/trace_1 \
	tests/tools/formats/trace_1_reduced \
	tests/tools/formats/tuning_1
EXTRA_DIST += tests/tools/answers.sh tests/tools/browser.py tests/tools/page.py tests/tools/run_types.py
long_tests += tests/tools/test_browser.sh tests/tools/test_shadow_long.sh
clock_tests += tests/tools/test_shadow_cost.sh
dist_check_SCRIPTS += tests/tools/test_browser.sh tests/tools/test_shadow_cost.sh tests/tools/test_shadow_long.sh

check_LTLIBRARIES += tests/tools/anydnn_trespass.la
tests_tools_anydnn_trespass_la_SOURCES = tests/tools/trespass.c $(FAKE_SOURCES)
tests_tools_anydnn_trespass_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_tools_anydnn_trespass_la_LIBADD = -ldl
tests_tools_anydnn_trespass_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
EXTRA_tests_tools_anydnn_trespass_la_DEPENDENCIES = $(PLUGIN_MAP)

check_LTLIBRARIES += tests/tools/anydnn_faulty.la
tests_tools_anydnn_faulty_la_SOURCES = tests/tools/faulty.c
tests_tools_anydnn_faulty_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_tools_anydnn_faulty_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
tests_tools_anydnn_faulty_la_LIBADD = -ldl
EXTRA_tests_tools_anydnn_faulty_la_DEPENDENCIES = $(PLUGIN_MAP)

if HAVE_CMOCKA
tools_tests = tests/tools/test_cancel tests/tools/test_dumps tests/tools/test_page tests/tools/test_terminal \
	tests/tools/test_traffic
check_PROGRAMS += $(tools_tests)
TESTS += $(tools_tests)
tests_tools_test_page_SOURCES = tests/tools/test_page.c \
	tools/alloc.c \
	tools/common.c \
	tools/files.c \
	tools/terminal.c \
	tools/report/figure.c \
	tools/report/page.c
tests_tools_test_page_CPPFLAGS = $(tools_anydnn_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_page_LDADD = libanydnn.la $(JANSSON_LIBS) $(CMOCKA_LIBS)
tests_tools_test_terminal_SOURCES = tests/tools/test_terminal.c \
	tools/alloc.c \
	tools/terminal.c
tests_tools_test_terminal_CPPFLAGS = $(tools_anydnn_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_terminal_LDADD = $(JANSSON_LIBS) $(CMOCKA_LIBS)
tests_tools_test_traffic_SOURCES = tests/tools/test_traffic.c \
	tools/problem/traffic.c \
	tools/alloc.c \
	tools/common.c \
	tools/files.c \
	tools/terminal.c \
	tools/options.c \
	tools/problem/element.c \
	tools/problem/given.c \
	tools/problem/operands.c \
	tools/problem/words.c \
	tools/suite/layer.c \
	tools/suite/name.c \
	tools/suite/options.c \
	tools/suite/suite.c
tests_tools_test_traffic_CPPFLAGS = $(tools_anydnn_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_traffic_LDADD = $(TEST_PUBLIC_LIBS) core/libanydnn_base.la $(JANSSON_LIBS) -lm

tests_tools_test_dumps_SOURCES = tests/tools/test_dumps.c \
	tools/alloc.c \
	tools/common.c \
	tools/files.c \
	tools/terminal.c \
	tools/compare/dump.c \
	tools/oracle/data.c \
	tools/oracle/source.c \
	tools/replay/read.c
tests_tools_test_dumps_CPPFLAGS = $(tools_anydnn_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_dumps_LDADD = $(TEST_PUBLIC_LIBS) core/libanydnn_base.la $(JANSSON_LIBS) -lm

tests_tools_test_cancel_SOURCES = tests/tools/test_cancel.c
tests_tools_test_cancel_CPPFLAGS = $(tools_anydnn_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_cancel_LDADD = core/libanydnn_base.la $(CMOCKA_LIBS) -lm
endif
