# SPDX-License-Identifier: Apache-2.0
# cudnn_direct measures the cost of anydnn over cuDNN's own calls. Built on demand,
#   make bench/cudnn_direct/cudnn_direct
# Its manual is at the head of cudnn_direct.c. autotuner.py, with its own, measures Find beside PyTorch's autotuner.

CUDNN_DIRECT_SOURCES = \
	bench/cudnn_direct/cudnn_direct.c \
	bench/cudnn_direct/direct.h \
	bench/cudnn_direct/host_cost.c \
	bench/cudnn_direct/through_anydnn.c \
	bench/cudnn_direct/through_cudnn.c \
	bench/onednn_direct/direct.h \
	bench/onednn_direct/suite.c
EXTRA_DIST += $(CUDNN_DIRECT_SOURCES) bench/cudnn_direct/autotuner.py

if HAVE_CUDNN
EXTRA_PROGRAMS += bench/cudnn_direct/cudnn_direct
CLEANFILES += bench/cudnn_direct/cudnn_direct
bench_cudnn_direct_cudnn_direct_SOURCES = $(CUDNN_DIRECT_SOURCES) $(CUDNN_SOURCES) $(CUDA_COMMON_C_SOURCES)
bench_cudnn_direct_cudnn_direct_CPPFLAGS = $(AM_CPPFLAGS) $(PLUGIN_CPPFLAGS) $(CUDNN_CFLAGS) $(CUDA_CPPFLAGS)
bench_cudnn_direct_cudnn_direct_LDADD = plugins/cuda_common/special.lo plugins/cudnn/copy.lo libanydnn.la core/libanydnn_base.la $(CUDA_LIBS) -lm
endif
