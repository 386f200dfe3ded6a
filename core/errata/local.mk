# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/errata/errata.h \
	core/errata/layers.c \
	core/errata/list.c \
	core/errata/list.h \
	core/errata/match.c \
	core/errata/pattern.c \
	core/errata/pattern.h \
	core/errata/read.c \
	core/errata/read.h \
	core/errata/values.c \
	core/errata/values.h
