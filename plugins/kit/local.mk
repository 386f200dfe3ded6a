# SPDX-License-Identifier: Apache-2.0
# The sources that backends share. Each backend compiles its own copy, in this tree and elsewhere.

KIT_SOURCES = \
	plugins/kit/host.c \
	plugins/kit/host.h \
	plugins/kit/limits.c \
	plugins/kit/limits.h \
	plugins/kit/names.c \
	plugins/kit/names.h \
	plugins/kit/operations.def \
	plugins/kit/params.h \
	plugins/kit/philox.h \
	plugins/kit/problem.c \
	plugins/kit/problem.h \
	plugins/kit/slots.h \
	plugins/kit/walk.c \
	plugins/kit/walk.h

kitdir = $(pkgdatadir)/kit
dist_kit_DATA = $(KIT_SOURCES)
