# SPDX-License-Identifier: Apache-2.0
# The program anydnn and its manual page.

bin_PROGRAMS += tools/anydnn
tools_anydnn_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/core $(JANSSON_CFLAGS)
tools_anydnn_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_HARDEN_LDFLAGS)
if RUN_PATH
tools_anydnn_LDFLAGS += -Wl,-rpath,'$$ORIGIN/$(shell realpath -m -s --relative-to='$(bindir)' '$(libdir)')'
endif
tools_anydnn_LDADD = libanydnn.la $(JANSSON_LIBS) -lm
tools_anydnn_SOURCES = \
	tools/abi.c \
	tools/abi.h \
	tools/abi_scan.c \
	tools/alloc.c \
	tools/common.c \
	tools/common.h \
	tools/config.c \
	tools/csv.c \
	tools/csv.h \
	tools/elf.c \
	tools/elf.h \
	tools/exec.c \
	tools/explain.c \
	tools/files.c \
	tools/files.h \
	tools/info.c \
	tools/info.h \
	tools/info_backend.c \
	tools/info_print.c \
	tools/main.c \
	tools/options.c \
	tools/progress.c \
	tools/progress.h \
	tools/run.c \
	tools/run.h \
	tools/run_options.c \
	tools/shim.c \
	tools/shim.h \
	tools/shim_built.c \
	tools/shim_names.c \
	tools/shim_nine.c \
	tools/terminal.c \
	tools/terminal.h \
	tools/tune.c \
	tools/tuning_list.c \
	tools/tuning_list.h \
	tools/tuning_prune.c

# A build of only the program in a fresh tree needs these lists, too.
$(srcdir)/tools/abi.c: | core/abi/rows.def core/abi/prototypes.def
$(srcdir)/tools/shim_names.c: | cudnn7/names.def

dist_man_MANS += \
	tools/anydnn.1

include tools/bench/local.mk
include tools/compare/local.mk
include tools/doctor/local.mk
include tools/errata/local.mk
include tools/oracle/local.mk
include tools/problem/local.mk
include tools/replay/local.mk
include tools/report/local.mk
include tools/suite/local.mk
include tools/verify/local.mk

# compare and verify use components of the library below dispatch to check results.
tools_anydnn_CPPFLAGS += -I$(top_srcdir)
tools/suite/%-name.o: private FOLDER_CPPFLAGS = -DANYDNN_SUITESDIR='"$(suitesdir)"'
tools/%-shim_names.o: private FOLDER_CPPFLAGS = -DANYDNN_LIBDIR='"$(libdir)"'
tools_anydnn_LDADD += core/libanydnn_base.la -lpthread
