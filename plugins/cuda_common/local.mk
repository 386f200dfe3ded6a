# SPDX-License-Identifier: Apache-2.0
# The CUDA space. Each CUDA backend has its own copy: it lists these among its sources.

CUDA_COMMON_SOURCES = \
	plugins/cuda_common/cuda_common.h \
	plugins/cuda_common/device.c \
	plugins/cuda_common/errors.c \
	plugins/cuda_common/launch.c \
	plugins/cuda_common/record.c \
	plugins/cuda_common/space.c
