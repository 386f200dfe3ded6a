# SPDX-License-Identifier: Apache-2.0
# anydnn bench.

tools_anydnn_SOURCES += \
	tools/bench/bench.h \
	tools/bench/buffers.c \
	tools/bench/buffers.h \
	tools/bench/ceiling.c \
	tools/bench/command.c \
	tools/bench/csv.c \
	tools/bench/html.c \
	tools/bench/html_figures.c \
	tools/bench/measure.c \
	tools/bench/options.c \
	tools/bench/outputs.c \
	tools/bench/plot.c \
	tools/bench/runner.c \
	tools/bench/runner.h \
	tools/bench/summary.c \
	tools/bench/table.c
