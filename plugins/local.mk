# SPDX-License-Identifier: Apache-2.0
# The backends: modules anydnn_NAME.so. A folder gives its module's name to plugins_LTLIBRARIES,
# its sources, those of the kit among them, and LDFLAGS of $(PLUGIN_LDFLAGS); plugins do not link libanydnn.

PLUGIN_CPPFLAGS = -I$(top_srcdir)/include -D_GNU_SOURCE
PLUGIN_LDFLAGS = $(AM_LDFLAGS) $(ANYDNN_SO_LDFLAGS) -module -avoid-version -shared \
	-Wl,--version-script=$(abs_srcdir)/plugins/make/plugin.map
PLUGIN_MAP = $(srcdir)/plugins/make/plugin.map
EXTRA_DIST += plugins/make/plugin.map

include plugins/kit/local.mk
include plugins/cpu_ref/local.mk
include plugins/make/cuda.mk
include plugins/cuda_common/local.mk
include plugins/cuda_naive/local.mk
include plugins/cuda_simt/local.mk
include plugins/cuda_tensorcore/local.mk
include plugins/cudnn/local.mk
include plugins/onednn/local.mk
include plugins/opencl/local.mk
include plugins/clblast/local.mk
include plugins/template/local.mk

# $(call link_modules,FOLDER,LIST): links to built modules, all in one folder.
link_modules = rm -rf $(1) && $(MKDIR_P) $(1) && \
	for la in $(2); do \
	    so=`basename $$la .la`.so; \
	    $(LN_S) "$(abs_builddir)/`dirname $$la`/.libs/$$so" "$(1)/$$so" || exit 1; \
	done

# For programs that run out of the build tree. The second link lies where .libs/libanydnn.so, being
# somewhere else than configured to, looks for its plugins.
plugins/built/.stamp: $(plugins_LTLIBRARIES)
	$(AM_V_GEN)$(call link_modules,plugins/built,$(plugins_LTLIBRARIES)) && \
	$(MKDIR_P) .libs/anydnn && rm -f .libs/anydnn/plugins && \
	$(LN_S) "$(abs_builddir)/plugins/built" .libs/anydnn/plugins && : >$@

plugins-dir: plugins/built/.stamp

plugins-clean:
	rm -rf plugins/built .libs/anydnn
	rm -f plugins/*/*.cu.d plugins/*/*/*.cu.d plugins/*/*.spills plugins/*/*/*.spills plugins/*/.libs/*.spills \
	    plugins/*/*/.libs/*.spills

# libtool's own description of a module is of no use where modules are opened by path.
plugins-install-hook:
	for la in $(plugins_LTLIBRARIES); do \
	    rm -f "$(DESTDIR)$(pluginsdir)/`basename $$la`"; \
	done

plugins-uninstall-hook:
	for la in $(plugins_LTLIBRARIES); do \
	    rm -f "$(DESTDIR)$(pluginsdir)/`basename $$la .la`.so"; \
	done

.PHONY: plugins-dir plugins-clean plugins-install-hook plugins-uninstall-hook
