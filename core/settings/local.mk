# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/settings/apply.c \
	core/settings/environment.c \
	core/settings/ini_lines.c \
	core/settings/items.c \
	core/settings/keys.c \
	core/settings/keys.def \
	core/settings/layers.c \
	core/settings/parts.h \
	core/settings/paths.c \
	core/settings/read.c \
	core/settings/route.c \
	core/settings/settings.c \
	core/settings/settings.h \
	core/settings/sources.h \
	core/settings/watch.c \
	core/settings/watch.h
