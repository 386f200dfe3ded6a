# SPDX-License-Identifier: Apache-2.0
# Builds the backend opencl. It opens the OpenCL loader when it is first needed, and does not link it. The sources of its
# kernels become strings, which the driver compiles.

OPENCL_KERNELS = \
	$(srcdir)/plugins/opencl/jobs.h \
	$(srcdir)/plugins/opencl/kernels/common.cl \
	$(srcdir)/plugins/opencl/kernels/activate.cl \
	$(srcdir)/plugins/opencl/kernels/activation.cl \
	$(srcdir)/plugins/opencl/kernels/conv.cl \
	$(srcdir)/plugins/opencl/kernels/divisive.cl \
	$(srcdir)/plugins/opencl/kernels/dropout.cl \
	$(srcdir)/plugins/opencl/kernels/lrn.cl \
	$(srcdir)/plugins/opencl/kernels/norm.cl \
	$(srcdir)/plugins/opencl/kernels/pooling.cl \
	$(srcdir)/plugins/opencl/kernels/reduce.cl \
	$(srcdir)/plugins/opencl/kernels/softmax.cl \
	$(srcdir)/plugins/opencl/kernels/spatial.cl \
	$(srcdir)/plugins/opencl/kernels/tensor.cl

EXTRA_DIST += plugins/opencl/sources.awk
CLEANFILES += plugins/opencl/sources.h

plugins/opencl/sources.h: $(srcdir)/plugins/opencl/sources.awk $(OPENCL_KERNELS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(srcdir)/plugins/opencl/sources.awk $(OPENCL_KERNELS) >$@.new && mv $@.new $@

if HAVE_OPENCL
BUILT_SOURCES += plugins/opencl/sources.h
plugins_LTLIBRARIES += plugins/opencl/anydnn_opencl.la
endif
plugins_opencl_anydnn_opencl_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(OPENCL_CFLAGS) -I$(top_builddir)/plugins/opencl
plugins_opencl_anydnn_opencl_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_opencl_anydnn_opencl_la_LIBADD = -ldl -lpthread -lm
EXTRA_plugins_opencl_anydnn_opencl_la_DEPENDENCIES = $(PLUGIN_MAP)
nodist_plugins_opencl_anydnn_opencl_la_SOURCES = plugins/opencl/sources.h
plugins_opencl_anydnn_opencl_la_SOURCES = $(KIT_SOURCES) \
	plugins/opencl/activation.c \
	plugins/opencl/conv.c \
	plugins/opencl/device.c \
	plugins/opencl/divisive.c \
	plugins/opencl/dropout.c \
	plugins/opencl/jobs.h \
	plugins/opencl/kernels/activate.cl \
	plugins/opencl/kernels/activation.cl \
	plugins/opencl/kernels/common.cl \
	plugins/opencl/kernels/conv.cl \
	plugins/opencl/kernels/divisive.cl \
	plugins/opencl/kernels/dropout.cl \
	plugins/opencl/kernels/lrn.cl \
	plugins/opencl/kernels/norm.cl \
	plugins/opencl/kernels/pooling.cl \
	plugins/opencl/kernels/reduce.cl \
	plugins/opencl/kernels/softmax.cl \
	plugins/opencl/kernels/spatial.cl \
	plugins/opencl/kernels/tensor.cl \
	plugins/opencl/launch.c \
	plugins/opencl/library.c \
	plugins/opencl/library.h \
	plugins/opencl/lrn.c \
	plugins/opencl/memory.c \
	plugins/opencl/norm.c \
	plugins/opencl/opencl.h \
	plugins/opencl/plan.c \
	plugins/opencl/plan.h \
	plugins/opencl/plugin.c \
	plugins/opencl/pooling.c \
	plugins/opencl/program.c \
	plugins/opencl/reduce.c \
	plugins/opencl/softmax.c \
	plugins/opencl/space.c \
	plugins/opencl/spatial.c \
	plugins/opencl/stream.c \
	plugins/opencl/table.c \
	plugins/opencl/table.h \
	plugins/opencl/tensor_ops.c
