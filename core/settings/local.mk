# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/settings/apply.c \
	core/settings/apply.h \
	core/settings/environment.c \
	core/settings/environment.h \
	core/settings/ini_lines.c \
	core/settings/ini_lines.h \
	core/settings/items.c \
	core/settings/keys.c \
	core/settings/keys.def \
	core/settings/keys.h \
	core/settings/layers.c \
	core/settings/layers.h \
	core/settings/paths.c \
	core/settings/paths.h \
	core/settings/read.c \
	core/settings/read.h \
	core/settings/route.c \
	core/settings/route.h \
	core/settings/section_values.c \
	core/settings/section_values.h \
	core/settings/settings.c \
	core/settings/settings.h \
	core/settings/sources.h
