# SPDX-License-Identifier: Apache-2.0
# Builds the backend cudnn. It opens cuDNN's library when it is first needed; the CUDA runtime is static.

CUDNN_SOURCES = \
	plugins/cudnn/align.c \
	plugins/cudnn/arrange.c \
	plugins/cudnn/backend.h \
	plugins/cudnn/batch_norm.c \
	plugins/cudnn/conv.c \
	plugins/cudnn/conv_offers.c \
	plugins/cudnn/convolutions.h \
	plugins/cudnn/copy.h \
	plugins/cudnn/engines.c \
	plugins/cudnn/engines.h \
	plugins/cudnn/errata.c \
	plugins/cudnn/factors.c \
	plugins/cudnn/graph.c \
	plugins/cudnn/graph.h \
	plugins/cudnn/im2col.c \
	plugins/cudnn/kernels.c \
	plugins/cudnn/kernels.h \
	plugins/cudnn/layers.c \
	plugins/cudnn/legacy.c \
	plugins/cudnn/legacy.h \
	plugins/cudnn/library.c \
	plugins/cudnn/library.h \
	plugins/cudnn/lists.c \
	plugins/cudnn/lrn.c \
	plugins/cudnn/moves.c \
	plugins/cudnn/packs.c \
	plugins/cudnn/parts.c \
	plugins/cudnn/plan.c \
	plugins/cudnn/plugin.c \
	plugins/cudnn/pointwise.c \
	plugins/cudnn/problem.c \
	plugins/cudnn/proposals.c \
	plugins/cudnn/reduce.c \
	plugins/cudnn/softmax.c \
	plugins/cudnn/table.c \
	plugins/cudnn/table.h \
	plugins/cudnn/tensor.c \
	plugins/cudnn/transform.c \
	plugins/cudnn/transform.h \
	plugins/cudnn/transform_moving.c \
	plugins/cudnn/words.c

if HAVE_CUDNN
plugins_LTLIBRARIES += plugins/cudnn/anydnn_cudnn.la
plugins_cudnn_anydnn_cudnn_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(CUDNN_CFLAGS) $(CUDA_CPPFLAGS)
plugins_cudnn_anydnn_cudnn_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_cudnn_anydnn_cudnn_la_LIBADD = $(CUDA_LIBS) -lm
EXTRA_plugins_cudnn_anydnn_cudnn_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_cudnn_anydnn_cudnn_la_SOURCES = $(CUDNN_SOURCES) plugins/cudnn/copy.cu $(CUDA_COMMON_SOURCES)
endif
EXTRA_DIST += $(CUDNN_SOURCES) plugins/cudnn/copy.cu
