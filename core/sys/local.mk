# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/sys/callback.c \
	core/sys/callback.h \
	core/sys/elf.c \
	core/sys/elf.h \
	core/sys/env.c \
	core/sys/env.h \
	core/sys/error.c \
	core/sys/error.h \
	core/sys/files.c \
	core/sys/files.h \
	core/sys/float_mode.c \
	core/sys/float_mode.h \
	core/sys/log.c \
	core/sys/log.h \
	core/sys/process.c \
	core/sys/process.h \
	core/sys/text.c \
	core/sys/text.h
