# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/shadow/block.c \
	core/shadow/check.c \
	core/shadow/compare.c \
	core/shadow/findings.c \
	core/shadow/later.c \
	core/shadow/later.h \
	core/shadow/parts.h \
	core/shadow/referee.c \
	core/shadow/reference.c \
	core/shadow/run.c \
	core/shadow/shadow.c \
	core/shadow/shadow.h \
	core/shadow/tell.c \
	core/shadow/verdict.c
