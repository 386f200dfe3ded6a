# SPDX-License-Identifier: Apache-2.0
# Builds cuda_tensorcore, which implements convolutions on matrix units.

CUDA_TENSORCORE_SOURCES = \
	plugins/cuda_tensorcore/check.c \
	plugins/cuda_tensorcore/convolution.cu \
	plugins/cuda_tensorcore/kernels.c \
	plugins/cuda_tensorcore/plugin.c \
	plugins/cuda_tensorcore/tensorcore.h \
	plugins/cuda_tensorcore/ampere/bfloat16.cu \
	plugins/cuda_tensorcore/ampere/epilogue.h \
	plugins/cuda_tensorcore/ampere/epilogue_nchw.h \
	plugins/cuda_tensorcore/ampere/gemm.h \
	plugins/cuda_tensorcore/ampere/half.cu \
	plugins/cuda_tensorcore/ampere/load.h \
	plugins/cuda_tensorcore/ampere/params.cu \
	plugins/cuda_tensorcore/ampere/params.h \
	plugins/cuda_tensorcore/ampere/shape.h \
	plugins/cuda_tensorcore/ampere/sliced_k.h \
	plugins/cuda_tensorcore/ampere/split.cu \
	plugins/cuda_tensorcore/ampere/split_k.h \
	plugins/cuda_tensorcore/ampere/table.h \
	plugins/cuda_tensorcore/ampere/tf32.cu \
	plugins/cuda_tensorcore/ampere/wgrad.h \
	plugins/cuda_tensorcore/ampere/wgrad_epilogue.h \
	plugins/cuda_tensorcore/ampere/wgrad_load.h \
	plugins/cuda_tensorcore/ampere/wgrad_params.cu \
	plugins/cuda_tensorcore/ampere/wgrad_params.h \
	plugins/cuda_tensorcore/ampere/wgrad_shape.h \
	plugins/cuda_tensorcore/choice/choice.c \
	plugins/cuda_tensorcore/choice/model.c \
	plugins/cuda_tensorcore/choice/offer.c \
	plugins/cuda_tensorcore/choice/offer.h \
	plugins/cuda_tensorcore/common/biased.h \
	plugins/cuda_tensorcore/common/epilogue.h \
	plugins/cuda_tensorcore/common/job.h \
	plugins/cuda_tensorcore/common/launch.h \
	plugins/cuda_tensorcore/common/mma.h \
	plugins/cuda_tensorcore/common/overlap.h \
	plugins/cuda_tensorcore/common/shape.h \
	plugins/cuda_tensorcore/common/split.h \
	plugins/cuda_tensorcore/common/table.h \
	plugins/cuda_tensorcore/common/tile.h \
	plugins/cuda_tensorcore/common/tiled_image.h \
	plugins/cuda_tensorcore/common/wgrad_reduce.h \
	plugins/cuda_tensorcore/first/bfloat16.cu \
	plugins/cuda_tensorcore/first/dgrad.h \
	plugins/cuda_tensorcore/first/fprop.h \
	plugins/cuda_tensorcore/first/half.cu \
	plugins/cuda_tensorcore/first/params.cu \
	plugins/cuda_tensorcore/first/params.h \
	plugins/cuda_tensorcore/first/table.h \
	plugins/cuda_tensorcore/first/wgrad.h \
	plugins/cuda_tensorcore/groups/bfloat16.cu \
	plugins/cuda_tensorcore/groups/epilogue.h \
	plugins/cuda_tensorcore/groups/gemm.h \
	plugins/cuda_tensorcore/groups/gemm_c4.h \
	plugins/cuda_tensorcore/groups/half.cu \
	plugins/cuda_tensorcore/groups/params.cu \
	plugins/cuda_tensorcore/groups/params.h \
	plugins/cuda_tensorcore/groups/table.h \
	plugins/cuda_tensorcore/groups/tile.cu \
	plugins/cuda_tensorcore/groups/wgrad.h \
	plugins/cuda_tensorcore/groups/wgrad_epilogue.h \
	plugins/cuda_tensorcore/groups/wgrad_reduce.h \
	plugins/cuda_tensorcore/hopper/bfloat16.cu \
	plugins/cuda_tensorcore/hopper/epilogue.h \
	plugins/cuda_tensorcore/hopper/gemm.h \
	plugins/cuda_tensorcore/hopper/geometry.cu \
	plugins/cuda_tensorcore/hopper/geometry.h \
	plugins/cuda_tensorcore/hopper/half.cu \
	plugins/cuda_tensorcore/hopper/halo.h \
	plugins/cuda_tensorcore/hopper/halo_epilogue.h \
	plugins/cuda_tensorcore/hopper/halo_params.cu \
	plugins/cuda_tensorcore/hopper/halo_params.h \
	plugins/cuda_tensorcore/hopper/int8.cu \
	plugins/cuda_tensorcore/hopper/model.c \
	plugins/cuda_tensorcore/hopper/model.h \
	plugins/cuda_tensorcore/hopper/params.cu \
	plugins/cuda_tensorcore/hopper/params.h \
	plugins/cuda_tensorcore/hopper/pipeline.h \
	plugins/cuda_tensorcore/hopper/ptx.h \
	plugins/cuda_tensorcore/hopper/shape.h \
	plugins/cuda_tensorcore/hopper/table.h \
	plugins/cuda_tensorcore/hopper/split.cu \
	plugins/cuda_tensorcore/hopper/split.h \
	plugins/cuda_tensorcore/hopper/tensor_map.c \
	plugins/cuda_tensorcore/hopper/tensor_map.h \
	plugins/cuda_tensorcore/hopper/tf32.cu \
	plugins/cuda_tensorcore/hopper/wgmma.h \
	plugins/cuda_tensorcore/hopper/wgrad.h \
	plugins/cuda_tensorcore/hopper/wgrad_epilogue.h \
	plugins/cuda_tensorcore/hopper/wgrad_params.cu \
	plugins/cuda_tensorcore/hopper/wgrad_params.h \
	plugins/cuda_tensorcore/hopper/wgrad_shape.h \
	plugins/cuda_tensorcore/layout/candidates.c \
	plugins/cuda_tensorcore/layout/copy.cu \
	plugins/cuda_tensorcore/layout/layout.c \
	plugins/cuda_tensorcore/layout/layout.h \
	plugins/cuda_tensorcore/layout/reduce.cu \
	plugins/cuda_tensorcore/layout/transpose.cu \
	plugins/cuda_tensorcore/layout/transpose.h \
	plugins/cuda_tensorcore/matmul.c \
	plugins/cuda_tensorcore/matmul.h \
	plugins/cuda_tensorcore/mma/bfloat16.cu \
	plugins/cuda_tensorcore/mma/gemm.h \
	plugins/cuda_tensorcore/mma/half.cu \
	plugins/cuda_tensorcore/mma/int8.cu \
	plugins/cuda_tensorcore/mma/load.h \
	plugins/cuda_tensorcore/mma/split.cu \
	plugins/cuda_tensorcore/mma/table.h \
	plugins/cuda_tensorcore/mma/tf32.cu \
	plugins/cuda_tensorcore/narrow/bfloat16.cu \
	plugins/cuda_tensorcore/narrow/epilogue.h \
	plugins/cuda_tensorcore/narrow/gemm.h \
	plugins/cuda_tensorcore/narrow/half.cu \
	plugins/cuda_tensorcore/narrow/load.h \
	plugins/cuda_tensorcore/narrow/params.cu \
	plugins/cuda_tensorcore/narrow/params.h \
	plugins/cuda_tensorcore/narrow/shape.h \
	plugins/cuda_tensorcore/narrow/table.h

