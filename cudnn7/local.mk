# SPDX-License-Identifier: Apache-2.0
# The functions of libanydnn to which the porting header binds its names.
noinst_LTLIBRARIES += cudnn7/libported.la
cudnn7_libported_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -DANYDNN_EVERY_FORM -DCUDNN7_PORTED
cudnn7_libported_la_SOURCES = \
	cudnn7/answers.h \
	cudnn7/both.c \
	cudnn7/functions.h \
	cudnn7/ported.c \
	cudnn7/ported.h
nodist_cudnn7_libported_la_SOURCES = cudnn7/forward.c
libanydnn_la_LIBADD += cudnn7/libported.la

# libcudnn.so.7 for programs that were linked to cuDNN 7. It is always built, for the tests, and
# installed if configure enables it, in a folder of its own that no linker and no loader searches.

cudnn7dir = $(libdir)/anydnn/cudnn7
cudnn7_libcudnn_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -DANYDNN_EVERY_FORM
cudnn7_libcudnn_la_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_SO_LDFLAGS) -version-info 7:0:0 \
	-Wl,--version-script=$(abs_srcdir)/cudnn7/node.map
cudnn7_libcudnn_la_LIBADD = libanydnn.la -ldl
EXTRA_cudnn7_libcudnn_la_DEPENDENCIES = $(srcdir)/cudnn7/node.map
cudnn7_libcudnn_la_SOURCES = \
	cudnn7/alone.c \
	cudnn7/answers.h \
	cudnn7/both.c \
	cudnn7/callback.c \
	cudnn7/calls.c \
	cudnn7/found.c \
	cudnn7/functions.h \
	cudnn7/shim.h
nodist_cudnn7_libcudnn_la_SOURCES = cudnn7/forward.c
if CUDNN7
cudnn7_LTLIBRARIES = cudnn7/libcudnn.la
else
noinst_LTLIBRARIES += cudnn7/libcudnn.la
# Without this option libtool would make an archive.
cudnn7_libcudnn_la_LDFLAGS += -rpath $(cudnn7dir)
endif
if RUN_PATH
cudnn7_libcudnn_la_LDFLAGS += -Wl,-rpath,'$$ORIGIN/../..'
endif

EXTRA_DIST += cudnn7/forward.awk cudnn7/node.map cudnn7/ported.map
CLEANFILES += cudnn7/forward.c cudnn7/names.def
BUILT_SOURCES += cudnn7/forward.c cudnn7/names.def
cudnn7/forward.c: $(abi_cudnn7) $(srcdir)/cudnn7/forward.awk
	$(AM_V_GEN)$(call make_from_header,core/abi/cudnn7 cudnn7/forward,$(srcdir)/core/abi/cudnn7.def)

# `anydnn shim' reports what runs.
cudnn7/names.def: $(abi_cudnn7) $(srcdir)/cudnn7/forward.awk
	$(AM_V_GEN)$(call make_from_header,core/abi/cudnn7 cudnn7/forward,$(srcdir)/core/abi/cudnn7.def list=1)

# This folder is for programs that run from the build tree, like plugins/built.
all-local: cudnn7/built/.stamp
cudnn7/built/.stamp: cudnn7/libcudnn.la
	$(AM_V_GEN)$(MKDIR_P) cudnn7/built .libs/anydnn && rm -f .libs/anydnn/cudnn7 && \
	$(LN_S) "$(abs_builddir)/cudnn7/.libs" .libs/anydnn/cudnn7 && : >$@

cudnn7-clean:
	rm -rf cudnn7/built
clean-local: cudnn7-clean

.PHONY: cudnn7-clean
