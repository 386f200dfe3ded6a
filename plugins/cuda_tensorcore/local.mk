# SPDX-License-Identifier: Apache-2.0
# The backend cuda_tensorcore: convolutions on matrix units.

CUDA_TENSORCORE_SOURCES = \
	plugins/cuda_tensorcore/arrange.c \
	plugins/cuda_tensorcore/arrange.h \
	plugins/cuda_tensorcore/arrange_choice.c \
	plugins/cuda_tensorcore/arrange_copy.cu \
	plugins/cuda_tensorcore/arrange_parts.cu \
	plugins/cuda_tensorcore/check.c \
	plugins/cuda_tensorcore/choice.c \
	plugins/cuda_tensorcore/convolution.cu \
	plugins/cuda_tensorcore/first.cu \
	plugins/cuda_tensorcore/first_bfloat16.cu \
	plugins/cuda_tensorcore/first_data.h \
	plugins/cuda_tensorcore/first_filter.h \
	plugins/cuda_tensorcore/first_forward.h \
	plugins/cuda_tensorcore/first_half.cu \
	plugins/cuda_tensorcore/first_job.h \
	plugins/cuda_tensorcore/first_table.h \
	plugins/cuda_tensorcore/gemm.h \
	plugins/cuda_tensorcore/groups.cu \
	plugins/cuda_tensorcore/groups_add.h \
	plugins/cuda_tensorcore/groups_bfloat16.cu \
	plugins/cuda_tensorcore/groups_filter.h \
	plugins/cuda_tensorcore/groups_filter_store.h \
	plugins/cuda_tensorcore/groups_fours.h \
	plugins/cuda_tensorcore/groups_gemm.h \
	plugins/cuda_tensorcore/groups_half.cu \
	plugins/cuda_tensorcore/groups_job.h \
	plugins/cuda_tensorcore/groups_store.h \
	plugins/cuda_tensorcore/groups_table.h \
	plugins/cuda_tensorcore/groups_tile.cu \
	plugins/cuda_tensorcore/hopper.cu \
	plugins/cuda_tensorcore/hopper.h \
	plugins/cuda_tensorcore/hopper_bfloat16.cu \
	plugins/cuda_tensorcore/hopper_filter.cu \
	plugins/cuda_tensorcore/hopper_filter.h \
	plugins/cuda_tensorcore/hopper_filter_job.h \
	plugins/cuda_tensorcore/hopper_gemm.h \
	plugins/cuda_tensorcore/hopper_geometry.cu \
	plugins/cuda_tensorcore/hopper_geometry.h \
	plugins/cuda_tensorcore/hopper_half.cu \
	plugins/cuda_tensorcore/hopper_int8.cu \
	plugins/cuda_tensorcore/hopper_job.h \
	plugins/cuda_tensorcore/hopper_map.c \
	plugins/cuda_tensorcore/hopper_map.h \
	plugins/cuda_tensorcore/hopper_ring.h \
	plugins/cuda_tensorcore/hopper_shape.h \
	plugins/cuda_tensorcore/hopper_store.h \
	plugins/cuda_tensorcore/hopper_table.h \
	plugins/cuda_tensorcore/hopper_tf32.cu \
	plugins/cuda_tensorcore/hopper_wgmma.h \
	plugins/cuda_tensorcore/job.h \
	plugins/cuda_tensorcore/kernels.c \
	plugins/cuda_tensorcore/launch.h \
	plugins/cuda_tensorcore/load.h \
	plugins/cuda_tensorcore/mma.h \
	plugins/cuda_tensorcore/model.c \
	plugins/cuda_tensorcore/mma_bfloat16.cu \
	plugins/cuda_tensorcore/mma_half.cu \
	plugins/cuda_tensorcore/mma_int8.cu \
	plugins/cuda_tensorcore/mma_split.cu \
	plugins/cuda_tensorcore/mma_table.h \
	plugins/cuda_tensorcore/mma_tf32.cu \
	plugins/cuda_tensorcore/offer.c \
	plugins/cuda_tensorcore/overlap.h \
	plugins/cuda_tensorcore/plugin.c \
	plugins/cuda_tensorcore/shape.h \
	plugins/cuda_tensorcore/split.h \
	plugins/cuda_tensorcore/store.h \
	plugins/cuda_tensorcore/taps.cu \
	plugins/cuda_tensorcore/taps_add.h \
	plugins/cuda_tensorcore/taps_bfloat16.cu \
	plugins/cuda_tensorcore/taps_filter.cu \
	plugins/cuda_tensorcore/taps_filter.h \
	plugins/cuda_tensorcore/taps_filter_job.h \
	plugins/cuda_tensorcore/taps_filter_load.h \
	plugins/cuda_tensorcore/taps_filter_shape.h \
	plugins/cuda_tensorcore/taps_filter_store.h \
	plugins/cuda_tensorcore/taps_gemm.h \
	plugins/cuda_tensorcore/taps_half.cu \
	plugins/cuda_tensorcore/taps_job.h \
	plugins/cuda_tensorcore/taps_join.h \
	plugins/cuda_tensorcore/taps_load.h \
	plugins/cuda_tensorcore/taps_parts.h \
	plugins/cuda_tensorcore/taps_shape.h \
	plugins/cuda_tensorcore/taps_split.cu \
	plugins/cuda_tensorcore/taps_store.h \
	plugins/cuda_tensorcore/taps_store_rows.h \
	plugins/cuda_tensorcore/taps_table.h \
	plugins/cuda_tensorcore/taps_tf32.cu \
	plugins/cuda_tensorcore/tensorcore.h \
	plugins/cuda_tensorcore/tile.h

# Of overlap.h; what is left, the family mma, is where nothing faster fits.
CUDA_PASS_90 += plugins/cuda_tensorcore/arrange%.lo plugins/cuda_tensorcore/first%.lo \
	plugins/cuda_tensorcore/groups%.lo plugins/cuda_tensorcore/taps%.lo

# wgmma and setmaxnreg are code for 9.0 itself, without PTX.
CUDA_PASS_90A += plugins/cuda_tensorcore/hopper%.lo

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
