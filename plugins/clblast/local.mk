# SPDX-License-Identifier: Apache-2.0
# Builds the backend clblast. It opens CLBlast when it is first needed, and does not link it. Its space belongs to the
# backend opencl.

if HAVE_CLBLAST
plugins_LTLIBRARIES += plugins/clblast/anydnn_clblast.la
endif
plugins_clblast_anydnn_clblast_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(OPENCL_CFLAGS)
plugins_clblast_anydnn_clblast_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_clblast_anydnn_clblast_la_LIBADD = -ldl -lpthread
EXTRA_plugins_clblast_anydnn_clblast_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_clblast_anydnn_clblast_la_SOURCES = $(KIT_SOURCES) \
	plugins/clblast/clblast.h \
	plugins/clblast/convolution.c \
	plugins/clblast/gemm.c \
	plugins/clblast/library.c \
	plugins/clblast/library.h \
	plugins/clblast/matmul.c \
	plugins/clblast/plan.c \
	plugins/clblast/plugin.c
