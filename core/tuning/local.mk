# SPDX-License-Identifier: Apache-2.0

# The program takes the folder's lock, too.
core_libanydnn_base_la_SOURCES += \
	core/tuning/place.c \
	core/tuning/place.h

core_libanydnn_core_la_SOURCES += \
	core/tuning/file.c \
	core/tuning/records.c \
	core/tuning/records.h \
	core/tuning/tuning.c \
	core/tuning/tuning.h
