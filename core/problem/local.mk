# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/problem/candidate.c \
	core/problem/candidate.h \
	core/problem/check.c \
	core/problem/check.h \
	core/problem/check_alias.c \
	core/problem/check_convolution.c \
	core/problem/check_ctc.c \
	core/problem/check_layer.c \
	core/problem/check_normalization.c \
	core/problem/check_spatial.c \
	core/problem/check_tensor.c \
	core/problem/check_types.c \
	core/problem/host.c \
	core/problem/infer.c \
	core/problem/masks.h \
	core/problem/operation.c \
	core/problem/params.c \
	core/problem/parse.c \
	core/problem/print.c \
	core/problem/problem.c \
	core/problem/problem.h \
	core/problem/read.c \
	core/problem/read.h \
	core/problem/unread.c
