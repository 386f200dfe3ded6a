# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/desc/desc.c \
	core/desc/desc.h \
	core/desc/layout.c \
	core/desc/layout.h \
	core/desc/names.c \
	core/desc/names.h \
	core/desc/npy.c \
	core/desc/npy.h \
	core/desc/operations.c \
	core/desc/operations.def \
	core/desc/operations.h \
	core/desc/shape.c \
	core/desc/shape.h
