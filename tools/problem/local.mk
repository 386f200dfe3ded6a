# SPDX-License-Identifier: Apache-2.0
# A problem through the library: its text, its operands, its backends, its runs.

tools_anydnn_SOURCES += \
	tools/problem/contender.c \
	tools/problem/contender.h \
	tools/problem/edges.c \
	tools/problem/edges.h \
	tools/problem/element.c \
	tools/problem/entrant.c \
	tools/problem/execute.c \
	tools/problem/execute.h \
	tools/problem/files.c \
	tools/problem/fill.c \
	tools/problem/find.c \
	tools/problem/find.h \
	tools/problem/given.c \
	tools/problem/guarded.c \
	tools/problem/guarded.h \
	tools/problem/operands.c \
	tools/problem/operands.h \
	tools/problem/report.c \
	tools/problem/report.h \
	tools/problem/traffic.c \
	tools/problem/traffic.h \
	tools/problem/words.c \
	tools/problem/words.h
