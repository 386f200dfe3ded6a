# SPDX-License-Identifier: Apache-2.0
# Generated data, smaller problems, and oracles for verify, compare and replay.

tools_anydnn_SOURCES += \
	tools/oracle/backend.c \
	tools/oracle/cut.c \
	tools/oracle/cut.h \
	tools/oracle/data.c \
	tools/oracle/handle.c \
	tools/oracle/oracle.h \
	tools/oracle/sample.c \
	tools/oracle/sample.h \
	tools/oracle/source.c
