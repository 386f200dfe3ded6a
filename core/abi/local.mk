# SPDX-License-Identifier: Apache-2.0
# The export map, made from the table of entries.

core_libanydnn_core_la_SOURCES += \
	core/abi/entries.def

EXTRA_DIST += core/abi/map.awk
CLEANFILES += core/abi/libanydnn.map

core/abi/libanydnn.map: core/abi/entries.def core/abi/map.awk
	$(AM_V_GEN)$(MKDIR_P) core/abi && \
	$(AWK) -f $(srcdir)/core/abi/map.awk $(srcdir)/core/abi/entries.def >$@.new && mv $@.new $@
