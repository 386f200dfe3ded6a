# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/shadow/block.c \
	core/shadow/block.h \
	core/shadow/check_outputs.c \
	core/shadow/check_outputs.h \
	core/shadow/compare.c \
	core/shadow/compare.h \
	core/shadow/findings.c \
	core/shadow/findings.h \
	core/shadow/later.c \
	core/shadow/later.h \
	core/shadow/referee.c \
	core/shadow/referee.h \
	core/shadow/reference.c \
	core/shadow/run.c \
	core/shadow/run.h \
	core/shadow/shadow.c \
	core/shadow/shadow.h \
	core/shadow/report.c \
	core/shadow/report.h \
	core/shadow/verdict.c \
	core/shadow/verdict.h \
	core/shadow/watch.h
