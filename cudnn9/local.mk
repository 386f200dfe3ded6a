# SPDX-License-Identifier: Apache-2.0
# libcudnn.so.9 in front of the real one, for programs of cuDNN 9. It is always built on x86-64, for the
# tests, and installed if configure enables it, in a folder of its own that no linker and no loader searches.

cudnn9dir = $(libdir)/anydnn/cudnn9
if CUDNN9_MACHINE
cudnn9_libcudnn_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
cudnn9_libcudnn_la_CCASFLAGS = $(AM_CCASFLAGS) -I$(top_srcdir)
cudnn9_libcudnn_la_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_SO_LDFLAGS) -version-info 9:0:0 \
	-Wl,--version-script=$(abs_srcdir)/cudnn9/node.map
cudnn9_libcudnn_la_LIBADD = libanydnn.la -ldl -lpthread
EXTRA_cudnn9_libcudnn_la_DEPENDENCIES = $(srcdir)/cudnn9/node.map
cudnn9_libcudnn_la_SOURCES = \
	cudnn9/call.h \
	cudnn9/counters.c \
	cudnn9/describe.c \
	cudnn9/find.c \
	cudnn9/front.h \
	cudnn9/hide.c \
	cudnn9/hooks.c \
	cudnn9/jumps.S \
	cudnn9/legacy.c \
	cudnn9/legacy_layers.c \
	cudnn9/messages.c \
	cudnn9/names.def \
	cudnn9/objects.c \
	cudnn9/parameters.c \
	cudnn9/parts.c \
	cudnn9/places.c \
	cudnn9/run.c \
	cudnn9/search.h \
	cudnn9/settings.c \
	cudnn9/trace.c
if CUDNN9
cudnn9_LTLIBRARIES = cudnn9/libcudnn.la
else
noinst_LTLIBRARIES += cudnn9/libcudnn.la
# Without this option libtool would make an archive.
cudnn9_libcudnn_la_LDFLAGS += -rpath $(cudnn9dir)
endif
if RUN_PATH
cudnn9_libcudnn_la_LDFLAGS += -Wl,-rpath,'$$ORIGIN/../..'
endif

# This folder is for programs that run from the build tree, like plugins/built.
cudnn9_built = cudnn9/built/.stamp
cudnn9/built/.stamp: cudnn9/libcudnn.la
	$(AM_V_GEN)$(MKDIR_P) cudnn9/built .libs/anydnn && rm -f .libs/anydnn/cudnn9 && \
	$(LN_S) "$(abs_builddir)/cudnn9/.libs" .libs/anydnn/cudnn9 && : >$@
endif
all-local: $(cudnn9_built)

EXTRA_DIST += cudnn9/node.map

cudnn9-clean:
	rm -rf cudnn9/built
clean-local: cudnn9-clean

.PHONY: cudnn9-clean
