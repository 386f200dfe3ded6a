# SPDX-License-Identifier: Apache-2.0
# The backend cuda_naive: every operation on CUDA cores, in default math.

CUDA_NAIVE_SOURCES = \
	plugins/cuda_naive/conv/bias.cu \
	plugins/cuda_naive/conv/choice.c \
	plugins/cuda_naive/conv/choice.h \
	plugins/cuda_naive/conv/copy_async.h \
	plugins/cuda_naive/conv/depthwise.h \
	plugins/cuda_naive/conv/depthwise_choice.cu \
	plugins/cuda_naive/conv/depthwise_device.h \
	plugins/cuda_naive/conv/depthwise_dgrad_stride2.cu \
	plugins/cuda_naive/conv/depthwise_fprop.cu \
	plugins/cuda_naive/conv/depthwise_halo.cu \
	plugins/cuda_naive/conv/depthwise_halo.h \
	plugins/cuda_naive/conv/depthwise_halo_wgrad.cu \
	plugins/cuda_naive/conv/depthwise_halo_wgrad.h \
	plugins/cuda_naive/conv/depthwise_halo_wgrad_stride2.cu \
	plugins/cuda_naive/conv/depthwise_wgrad.cu \
	plugins/cuda_naive/conv/engines.cu \
	plugins/cuda_naive/conv/entry.cu \
	plugins/cuda_naive/conv/entry.h \
	plugins/cuda_naive/conv/im2col.cu \
	plugins/cuda_naive/conv/implicit_gemm.h \
	plugins/cuda_naive/conv/implicit_gemm_bfloat16.cu \
	plugins/cuda_naive/conv/implicit_gemm_float.cu \
	plugins/cuda_naive/conv/implicit_gemm_half.cu \
	plugins/cuda_naive/conv/implicit_gemm_load.h \
	plugins/cuda_naive/conv/kernels.h \
	plugins/cuda_naive/conv/joined_dgrad.cu \
	plugins/cuda_naive/conv/joined_dgrad.h \
	plugins/cuda_naive/conv/joined_dgrad_device.h \
	plugins/cuda_naive/conv/pipelined.cu \
	plugins/cuda_naive/conv/pipelined.h \
	plugins/cuda_naive/conv/pipelined_gemm.h \
	plugins/cuda_naive/conv/pipelined_load.h \
	plugins/cuda_naive/conv/pipelined_shape.h \
	plugins/cuda_naive/conv/plain.cu \
	plugins/cuda_naive/conv/plain_wgrad.cu \
	plugins/cuda_naive/normalization/batch_norm.h \
	plugins/cuda_naive/normalization/batch_norm_backward.cu \
	plugins/cuda_naive/normalization/batch_norm_forward.cu \
	plugins/cuda_naive/normalization/batch_norm_gradient.cu \
	plugins/cuda_naive/normalization/batch_norm_gradient.h \
	plugins/cuda_naive/normalization/batch_norm_nhwc.h \
	plugins/cuda_naive/normalization/batch_norm_nhwc_backward.cu \
	plugins/cuda_naive/normalization/batch_norm_nhwc_forward.cu \
	plugins/cuda_naive/normalization/batch_norm_nhwc_sums.cu \
	plugins/cuda_naive/normalization/batch_norm_plain.cu \
	plugins/cuda_naive/normalization/batch_norm_plain.h \
	plugins/cuda_naive/normalization/batch_norm_plain_backward.cu \
	plugins/cuda_naive/normalization/batch_norm_stats.cu \
	plugins/cuda_naive/normalization/divisive.cu \
	plugins/cuda_naive/normalization/divisive_channels.cu \
	plugins/cuda_naive/normalization/divisive_channels.h \
	plugins/cuda_naive/normalization/divisive_choice.cu \
	plugins/cuda_naive/normalization/divisive_plain.cu \
	plugins/cuda_naive/normalization/divisive_planes.cu \
	plugins/cuda_naive/normalization/divisive_plain.h \
	plugins/cuda_naive/normalization/divisive_tile.cu \
	plugins/cuda_naive/normalization/divisive_tile.h \
	plugins/cuda_naive/normalization/divisive_tile_means.cu \
	plugins/cuda_naive/normalization/lrn.cu \
	plugins/cuda_naive/normalization/lrn_nchw.cu \
	plugins/cuda_naive/normalization/lrn_nchw_five.cu \
	plugins/cuda_naive/normalization/lrn_nhwc.cu \
	plugins/cuda_naive/normalization/lrn_nhwc_packed.cu \
	plugins/cuda_naive/normalization/lrn_plain.cu \
	plugins/cuda_naive/normalization/lrn_plain.h \
	plugins/cuda_naive/normalization/lrn_runs.h \
	plugins/cuda_naive/normalization/window.h \
	plugins/cuda_naive/normalization/window_sums.h \
	plugins/cuda_naive/plugin.c \
	plugins/cuda_naive/pooling/choice.c \
	plugins/cuda_naive/pooling/device.h \
	plugins/cuda_naive/pooling/entry.cu \
	plugins/cuda_naive/pooling/halving.c \
	plugins/cuda_naive/pooling/halving.h \
	plugins/cuda_naive/pooling/halving_nchw.h \
	plugins/cuda_naive/pooling/halving_nchw_backward.cu \
	plugins/cuda_naive/pooling/halving_nchw_forward.cu \
	plugins/cuda_naive/pooling/halving_nhwc.h \
	plugins/cuda_naive/pooling/halving_nhwc_backward.cu \
	plugins/cuda_naive/pooling/halving_nhwc_forward.cu \
	plugins/cuda_naive/pooling/nchw_average_backward.cu \
	plugins/cuda_naive/pooling/nchw_forward.cu \
	plugins/cuda_naive/pooling/nchw_large_forward.cu \
	plugins/cuda_naive/pooling/nchw_max_backward.cu \
	plugins/cuda_naive/pooling/nhwc.h \
	plugins/cuda_naive/pooling/nhwc_backward.cu \
	plugins/cuda_naive/pooling/nhwc_forward.cu \
	plugins/cuda_naive/pooling/packed.h \
	plugins/cuda_naive/pooling/plain.cu \
	plugins/cuda_naive/pooling/plain.h \
	plugins/cuda_naive/pooling/stage.h \
	plugins/cuda_naive/pooling/tiles.c \
	plugins/cuda_naive/pooling/tiles.h \
	plugins/cuda_naive/pooling/tiles_nchw.c \
	plugins/cuda_naive/pooling/tiles_nhwc.c \
	plugins/cuda_naive/sequence/ctc.cu \
	plugins/cuda_naive/sequence/ctc.h \
	plugins/cuda_naive/sequence/ctc_paths.h \
	plugins/cuda_naive/sequence/ctc_steps.h \
	plugins/cuda_naive/shared/beside.h \
	plugins/cuda_naive/shared/map.h \
	plugins/cuda_naive/shared/reduce.h \
	plugins/cuda_naive/shared/reduce_kernels.h \
	plugins/cuda_naive/shared/reduce_rows.h \
	plugins/cuda_naive/shared/reduce_step.h \
	plugins/cuda_naive/shared/vector.h \
	plugins/cuda_naive/shared/walk.c \
	plugins/cuda_naive/shared/walk.h \
	plugins/cuda_naive/shared/walk_device.h \
	plugins/cuda_naive/shared/window.h \
	plugins/cuda_naive/softmax/choice.cu \
	plugins/cuda_naive/softmax/columns.cu \
	plugins/cuda_naive/softmax/entry.cu \
	plugins/cuda_naive/softmax/plain.cu \
	plugins/cuda_naive/softmax/plain.h \
	plugins/cuda_naive/softmax/rows.cu \
	plugins/cuda_naive/softmax/rows.h \
	plugins/cuda_naive/softmax/rows_long.cu \
	plugins/cuda_naive/softmax/softmax.h \
	plugins/cuda_naive/spatial/grid.cu \
	plugins/cuda_naive/spatial/sampler.cu \
	plugins/cuda_naive/spatial/spatial.h \
	plugins/cuda_naive/table.c \
	plugins/cuda_naive/table.h \
	plugins/cuda_naive/tensor_ops/activation.cu \
	plugins/cuda_naive/tensor_ops/blend.cu \
	plugins/cuda_naive/tensor_ops/dropout.cu \
	plugins/cuda_naive/tensor_ops/op_tensor.cu \
	plugins/cuda_naive/tensor_ops/reduce_tensor.cu \
	plugins/cuda_naive/tensor_ops/set_tensor.cu \
	plugins/cuda_naive/tensor_ops/transform.cu \
	plugins/cuda_naive/tensor_ops/transpose.h

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
