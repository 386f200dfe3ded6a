# SPDX-License-Identifier: Apache-2.0
# Reports as pages.

tools_anydnn_SOURCES += \
	tools/report/figure.c \
	tools/report/page.c \
	tools/report/page.h
