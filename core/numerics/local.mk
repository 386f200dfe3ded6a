# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/numerics/bound.c \
	core/numerics/elements.c \
	core/numerics/measure.c \
	core/numerics/numerics.h \
	core/numerics/rounding.c \
	core/numerics/statistics.c
