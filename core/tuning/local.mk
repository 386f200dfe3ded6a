# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/tuning/file.c \
	core/tuning/place.c \
	core/tuning/place.h \
	core/tuning/records.c \
	core/tuning/records.h \
	core/tuning/tuning.c \
	core/tuning/tuning.h
