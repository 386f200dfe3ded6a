# SPDX-License-Identifier: Apache-2.0
# Lists of problems.

tools_anydnn_SOURCES += \
	tools/suite/layer.c \
	tools/suite/name.c \
	tools/suite/options.c \
	tools/suite/parts.h \
	tools/suite/suite.c \
	tools/suite/suite.h
