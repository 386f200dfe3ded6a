# SPDX-License-Identifier: Apache-2.0
# The loader's tests and the mocks that they open: one source, built once for each fault of an object. To add a test,
# add its name to loader_tests. To add a mock, add its name to loader_mocks and its own flags below.

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

# The compiler flags of each mock.
LOADER_MOCK_slow = -DMOCK_SLOW
LOADER_MOCK_interposed = -DMOCK_INTERPOSED
LOADER_MOCK_unresolved = -DMOCK_UNRESOLVED
LOADER_MOCK_bare = -DMOCK_BARE
LOADER_MOCK_borrower = -DMOCK_BARE
LOADER_MOCK_noabi = -DMOCK_NO_ABI
LOADER_MOCK_nomain = -DMOCK_NO_MAIN
LOADER_MOCK_abicode = -DMOCK_ABI_CODE
LOADER_MOCK_abismall = -DMOCK_ABI_SMALL
LOADER_MOCK_magic = -DMOCK_MAGIC=0x4b4e4f574eULL
LOADER_MOCK_major = -DMOCK_MAJOR=1
LOADER_MOCK_newer = -DMOCK_MINOR=ANYDNN_PLUGIN_ABI_MINOR+1
LOADER_MOCK_older = -DMOCK_MINOR=0
LOADER_MOCK_size0 = -DMOCK_ABI_SIZE=0
LOADER_MOCK_sizehuge = -DMOCK_ABI_SIZE=0xffffffffu
LOADER_MOCK_leak_a = -fvisibility=default
LOADER_MOCK_leak_b = -fvisibility=default

# The link flags. MOCK_CLOSED_LDFLAGS has those that backends should use; MOCK_OPEN leaves all globals visible.
MOCK_CLOSED_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
MOCK_OPEN = $(MOCK_LDFLAGS) $(ANYDNN_SO_LDFLAGS)
loader_mocks_open = leak_a leak_b interposed bare noabi nomain abicode abismall
loader_mock_link = $(if $(filter $(loader_mocks_open),$*),$(MOCK_OPEN),$(MOCK_CLOSED_LDFLAGS))
tests/loader/mocks/anydnn_unresolved.la: private loader_mock_link = $(MOCK_LDFLAGS)
tests/loader/mocks/anydnn_borrower.la: private loader_mock_link = $(MOCK_OPEN) -Wl,--no-as-needed \
	-Wl,-rpath,$(abs_builddir)/tests/loader/mocks/.libs \
	-Wl,tests/loader/mocks/.libs/anydnn_leak_a.so
tests/loader/mocks/anydnn_borrower.la: tests/loader/mocks/anydnn_leak_a.la

EXTRA_DIST += tests/loader/mocks/mock.c
tests/loader/mocks/anydnn_%.lo: tests/loader/mocks/mock.c $(dist_anydnninclude_HEADERS)
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(CC) $(PLUGIN_CPPFLAGS) $(CPPFLAGS) \
	    $(AM_CFLAGS) $(CFLAGS) -DMOCK_NAME='"$*"' $(LOADER_MOCK_$*) -c -o $@ $<

tests/loader/mocks/anydnn_%.la: tests/loader/mocks/anydnn_%.lo $(PLUGIN_MAP)
	$(AM_V_CCLD)$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) $(AM_CFLAGS) $(CFLAGS) $(loader_mock_link) $(LDFLAGS) \
	    -o $@ $<

# The test backends of tests/mocks. mock_backend.c there documents the settings of most of them.
backend_mocks = \
	tests/mocks/anydnn_mock_a.la \
	tests/mocks/anydnn_mock_b.la \
	tests/mocks/anydnn_mock_device.la \
	tests/mocks/anydnn_mock_dropout.la \
	tests/mocks/anydnn_mock_far.la \
	tests/mocks/anydnn_mock_float.la \
	tests/mocks/anydnn_mock_mirror.la \
	tests/mocks/anydnn_mock_noop.la \
	tests/mocks/anydnn_mock_second.la
mock_modules += $(backend_mocks)
check_LTLIBRARIES += $(backend_mocks)
$(backend_mocks): $(PLUGIN_MAP)

# The memory of device spaces, loaded from the build folder.
check_LTLIBRARIES += tests/mocks/libmock_memory.la
tests_mocks_libmock_memory_la_SOURCES = tests/mocks/mock_memory.c tests/mocks/mock_memory.h
tests_mocks_libmock_memory_la_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_SO_LDFLAGS) -avoid-version -shared \
	-rpath $(abs_builddir)/tests/mocks/.libs
tests_mocks_libmock_memory_la_LIBADD = -lpthread

# Files that all mocks share, and files that device mocks share.
check_LTLIBRARIES += tests/mocks/libmock.la tests/mocks/libmock_space.la
FAKE_CPPFLAGS = $(PLUGIN_CPPFLAGS) -I$(top_srcdir)/plugins -I$(top_srcdir)/tests
tests_mocks_libmock_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_convolution.c tests/mocks/mock_operations.c \
	tests/mocks/mock_text.c tests/mocks/mock_time.c $(KIT_SOURCES)
