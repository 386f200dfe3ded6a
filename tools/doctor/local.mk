# SPDX-License-Identifier: Apache-2.0

tools_anydnn_SOURCES += \
	cudnn9/places.c \
	cudnn9/search.h \
	tools/doctor/command.c \
	tools/doctor/doctor.h \
	tools/doctor/driver.c \
	tools/doctor/installed.c \
	tools/doctor/packages.c \
	tools/doctor/print.c \
	tools/doctor/probe.c
