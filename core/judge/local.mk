# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/judge/activated.c \
	core/judge/cancel.c \
	core/judge/cancel.h \
	core/judge/cancel_norm.c \
	core/judge/element.c \
	core/judge/element.h \
	core/judge/expect.c \
	core/judge/expect.h \
	core/judge/oracle.c \
	core/judge/oracle.h \
	core/judge/places.c \
	core/judge/places.h \
	core/judge/random.c \
	core/judge/random.h \
	core/judge/rules.c \
	core/judge/rules.h \
	core/judge/sampled.c \
	core/judge/sampled.h \
	core/judge/subject.c \
	core/judge/subject.h \
	core/judge/sums.c \
	core/judge/sums.h \
	core/judge/wrapping.c
