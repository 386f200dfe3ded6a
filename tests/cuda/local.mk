# SPDX-License-Identifier: Apache-2.0
# The CUDA backends where there is no GPU: as built they decline; built for the host they are judged.

TESTS += tests/cuda/test_emulated.sh tests/cuda/test_tensorcore.sh tests/cuda/test_spills.sh
dist_check_SCRIPTS += tests/cuda/test_emulated.sh tests/cuda/test_tensorcore.sh tests/cuda/test_driverless.sh \
	tests/cuda/test_spills.sh
EXTRA_DIST += tests/cuda/emulator/Makefile tests/cuda/emulator/cuda_runtime.h \
	tests/cuda/emulator/cuda_runtime_api.h tests/cuda/emulator/emulated_hopper.cpp \
	tests/cuda/emulator/emulated_hopper.h tests/cuda/emulator/emulated_mma.cpp \
	tests/cuda/emulator/emulated_mma.h tests/cuda/emulator/emulator.cpp \
	tests/cuda/emulator/threads.cpp \
	tests/cuda/list_kernels.c tests/cuda/test_conv_reach.cpp
# Run by test_tensorcore.sh.
check_PROGRAMS += tests/cuda/settled
tests_cuda_settled_SOURCES = tests/cuda/settled.c
tests_cuda_settled_CPPFLAGS = $(AM_CPPFLAGS)
tests_cuda_settled_LDADD = libanydnn.la -lpthread

if HAVE_CUDA
TESTS += tests/cuda/test_driverless.sh
endif
