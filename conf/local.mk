# SPDX-License-Identifier: Apache-2.0
# Settings as shipped, and what pkg-config and CMake tell programs and backends.

dist_anydnnconf_DATA = conf/anydnn.conf
dist_man_MANS += conf/anydnn.conf.5
EXTRA_DIST += conf/anydnn.pc.in conf/anydnn-config.cmake.in conf/anydnn-config-version.cmake.in

# Made by make, for configure does not know how its folders expand. Relative paths are of folders
# below the prefix; others stay as they are.
cmakedir = $(libdir)/cmake/anydnn
nodist_cmake_DATA = conf/anydnn-config.cmake conf/anydnn-config-version.cmake
CLEANFILES += $(nodist_cmake_DATA)

relative = realpath -m -s --relative-to
conf/anydnn-config.cmake: $(srcdir)/conf/anydnn-config.cmake.in Makefile
	$(AM_V_GEN)$(SED) -e "s|@to_prefix[@]|`$(relative)='$(cmakedir)' '$(prefix)'`|" \
	    -e "s|@plugindir[@]|`$(relative)='$(prefix)' '$(pluginsdir)'`|" \
	    -e "s|@kitdir[@]|`$(relative)='$(prefix)' '$(kitdir)'`|" \
	    -e "s|@libdir[@]|`$(relative)='$(prefix)' '$(libdir)'`|" \
	    -e "s|@includedir[@]|`$(relative)='$(prefix)' '$(includedir)'`|" \
	    -e 's|@plugin_abi[@]|$(ANYDNN_PLUGIN_ABI)|' -e 's|@confdir[@]|$(anydnnconfdir)|' \
	    $(srcdir)/conf/anydnn-config.cmake.in >$@

conf/anydnn-config-version.cmake: $(srcdir)/conf/anydnn-config-version.cmake.in Makefile
	$(AM_V_GEN)$(SED) -e 's|@version[@]|$(PACKAGE_VERSION)|' \
	    $(srcdir)/conf/anydnn-config-version.cmake.in >$@
