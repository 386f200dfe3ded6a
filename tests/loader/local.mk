# SPDX-License-Identifier: Apache-2.0
# The loader's tests, and the mocks that they open: one source, built once for each fault of an object.

loader_mocks = \
	tests/loader/mocks/anydnn_good_a.la \
	tests/loader/mocks/anydnn_good_b.la \
	tests/loader/mocks/anydnn_leak_a.la \
	tests/loader/mocks/anydnn_leak_b.la \
	tests/loader/mocks/anydnn_slow.la \
	tests/loader/mocks/anydnn_interposed.la \
	tests/loader/mocks/anydnn_unresolved.la \
	tests/loader/mocks/anydnn_bare.la \
	tests/loader/mocks/anydnn_borrower.la \
	tests/loader/mocks/anydnn_noabi.la \
	tests/loader/mocks/anydnn_nomain.la \
	tests/loader/mocks/anydnn_abicode.la \
	tests/loader/mocks/anydnn_abismall.la \
	tests/loader/mocks/anydnn_magic.la \
	tests/loader/mocks/anydnn_major.la \
	tests/loader/mocks/anydnn_newer.la \
	tests/loader/mocks/anydnn_older.la \
	tests/loader/mocks/anydnn_size0.la \
	tests/loader/mocks/anydnn_sizehuge.la
mock_modules += $(loader_mocks)

# As a backend should be built; with everything that is global in it visible; without all it needs.
MOCK_CLOSED_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
MOCK_OPEN_LDFLAGS = $(MOCK_LDFLAGS) $(ANYDNN_SO_LDFLAGS)
MOCK_SOURCES = tests/loader/mocks/mock.c

tests_loader_mocks_anydnn_good_a_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_good_a_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"good_a"'
tests_loader_mocks_anydnn_good_a_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_good_a_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_good_b_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_good_b_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"good_b"'
tests_loader_mocks_anydnn_good_b_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_good_b_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_leak_a_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_leak_a_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"leak_a"'
tests_loader_mocks_anydnn_leak_a_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_loader_mocks_anydnn_leak_a_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_leak_b_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_leak_b_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"leak_b"'
tests_loader_mocks_anydnn_leak_b_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_loader_mocks_anydnn_leak_b_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_slow_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_slow_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"slow"' -DMOCK_SLOW
tests_loader_mocks_anydnn_slow_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_slow_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_interposed_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_interposed_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"interposed"' -DMOCK_INTERPOSED
tests_loader_mocks_anydnn_interposed_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_unresolved_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_unresolved_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"unresolved"' -DMOCK_UNRESOLVED
tests_loader_mocks_anydnn_unresolved_la_LDFLAGS = $(MOCK_LDFLAGS)

tests_loader_mocks_anydnn_bare_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_bare_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"bare"' -DMOCK_BARE
tests_loader_mocks_anydnn_bare_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_borrower_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_borrower_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"borrower"' -DMOCK_BARE
tests_loader_mocks_anydnn_borrower_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS) -Wl,--no-as-needed \
	-Wl,-rpath,$(abs_builddir)/tests/loader/mocks/.libs \
	-Wl,tests/loader/mocks/.libs/anydnn_leak_a.so
EXTRA_tests_loader_mocks_anydnn_borrower_la_DEPENDENCIES = tests/loader/mocks/anydnn_leak_a.la

tests_loader_mocks_anydnn_noabi_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_noabi_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"noabi"' -DMOCK_NO_ABI
tests_loader_mocks_anydnn_noabi_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_nomain_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_nomain_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"nomain"' -DMOCK_NO_MAIN
tests_loader_mocks_anydnn_nomain_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_abicode_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_abicode_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"abicode"' -DMOCK_ABI_CODE
tests_loader_mocks_anydnn_abicode_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_abismall_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_abismall_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"abismall"' -DMOCK_ABI_SMALL
tests_loader_mocks_anydnn_abismall_la_LDFLAGS = $(MOCK_OPEN_LDFLAGS)

tests_loader_mocks_anydnn_magic_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_magic_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"magic"' -DMOCK_MAGIC=0x4b4e4f574eULL
tests_loader_mocks_anydnn_magic_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_magic_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_major_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_major_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"major"' -DMOCK_MAJOR=1
tests_loader_mocks_anydnn_major_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_major_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_newer_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_newer_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"newer"' -DMOCK_MINOR=7
tests_loader_mocks_anydnn_newer_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_newer_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_older_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_older_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"older"' -DMOCK_MINOR=0
tests_loader_mocks_anydnn_older_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_older_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_size0_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_size0_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"size0"' -DMOCK_ABI_SIZE=0
tests_loader_mocks_anydnn_size0_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_size0_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_loader_mocks_anydnn_sizehuge_la_SOURCES = $(MOCK_SOURCES)
tests_loader_mocks_anydnn_sizehuge_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"sizehuge"' -DMOCK_ABI_SIZE=0xffffffffu
tests_loader_mocks_anydnn_sizehuge_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_loader_mocks_anydnn_sizehuge_la_DEPENDENCIES = $(PLUGIN_MAP)

# The well-behaved test backend under its names (tests/mocks/mock_backend.c says what it can be told),
# one that computes as cpu_ref does on a "device", and one with a dropout of its own.
backend_mocks = \
	tests/mocks/anydnn_mock_a.la \
	tests/mocks/anydnn_mock_b.la \
	tests/mocks/anydnn_mock_device.la \
	tests/mocks/anydnn_mock_dropout.la \
	tests/mocks/anydnn_mock_far.la \
	tests/mocks/anydnn_mock_mirror.la \
	tests/mocks/anydnn_mock_noop.la
