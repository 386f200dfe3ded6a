# SPDX-License-Identifier: Apache-2.0
# anydnn compare.

tools_anydnn_SOURCES += \
	tools/compare/command.c \
	tools/compare/compare.h \
	tools/compare/csv.c \
	tools/compare/dump.c \
	tools/compare/errors.c \
	tools/compare/growth.c \
	tools/compare/html.c \
	tools/compare/html.h \
	tools/compare/html_data.c \
	tools/compare/html_figures.c \
	tools/compare/html_speeds.c \
	tools/compare/html_worst.c \
	tools/compare/inputs.c \
	tools/compare/meeting.h \
	tools/compare/outputs.c \
	tools/compare/problem.c \
	tools/compare/reading.c \
	tools/compare/redraw.c \
	tools/compare/summary.c \
	tools/compare/table.c \
	tools/compare/verdict.c
