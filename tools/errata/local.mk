# SPDX-License-Identifier: Apache-2.0

tools_anydnn_SOURCES += \
	tools/errata/check.c \
	tools/errata/command.c \
	tools/errata/errata.h \
	tools/errata/find.c
