# SPDX-License-Identifier: Apache-2.0
# Builds libanydnn. One convenience library has the components below dispatch, and `anydnn verify` links it,
# too. A second one has all components, and the unit tests link it. The shared library contains the second
# one and exports what core/abi/entries.def lists. Here every form of an entry has its symbol's own name.

noinst_LTLIBRARIES += core/libanydnn_base.la core/libanydnn_core.la
core_libanydnn_base_la_SOURCES =
core_libanydnn_base_la_CPPFLAGS = $(AM_CPPFLAGS) $(INIH_CFLAGS) -DANYDNN_EVERY_FORM
core_libanydnn_base_la_LIBADD = $(INIH_LIBS) -lpthread -ldl -lm

core_libanydnn_core_la_SOURCES =
core_libanydnn_core_la_CPPFLAGS = $(AM_CPPFLAGS) -DANYDNN_EVERY_FORM
core_libanydnn_core_la_LIBADD = core/libanydnn_base.la

include core/api/local.mk
include core/abi/local.mk
include core/desc/local.mk
include core/problem/local.mk
include core/dispatch/local.mk
include core/errata/local.mk
include core/load/local.mk
include core/judge/local.mk
include core/settings/local.mk
include core/numerics/local.mk
include core/shadow/local.mk
include core/sys/local.mk
include core/trace/local.mk
include core/tuning/local.mk

lib_LTLIBRARIES += libanydnn.la
libanydnn_la_SOURCES =
libanydnn_la_LIBADD = core/libanydnn_core.la
libanydnn_la_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_SO_LDFLAGS) -version-info $(ANYDNN_VERSION_INFO) \
	-Wl,--version-script=$(abs_builddir)/core/abi/libanydnn.map
EXTRA_libanydnn_la_DEPENDENCIES = core/abi/libanydnn.map
