# SPDX-License-Identifier: Apache-2.0
# anydnn replay.

tools_anydnn_SOURCES += \
	tools/replay/command.c \
	tools/replay/options.c \
	tools/replay/read.c \
	tools/replay/reduce.c \
	tools/replay/replay.h
