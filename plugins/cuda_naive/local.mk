# SPDX-License-Identifier: Apache-2.0
# Builds cuda_naive, which implements every operation by a plain, easily verified kernel.

CUDA_NAIVE_SOURCES = \
	plugins/cuda_naive/activation.cu \
	plugins/cuda_naive/convolution/backward_bias.cu \
	plugins/cuda_naive/convolution/backward_data.cu \
	plugins/cuda_naive/convolution/backward_filter.cu \
	plugins/cuda_naive/convolution/conv.h \
	plugins/cuda_naive/convolution/forward.cu \
	plugins/cuda_naive/convolution/im2col.cu \
	plugins/cuda_naive/matmul.cu \
	plugins/cuda_naive/naive.h \
	plugins/cuda_naive/normalization/batch_norm.h \
	plugins/cuda_naive/normalization/batch_norm_backward.cu \
	plugins/cuda_naive/normalization/batch_norm_forward.cu \
	plugins/cuda_naive/normalization/divisive.cu \
	plugins/cuda_naive/normalization/kinds.h \
	plugins/cuda_naive/normalization/kinds_backward.cu \
	plugins/cuda_naive/normalization/kinds_forward.cu \
	plugins/cuda_naive/normalization/lrn.cu \
	plugins/cuda_naive/normalization/lrn.h \
	plugins/cuda_naive/plugin.c \
	plugins/cuda_naive/pooling.cu \
	plugins/cuda_naive/sequence/ctc.cu \
	plugins/cuda_naive/sequence/ctc.h \
	plugins/cuda_naive/softmax.cu \
	plugins/cuda_naive/spatial/grid.cu \
	plugins/cuda_naive/spatial/sampler.cu \
	plugins/cuda_naive/table.c \
	plugins/cuda_naive/tensor_ops/blend.cu \
	plugins/cuda_naive/tensor_ops/dropout.cu \
	plugins/cuda_naive/tensor_ops/op_tensor.cu \
	plugins/cuda_naive/tensor_ops/reduce_tensor.cu \
	plugins/cuda_naive/tensor_ops/transform.cu

if HAVE_CUDA
plugins_LTLIBRARIES += plugins/cuda_naive/anydnn_cuda_naive.la
plugins_cuda_naive_anydnn_cuda_naive_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(CUDA_CPPFLAGS)
plugins_cuda_naive_anydnn_cuda_naive_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_cuda_naive_anydnn_cuda_naive_la_LIBADD = $(CUDA_LIBS) -lm
EXTRA_plugins_cuda_naive_anydnn_cuda_naive_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_cuda_naive_anydnn_cuda_naive_la_SOURCES = $(CUDA_NAIVE_SOURCES) \
	plugins/cuda_common/context.c plugins/cuda_common/plan.c $(CUDA_COMMON_SOURCES)
endif
EXTRA_DIST += $(CUDA_NAIVE_SOURCES)
