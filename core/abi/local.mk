# SPDX-License-Identifier: Apache-2.0
# Makes from the table of entries: the export map, the views of anydnn.h, the rows of
# `anydnn abi` and the page of entries.

core_libanydnn_core_la_SOURCES += \
	core/abi/alias.h \
	core/abi/entries.def \
	core/abi/layout.c

abi_table = $(srcdir)/core/abi/table.awk $(srcdir)/core/abi/entries.def
make_from_table = $(MKDIR_P) $(@D) && \
	$(AWK) -f $(srcdir)/core/abi/table.awk -f $(srcdir)/core/abi/$(1).awk \
	    $(srcdir)/core/abi/entries.def >$@.new && mv $@.new $@

# Does the same with the declarations of anydnn.h, by one or more scripts; $(2) are further files.
abi_header = $(srcdir)/core/abi/header.awk $(srcdir)/include/anydnn/anydnn.h
make_from_header = $(MKDIR_P) $(@D) && \
	$(AWK) -f $(srcdir)/core/abi/table.awk -f $(srcdir)/core/abi/header.awk $(patsubst %,-f $(srcdir)/%.awk,$(1)) \
	    $(srcdir)/core/abi/entries.def $(srcdir)/include/anydnn/anydnn.h $(2) >$@.new && mv $@.new $@

EXTRA_DIST += core/abi/compat.awk core/abi/cudnn7.awk core/abi/cudnn7.def core/abi/cudnn_compat.h.in \
	core/abi/header.awk core/abi/map.awk core/abi/page.awk core/abi/prototypes.awk core/abi/rows.awk core/abi/table.awk core/abi/views.awk
CLEANFILES += core/abi/libanydnn.map include/anydnn/cudnn_compat.h core/abi/prototypes.def core/abi/rows.def docs/entries.md include/anydnn/views.h

core/abi/libanydnn.map: $(abi_table) $(srcdir)/core/abi/map.awk $(srcdir)/cudnn7/ported.map
	$(AM_V_GEN)$(call make_from_table,map) && cat $(srcdir)/cudnn7/ported.map >>$@

BUILT_SOURCES += core/abi/rows.def
core/abi/rows.def: $(abi_table) $(srcdir)/core/abi/rows.awk
	$(AM_V_GEN)$(call make_from_table,rows)

BUILT_SOURCES += core/abi/prototypes.def
core/abi/prototypes.def: $(abi_table) $(abi_header) $(srcdir)/core/abi/prototypes.awk
	$(AM_V_GEN)$(call make_from_header,core/abi/prototypes)

docs/entries.md: $(abi_table) $(srcdir)/core/abi/page.awk
	$(AM_V_GEN)$(call make_from_table,page)
nobase_nodist_docpages_DATA = docs/entries.md

BUILT_SOURCES += include/anydnn/views.h
nodist_anydnninclude_HEADERS = include/anydnn/views.h
include/anydnn/views.h: $(abi_table) $(srcdir)/core/abi/views.awk
	$(AM_V_GEN)$(call make_from_table,views)
# A single target in a fresh tree also needs the views. Before the first compilation, no object depends on anydnn.h.
$(srcdir)/include/anydnn/anydnn.h: | include/anydnn/views.h
$(sort $(foreach list,$(filter %_OBJECTS,$(.VARIABLES)),$($(list)))): | include/anydnn/views.h

# cuDNN 7's names; a program's <cudnn.h> comes from the folder cudnn7.
all-local: include/anydnn/cudnn_compat.h
nodist_anydnninclude_HEADERS += include/anydnn/cudnn_compat.h
cudnncompatdir = $(anydnnincludedir)/cudnn7
dist_cudnncompat_HEADERS = include/anydnn/cudnn7/cudnn.h
# The folder also has the layout of cuDNN's own root, for build systems that expect one: they find everything
# there, in lib or lib64, and so do the linker and the loader.
cudnncompatincludedir = $(cudnncompatdir)/include
cudnncompatinclude_HEADERS = include/anydnn/cudnn7/cudnn.h
cudnncompatlibdir = $(cudnncompatdir)/lib
dist_cudnncompatlib_DATA = include/anydnn/cudnn7/lib/libcudnn.so
cudnncompat_headers = anydnn.h cudnn_compat.h views.h
cudnncompat_libraries = libanydnn.so libanydnn.so.0
cudnncompat-install-hook:
	cd "$(DESTDIR)$(cudnncompatdir)" && ln -sfn lib lib64 && $(MKDIR_P) include/anydnn && \
	for file in $(cudnncompat_headers); do ln -sfn ../../../$$file include/anydnn/$$file || exit 1; done && \
	to=`realpath -m -s --relative-to='$(cudnncompatlibdir)' '$(libdir)'` && \
	for file in $(cudnncompat_libraries); do ln -sfn "$$to/$$file" lib/$$file || exit 1; done
cudnncompat-uninstall-hook:
	cd "$(DESTDIR)$(cudnncompatdir)" 2>/dev/null || exit 0; rm -f lib64 && \
	for file in $(cudnncompat_headers); do rm -f include/anydnn/$$file; done; \
	for file in $(cudnncompat_libraries); do rm -f lib/$$file; done; rmdir include/anydnn 2>/dev/null || :
.PHONY: cudnncompat-install-hook cudnncompat-uninstall-hook
abi_cudnn7 = $(abi_table) $(abi_header) $(srcdir)/core/abi/cudnn7.awk $(srcdir)/core/abi/cudnn7.def
include/anydnn/cudnn_compat.h: $(abi_cudnn7) $(srcdir)/core/abi/compat.awk $(srcdir)/core/abi/cudnn_compat.h.in
	$(AM_V_GEN)$(call make_from_header,core/abi/cudnn7 core/abi/compat,$(srcdir)/core/abi/cudnn7.def $(srcdir)/core/abi/cudnn_compat.h.in)
