# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/shadow/check.c \
	core/shadow/findings.c \
	core/shadow/parts.h \
	core/shadow/reference.c \
	core/shadow/run.c \
	core/shadow/shadow.c \
	core/shadow/shadow.h \
	core/shadow/tell.c
