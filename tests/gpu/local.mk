# SPDX-License-Identifier: Apache-2.0
# Builds the programs that run on a machine with a GPU, from a bundle.

GPU_WORK_SOURCES = tests/gpu/cases.c tests/gpu/work.c tests/gpu/work.h
GPU_FAULTS_SOURCES = \
	tests/gpu/faults.c \
	tests/gpu/faults.h \
	tests/gpu/faults_capture.c \
	tests/gpu/faults_end.c \
	tests/gpu/faults_lost.c \
	tests/gpu/faults_memory.c \
	tests/gpu/faults_process.c
GPU_PTX_SOURCES = tests/gpu/ptx.c tests/gpu/ptx.h
GPU_PROGRESS_SOURCES = tests/gpu/hold.c tests/gpu/hold.h tests/gpu/lane.c tests/gpu/lane.h tests/gpu/nccl.c tests/gpu/nccl.h \
	tests/gpu/progress.c tests/gpu/progress.h tests/gpu/progress_nccl.c $(GPU_PTX_SOURCES)

# exact uses only the public API and the convenience library of numerics, so it is also tested on the host.
check_PROGRAMS += tests/gpu/exact
tests_gpu_exact_SOURCES = tests/gpu/exact.c tests/gpu/exact.h tests/gpu/exact_choice.c tests/gpu/exact_data.c \
	tests/gpu/exact_random.c tests/gpu/exact_run.c tests/gpu/exact_together.c tests/gpu/exact_whole.c \
	tools/alloc.c tools/problem/find.c tools/problem/words.c
tests_gpu_exact_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_gpu_exact_LDADD = libanydnn.la core/libanydnn_base.la -lm
check_PROGRAMS += tests/gpu/chain
tests_gpu_chain_SOURCES = tests/gpu/chain.c tests/gpu/chain.h tests/gpu/chain_make.c \
	tests/gpu/chain_read.c tests/gpu/exact.h tests/gpu/exact_data.c tests/gpu/exact_run.c
tests_gpu_chain_CPPFLAGS = $(AM_CPPFLAGS)
tests_gpu_chain_LDADD = libanydnn.la core/libanydnn_base.la -lm
TESTS += tests/gpu/test_chain.sh tests/gpu/test_exact.sh

EXTRA_DIST += tests/gpu/test_chain.sh tests/gpu/test_engines.sh tests/gpu/test_exact.sh
EXTRA_DIST += tests/gpu/arrivals.c tests/gpu/bench tests/gpu/chain.txt tests/gpu/cudnn9_front.py tests/gpu/cudnn9_front.sh tests/gpu/every_kernel tests/gpu/in_double tests/gpu/modes tests/gpu/run tests/gpu/small_shapes tests/gpu/smallest.txt tests/gpu/smallest_naive.txt tests/gpu/smallest_tensorcore.txt tests/gpu/two_devices.c $(GPU_FAULTS_SOURCES) $(GPU_PROGRESS_SOURCES) $(GPU_WORK_SOURCES)

if HAVE_CUDA
gpu_programs = tests/gpu/arrivals tests/gpu/faults tests/gpu/progress tests/gpu/two_devices
check_PROGRAMS += $(gpu_programs)
tests_gpu_arrivals_SOURCES = tests/gpu/arrivals.c $(GPU_PTX_SOURCES)
tests_gpu_arrivals_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_gpu_arrivals_LDADD = libanydnn.la $(CUDA_LIBS)
tests_gpu_faults_SOURCES = $(GPU_FAULTS_SOURCES) $(GPU_WORK_SOURCES)
tests_gpu_faults_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_gpu_faults_LDADD = libanydnn.la $(CUDA_LIBS) -lpthread
tests_gpu_progress_SOURCES = $(GPU_PROGRESS_SOURCES) $(GPU_WORK_SOURCES)
tests_gpu_progress_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_gpu_progress_LDADD = libanydnn.la $(CUDA_LIBS) -lpthread -lm
tests_gpu_two_devices_SOURCES = tests/gpu/two_devices.c $(GPU_WORK_SOURCES)
tests_gpu_two_devices_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_gpu_two_devices_LDADD = libanydnn.la $(CUDA_LIBS) -lpthread
endif

if HAVE_CUDNN
check_PROGRAMS += tests/gpu/engines
tests_gpu_engines_SOURCES = tests/gpu/engines.c tests/gpu/engines.h tests/gpu/engines_try.c tests/gpu/exact.h tests/gpu/exact_data.c tests/gpu/exact_run.c \
	plugins/cudnn/engines.c plugins/cudnn/errata.c plugins/cudnn/graph.c plugins/cudnn/library.c plugins/cudnn/parts.c \
	plugins/cudnn/proposals.c plugins/cudnn/words.c $(KIT_SOURCES)
tests_gpu_engines_CPPFLAGS = $(AM_CPPFLAGS) $(CUDNN_CFLAGS) $(CUDA_CPPFLAGS)
tests_gpu_engines_LDADD = libanydnn.la core/libanydnn_base.la -ldl -lpthread -lm
if HAVE_CMOCKA
TESTS += tests/gpu/test_engines.sh
endif
endif