mock_modules += $(backend_mocks)

MOCK_BACKEND_SOURCES = \
	tests/mocks/mock.h \
	tests/mocks/mock_backend.c \
	tests/mocks/mock_operations.c \
	tests/mocks/mock_text.c

tests_mocks_anydnn_mock_a_la_SOURCES = $(MOCK_BACKEND_SOURCES)
tests_mocks_anydnn_mock_a_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"mock_a"'
tests_mocks_anydnn_mock_a_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_a_la_DEPENDENCIES = $(PLUGIN_MAP)

tests_mocks_anydnn_mock_b_la_SOURCES = $(MOCK_BACKEND_SOURCES)
tests_mocks_anydnn_mock_b_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"mock_b"'
tests_mocks_anydnn_mock_b_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_b_la_DEPENDENCIES = $(PLUGIN_MAP)

# The memory of the spaces of devices, found where it is built.
check_LTLIBRARIES += tests/mocks/libmock_memory.la
tests_mocks_libmock_memory_la_SOURCES = tests/mocks/mock_memory.c tests/mocks/mock_memory.h
tests_mocks_libmock_memory_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_libmock_memory_la_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_SO_LDFLAGS) -avoid-version -shared \
	-rpath $(abs_builddir)/tests/mocks/.libs
tests_mocks_libmock_memory_la_LIBADD = -lpthread

MOCK_SPACE_SOURCES = tests/mocks/mock.h tests/mocks/mock_memory.h tests/mocks/mock_operations.c \
	tests/mocks/mock_space.c tests/mocks/mock_text.c
MOCK_SPACE_LIBADD = tests/mocks/libmock_memory.la -lpthread

tests_mocks_anydnn_mock_device_la_SOURCES = tests/mocks/mock_backend.c $(MOCK_SPACE_SOURCES)
tests_mocks_anydnn_mock_device_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"mock_device"' \
	-DMOCK_DEVICE -DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_mock_device_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_device_la_DEPENDENCIES = $(PLUGIN_MAP)
tests_mocks_anydnn_mock_device_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_far_la_SOURCES = tests/mocks/mock_backend.c $(MOCK_SPACE_SOURCES)
tests_mocks_anydnn_mock_far_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"mock_far"' \
	-DMOCK_DEVICE -DMOCK_SPACE='"mockfar"'
tests_mocks_anydnn_mock_far_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_far_la_DEPENDENCIES = $(PLUGIN_MAP)
tests_mocks_anydnn_mock_far_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_mirror_la_SOURCES = tests/mocks/mock_mirror.c $(MOCK_SPACE_SOURCES)
tests_mocks_anydnn_mock_mirror_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"mock_mirror"' \
	-DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_mock_mirror_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_mirror_la_DEPENDENCIES = $(PLUGIN_MAP)
tests_mocks_anydnn_mock_mirror_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_dropout_la_SOURCES = tests/mocks/mock_dropout.c $(MOCK_SPACE_SOURCES)
tests_mocks_anydnn_mock_dropout_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) -DMOCK_NAME='"mock_dropout"' \
	-DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_mock_dropout_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_dropout_la_DEPENDENCIES = $(PLUGIN_MAP)
tests_mocks_anydnn_mock_dropout_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_noop_la_SOURCES = tests/mocks/mock_noop.c
tests_mocks_anydnn_mock_noop_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_anydnn_mock_noop_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
EXTRA_tests_mocks_anydnn_mock_noop_la_DEPENDENCIES = $(PLUGIN_MAP)

loader_tests = tests/loader/test_discover tests/loader/test_load tests/loader/test_faults \
	tests/loader/test_life
check_PROGRAMS += $(loader_tests) tests/loader/open_one
TESTS += $(loader_tests) tests/loader/setuid.sh
dist_check_SCRIPTS += tests/loader/setuid.sh

loader_fixture = tests/loader/fixture.c tests/loader/fixture.h

tests_loader_test_discover_SOURCES = tests/loader/test_discover.c $(loader_fixture)
tests_loader_test_discover_CPPFLAGS = $(TEST_CPPFLAGS)
tests_loader_test_discover_LDADD = $(TEST_CORE_LIBS)

tests_loader_test_load_SOURCES = tests/loader/test_load.c $(loader_fixture)
tests_loader_test_load_CPPFLAGS = $(TEST_CPPFLAGS)
tests_loader_test_load_LDADD = $(TEST_CORE_LIBS)

tests_loader_test_faults_SOURCES = tests/loader/test_faults.c $(loader_fixture)
tests_loader_test_faults_CPPFLAGS = $(TEST_CPPFLAGS)
tests_loader_test_faults_LDADD = $(TEST_CORE_LIBS)
# A program that exports a function of a mock's name, as any program may.
tests_loader_test_faults_LDFLAGS = $(AM_LDFLAGS) -export-dynamic

tests_loader_test_life_SOURCES = tests/loader/test_life.c $(loader_fixture)
tests_loader_test_life_CPPFLAGS = $(TEST_CPPFLAGS)
tests_loader_test_life_LDADD = $(TEST_CORE_LIBS)

tests_loader_open_one_SOURCES = tests/loader/open_one.c
tests_loader_open_one_CPPFLAGS = $(TEST_CPPFLAGS)
tests_loader_open_one_LDADD = core/libanydnn_core.la
