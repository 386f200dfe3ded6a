# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/judge/activated.c \
	core/judge/cancel.c \
	core/judge/element.c \
	core/judge/expect.c \
	core/judge/judge.h \
	core/judge/oracle.c \
	core/judge/rules.c \
	core/judge/subject.c \
	core/judge/sums.c \
	core/judge/wrapping.c
