# SPDX-License-Identifier: Apache-2.0
# The program anydnn, and a backend that does what none may.

TESTS += tests/tools/test_anydnn.sh tests/tools/test_run_types.sh
dist_check_SCRIPTS += tests/tools/test_anydnn.sh tests/tools/test_run_types.sh
EXTRA_DIST += tests/tools/run_types.py

check_LTLIBRARIES += tests/tools/anydnn_trespass.la
tests_tools_anydnn_trespass_la_SOURCES = tests/tools/trespass.c
tests_tools_anydnn_trespass_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_tools_anydnn_trespass_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
EXTRA_tests_tools_anydnn_trespass_la_DEPENDENCIES = $(PLUGIN_MAP)
