# SPDX-License-Identifier: Apache-2.0
# The backend cuda_naive: every operation on CUDA cores, in default math.

CUDA_NAIVE_SOURCES = \
	plugins/cuda_naive/activation.cu \
	plugins/cuda_naive/batch_norm.h \
	plugins/cuda_naive/batch_norm_backward.cu \
	plugins/cuda_naive/batch_norm_forward.cu \
	plugins/cuda_naive/batch_norm_gradient.h \
	plugins/cuda_naive/batch_norm_rows.h \
	plugins/cuda_naive/batch_norm_rows_backward.cu \
	plugins/cuda_naive/batch_norm_rows_forward.cu \
	plugins/cuda_naive/batch_norm_rows_sums.cu \
	plugins/cuda_naive/batch_norm_stats.cu \
	plugins/cuda_naive/beside.h \
	plugins/cuda_naive/bias.cu \
	plugins/cuda_naive/conv_choice.c \
	plugins/cuda_naive/conv_choice.h \
	plugins/cuda_naive/conv_direct.cu \
	plugins/cuda_naive/conv_filter.cu \
	plugins/cuda_naive/conv_kernels.h \
	plugins/cuda_naive/conv_tile.h \
	plugins/cuda_naive/conv_tile_bfloat16.cu \
	plugins/cuda_naive/conv_tile_float.cu \
	plugins/cuda_naive/conv_tile_half.cu \
	plugins/cuda_naive/convolution.cu \
	plugins/cuda_naive/ctc.cu \
	plugins/cuda_naive/depthwise.cu \
	plugins/cuda_naive/depthwise.h \
	plugins/cuda_naive/depthwise_device.h \
	plugins/cuda_naive/depthwise_filter.cu \
	plugins/cuda_naive/depthwise_gather.cu \
	plugins/cuda_naive/depthwise_spread.cu \
	plugins/cuda_naive/divisive.cu \
	plugins/cuda_naive/divisive_means.cu \
	plugins/cuda_naive/divisive_shape.cu \
	plugins/cuda_naive/divisive_tile.cu \
	plugins/cuda_naive/divisive_tile.h \
	plugins/cuda_naive/dropout.cu \
	plugins/cuda_naive/im2col.cu \
	plugins/cuda_naive/lrn.cu \
	plugins/cuda_naive/lrn.h \
	plugins/cuda_naive/lrn_columns.cu \
	plugins/cuda_naive/lrn_math.h \
	plugins/cuda_naive/lrn_rows.cu \
	plugins/cuda_naive/lrn_runs.h \
	plugins/cuda_naive/map.h \
	plugins/cuda_naive/op_tensor.cu \
	plugins/cuda_naive/plugin.c \
	plugins/cuda_naive/pooling.cu \
	plugins/cuda_naive/pooling_channels.h \
	plugins/cuda_naive/pooling_channels_backward.cu \
	plugins/cuda_naive/pooling_channels_forward.cu \
	plugins/cuda_naive/pooling_device.h \
	plugins/cuda_naive/pooling_packed.c \
	plugins/cuda_naive/pooling_packed.h \
	plugins/cuda_naive/pooling_planes_average.cu \
	plugins/cuda_naive/pooling_planes_forward.cu \
	plugins/cuda_naive/pooling_planes_max.cu \
	plugins/cuda_naive/pooling_spread.cu \
	plugins/cuda_naive/pooling_tiles.c \
	plugins/cuda_naive/pooling_tiles.h \
	plugins/cuda_naive/pooling_tiles_channels.c \
	plugins/cuda_naive/pooling_tiles_planes.c \
	plugins/cuda_naive/reduce.h \
	plugins/cuda_naive/reduce_kernels.h \
	plugins/cuda_naive/reduce_tensor.cu \
	plugins/cuda_naive/set_tensor.cu \
	plugins/cuda_naive/softmax.cu \
	plugins/cuda_naive/softmax.h \
	plugins/cuda_naive/softmax_columns.cu \
	plugins/cuda_naive/softmax_long.cu \
	plugins/cuda_naive/softmax_packed.cu \
	plugins/cuda_naive/softmax_rows.cu \
	plugins/cuda_naive/softmax_rows.h \
	plugins/cuda_naive/spatial.h \
	plugins/cuda_naive/spatial_grid.cu \
	plugins/cuda_naive/spatial_sampler.cu \
	plugins/cuda_naive/table.c \
	plugins/cuda_naive/table.h \
	plugins/cuda_naive/tensor_ops.cu \
	plugins/cuda_naive/transform.cu \
	plugins/cuda_naive/transpose.h \
	plugins/cuda_naive/vector.h \
	plugins/cuda_naive/window.h

if HAVE_CUDA
plugins_LTLIBRARIES += plugins/cuda_naive/anydnn_cuda_naive.la
plugins_cuda_naive_anydnn_cuda_naive_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(CUDA_CPPFLAGS)
plugins_cuda_naive_anydnn_cuda_naive_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_cuda_naive_anydnn_cuda_naive_la_LIBADD = $(CUDA_LIBS) -lm
EXTRA_plugins_cuda_naive_anydnn_cuda_naive_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_cuda_naive_anydnn_cuda_naive_la_SOURCES = $(CUDA_NAIVE_SOURCES) \
	$(CUDA_PLAN_SOURCES) $(CUDA_COMMON_SOURCES)
endif
EXTRA_DIST += $(CUDA_NAIVE_SOURCES) $(CUDA_PLAN_SOURCES) $(CUDA_COMMON_SOURCES)
