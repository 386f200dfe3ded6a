# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/trace/dump.c \
	core/trace/dump.h \
	core/trace/file.c \
	core/trace/file.h \
	core/trace/trace.c \
	core/trace/trace.h
