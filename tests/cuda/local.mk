# SPDX-License-Identifier: Apache-2.0
# Tests the CUDA backends without a GPU. As built, they decline; built for the host, they run.

TESTS += tests/cuda/test_emulated.sh tests/cuda/test_names.sh tests/cuda/test_tensorcore.sh tests/cuda/test_spills.sh
long_tests += tests/cuda/test_engines.sh tests/cuda/test_turing.sh
dist_check_SCRIPTS += tests/cuda/test_emulated.sh tests/cuda/test_tensorcore.sh tests/cuda/test_driverless.sh \
	tests/cuda/test_engines.sh tests/cuda/test_names.sh tests/cuda/test_spills.sh tests/cuda/test_turing.sh
EXTRA_DIST += tests/cuda/tensorcore.sh tests/cuda/emulator/Makefile tests/cuda/emulator/cuda_runtime.h \
	tests/cuda/emulator/cuda_runtime_api.h tests/cuda/emulator/emulated_hopper.cpp \
	tests/cuda/emulator/emulated_hopper.h tests/cuda/emulator/emulated_mma.cpp \
	tests/cuda/emulator/emulated_mma.h tests/cuda/emulator/emulator.cpp \
	tests/cuda/emulator/threads.cpp \
	tests/cuda/list_kernels.c tests/cuda/test_conv_reach.cpp tests/cuda/test_copy.cpp
# test_tensorcore.sh runs this program.
check_PROGRAMS += tests/cuda/settled
tests_cuda_settled_SOURCES = tests/cuda/settled.c
tests_cuda_settled_CPPFLAGS = $(AM_CPPFLAGS)
tests_cuda_settled_LDADD = libanydnn.la -lpthread

if HAVE_CUDA
TESTS += tests/cuda/test_driverless.sh
endif

# Builds the kernels for the host by a separate Makefile, which shares this one's jobs and finds out what has
# changed. The sanitizers do not support coroutines. If there is no C++ compiler, the tests skip for that reason. If
# the build fails, the tests fail and show its log.
emulate = if test '$(enable_sanitizer)' = no && command -v "$${CXX:-c++}" >/dev/null; then \
	    $(MKDIR_P) $@ && \
	    { $(MAKE) -f '$(abs_top_srcdir)/tests/cuda/emulator/Makefile' ROOT='$(abs_top_srcdir)' \
	        OUT='$(abs_builddir)/$@' CC='$(CC)' CXX="$${CXX:-c++}" $(1) >$@.log 2>&1 || \
	        { cat $@.log; rm -f $@/*/anydnn_*.so; }; } \
	fi
check_DATA += tests/cuda/emulated
tests/cuda/emulated:
	+$(AM_V_GEN)$(call emulate,)
tests/cuda/emulated_turing:
	+$(AM_V_GEN)$(call emulate,OPTIMIZE='-O1 -DEMULATOR_CAPABILITY=75' $(abs_builddir)/$@/tensorcore/anydnn_cuda_tensorcore.so)

.PHONY: tests/cuda/emulated tests/cuda/emulated_turing
