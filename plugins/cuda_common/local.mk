# SPDX-License-Identifier: Apache-2.0
# Lists the sources of the CUDA space. Each CUDA backend compiles its own copy of them.

CUDA_COMMON_SOURCES = $(CUDA_COMMON_C_SOURCES) plugins/cuda_common/special.cu
CUDA_COMMON_C_SOURCES = $(KIT_SOURCES) \
	plugins/cuda_common/cuda_common.h \
	plugins/cuda_common/device.c \
	plugins/cuda_common/errors.c \
	plugins/cuda_common/launch.c \
	plugins/cuda_common/primary.c \
	plugins/cuda_common/record.c \
	plugins/cuda_common/space.c \
	plugins/cuda_common/together.h

# Plans and convolution geometry are for the backends that have their own kernels.
CUDA_PLAN_SOURCES = \
	plugins/cuda_common/activate.h \
	plugins/cuda_common/context.c \
	plugins/cuda_common/conv.c \
	plugins/cuda_common/conv.h \
	plugins/cuda_common/conv_job.h \
	plugins/cuda_common/conv_output.h \
	plugins/cuda_common/conv_coords.h \
	plugins/cuda_common/conv_split.cu \
	plugins/cuda_common/conv_view.h \
	plugins/cuda_common/divide.c \
	plugins/cuda_common/divide.h \
	plugins/cuda_common/element.h \
	plugins/cuda_common/gelu.h \
	plugins/cuda_common/index.h \
	plugins/cuda_common/plan.c \
	plugins/cuda_common/plan.h \
	plugins/cuda_common/table.h