# These objects use common/overlap.h on 9.0 devices. The family mma does not, because it runs only
# where no faster kernel fits.
CUDA_PASS_90 += plugins/cuda_tensorcore/ampere/%.lo plugins/cuda_tensorcore/first/%.lo \
	plugins/cuda_tensorcore/groups/%.lo plugins/cuda_tensorcore/layout/%.lo plugins/cuda_tensorcore/narrow/%.lo

# wgmma and setmaxnreg exist only in code for 9.0 itself (sm_90a), without PTX.
CUDA_PASS_90A += plugins/cuda_tensorcore/hopper/%.lo

if HAVE_CUDA
plugins_LTLIBRARIES += plugins/cuda_tensorcore/anydnn_cuda_tensorcore.la
plugins_cuda_tensorcore_anydnn_cuda_tensorcore_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(CUDA_CPPFLAGS)
plugins_cuda_tensorcore_anydnn_cuda_tensorcore_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_cuda_tensorcore_anydnn_cuda_tensorcore_la_LIBADD = $(CUDA_LIBS)
EXTRA_plugins_cuda_tensorcore_anydnn_cuda_tensorcore_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_cuda_tensorcore_anydnn_cuda_tensorcore_la_SOURCES = $(CUDA_TENSORCORE_SOURCES) \
	$(CUDA_PLAN_SOURCES) $(CUDA_COMMON_SOURCES)
endif
EXTRA_DIST += $(CUDA_TENSORCORE_SOURCES)