tests_mocks_libmock_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_mocks_libmock_space_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_memory.h tests/mocks/mock_space.c \
	tests/mocks/mock_space.h tests/mocks/mock_aside.c tests/mocks/mock_stream.c tests/mocks/mock_variants.c
tests_mocks_libmock_space_la_CPPFLAGS = $(FAKE_CPPFLAGS)
MOCK_SPACE_LIBADD = tests/mocks/libmock.la tests/mocks/libmock_space.la tests/mocks/libmock_memory.la -lpthread

tests_mocks_anydnn_mock_a_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_backend.c
tests_mocks_anydnn_mock_a_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"mock_a"'
tests_mocks_anydnn_mock_a_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_a_la_LIBADD = tests/mocks/libmock.la

tests_mocks_anydnn_mock_b_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_backend.c
tests_mocks_anydnn_mock_b_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"mock_b"'
tests_mocks_anydnn_mock_b_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_b_la_LIBADD = tests/mocks/libmock.la

tests_mocks_anydnn_mock_device_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_backend.c
tests_mocks_anydnn_mock_device_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"mock_device"' -DMOCK_DEVICE -DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_mock_device_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_device_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_far_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_backend.c
tests_mocks_anydnn_mock_far_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"mock_far"' -DMOCK_DEVICE -DMOCK_SPACE='"mockfar"'
tests_mocks_anydnn_mock_far_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_far_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_second_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_backend.c
tests_mocks_anydnn_mock_second_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"mock_second"' -DMOCK_DEVICE -DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_mock_second_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_second_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_mirror_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_mirror.c
tests_mocks_anydnn_mock_mirror_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"mock_mirror"' -DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_mock_mirror_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_mirror_la_LIBADD = $(MOCK_SPACE_LIBADD)

# These mocks have the names of GPU backends. Built-in routes would select them, so they are not in mock_modules: a
# test names their files.
check_LTLIBRARIES += tests/mocks/anydnn_cuda_naive.la tests/mocks/anydnn_cuda_simt.la
tests_mocks_anydnn_cuda_naive_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_mirror.c
tests_mocks_anydnn_cuda_naive_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"cuda_naive"' -DMOCK_SPACE='"mockdev"' \
	-DMOCK_FLAGS=ANYDNN_PLUGIN_REFERENCE
tests_mocks_anydnn_cuda_naive_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_cuda_naive_la_LIBADD = $(MOCK_SPACE_LIBADD)
tests_mocks_anydnn_cuda_simt_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_backend.c
tests_mocks_anydnn_cuda_simt_la_CPPFLAGS = $(FAKE_CPPFLAGS) -DMOCK_NAME='"cuda_simt"' -DMOCK_DEVICE -DMOCK_SPACE='"mockdev"'
tests_mocks_anydnn_cuda_simt_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_cuda_simt_la_LIBADD = $(MOCK_SPACE_LIBADD)

tests_mocks_anydnn_mock_dropout_la_SOURCES = tests/mocks/mock.h tests/mocks/mock_settings.h tests/mocks/mock_dropout.c tests/mocks/fake.c \
	tests/mocks/fake.h
tests_mocks_anydnn_mock_dropout_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_mocks_anydnn_mock_dropout_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_dropout_la_LIBADD = $(MOCK_SPACE_LIBADD) -ldl

# Small backends, each built from one file and these.
FAKE_SOURCES = tests/mocks/fake.c tests/mocks/fake.h $(KIT_SOURCES)
tests_mocks_anydnn_mock_float_la_SOURCES = tests/mocks/mock_float.c $(FAKE_SOURCES)
tests_mocks_anydnn_mock_float_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_mocks_anydnn_mock_float_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_float_la_LIBADD = -ldl -lm

tests_mocks_anydnn_mock_noop_la_SOURCES = tests/mocks/mock_noop.c $(FAKE_SOURCES)
tests_mocks_anydnn_mock_noop_la_CPPFLAGS = $(FAKE_CPPFLAGS)
tests_mocks_anydnn_mock_noop_la_LDFLAGS = $(MOCK_CLOSED_LDFLAGS)
tests_mocks_anydnn_mock_noop_la_LIBADD = -ldl

loader_tests = \
	tests/loader/test_discover \
	tests/loader/test_faults \
	tests/loader/test_life \
	tests/loader/test_load
check_PROGRAMS += $(loader_tests) tests/loader/open_one
TESTS += $(loader_tests) tests/loader/setuid.sh
folder_tests += $(loader_tests)
dist_check_SCRIPTS += tests/loader/setuid.sh

check_LTLIBRARIES += tests/loader/libfixtures.la
tests_loader_libfixtures_la_SOURCES = tests/loader/fixture.c tests/loader/fixture.h
tests/loader/%: private FOLDER_LIBS = tests/loader/libfixtures.la
$(loader_tests): tests/loader/libfixtures.la
# The program exports a function with the name of a mock's function, as any program may.
tests_loader_test_faults_LDFLAGS = $(AM_LDFLAGS) -export-dynamic

tests_loader_open_one_LDADD = core/libanydnn_core.la
