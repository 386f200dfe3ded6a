# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/problem/candidate.c \
	core/problem/candidate.h \
	core/problem/check_alias.c \
	core/problem/check_alias.h \
	core/problem/check_convolution.c \
	core/problem/check_convolution.h \
	core/problem/check_ctc.c \
	core/problem/check_ctc.h \
	core/problem/check_layer.c \
	core/problem/check_layer.h \
	core/problem/check_normalization.c \
	core/problem/check_normalization.h \
	core/problem/check_operands.c \
	core/problem/check_operands.h \
	core/problem/check_problem.c \
	core/problem/check_problem.h \
	core/problem/check_spatial.c \
	core/problem/check_spatial.h \
	core/problem/check_tensor.c \
	core/problem/check_tensor.h \
	core/problem/check_types.c \
	core/problem/check_types.h \
	core/problem/host.c \
	core/problem/host.h \
	core/problem/infer.c \
	core/problem/infer.h \
	core/problem/masks.h \
	core/problem/operation.c \
	core/problem/operation.h \
	core/problem/params.c \
	core/problem/params.h \
	core/problem/parse.c \
	core/problem/print.c \
	core/problem/problem.c \
	core/problem/problem.h \
	core/problem/read.c \
	core/problem/read.h \
	core/problem/text.h \
	core/problem/unread.c \
	core/problem/unread.h
