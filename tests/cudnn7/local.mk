# SPDX-License-Identifier: Apache-2.0
# The tests of libcudnn.so.7 on anydnn.

TESTS += tests/cudnn7/exports.sh tests/cudnn7/interface.sh tests/cudnn7/programs.sh tests/cudnn7/tools.sh
dist_check_SCRIPTS += tests/cudnn7/exports.sh tests/cudnn7/interface.sh tests/cudnn7/programs.sh tests/cudnn7/tools.sh
EXTRA_DIST += \
	tests/abi/cudnn7-names \
	tests/cudnn7/cudnn.h.in \
	tests/cudnn7/cudnn7.sh \
	tests/cudnn7/declare.awk \
	tests/cudnn7/imports \
	tests/cudnn7/interface.c

if HAVE_CMOCKA
check_PROGRAMS += tests/cudnn7/test_found tests/cudnn7/test_ported
TESTS += tests/cudnn7/test_found tests/cudnn7/test_ported
tests_cudnn7_test_found_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cudnn7_test_found_SOURCES = cudnn7/found.c tests/cudnn7/test_found.c
tests_cudnn7_test_found_LDADD = $(CMOCKA_LIBS)
tests_cudnn7_test_ported_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cudnn7_test_ported_SOURCES = cudnn7/ported.c tests/cudnn7/test_ported.c
tests_cudnn7_test_ported_LDADD = libanydnn.la $(CMOCKA_LIBS)
endif

# The programs of tests/porting and that of the interface, linked to cuDNN 7's names with CUDA's own runtime.
# tests/gpu/run runs them from a bundle, on its libcudnn.so.7.
cudnn7_programs = \
	tests/cudnn7/getters_cudnn7 \
	tests/cudnn7/groups_cudnn7 \
	tests/cudnn7/in_place_cudnn7 \
	tests/cudnn7/interface_cudnn7 \
	tests/cudnn7/layers_cudnn7 \
	tests/cudnn7/network_cudnn7 \
	tests/cudnn7/objects_cudnn7 \
	tests/cudnn7/owners_cudnn7 \
	tests/cudnn7/streams_cudnn7 \
	tests/cudnn7/unread_cudnn7
CUDNN7_COMPILE = $(CC) $(CFLAGS) $(ANYDNN_SANITIZE) -Itests/cudnn7/built $(CUDA_CPPFLAGS) -c

tests/cudnn7/built/cudnn.h: tests/cudnn7/cudnn.h.in tests/cudnn7/declare.awk core/abi/table.awk core/abi/header.awk \
		core/abi/cudnn7.awk core/abi/compat.awk core/abi/entries.def include/anydnn/anydnn.h core/abi/cudnn7.def
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	    $(AWK) -f $(srcdir)/core/abi/table.awk -f $(srcdir)/core/abi/header.awk -f $(srcdir)/core/abi/cudnn7.awk \
	    -f $(srcdir)/tests/cudnn7/declare.awk -f $(srcdir)/core/abi/compat.awk $(srcdir)/core/abi/entries.def \
	    $(srcdir)/include/anydnn/anydnn.h $(srcdir)/core/abi/cudnn7.def $(srcdir)/tests/cudnn7/cudnn.h.in >$@.new && \
	    mv $@.new $@

tests/cudnn7/built/libcudnn.so.7: tests/abi/cudnn7-names
	$(AM_V_GEN)$(MKDIR_P) $(@D) && echo 'libcudnn.so.7 { global: *; };' >$(@D)/node.map && \
	    $(SED) '/^#/d; s/.*/int &(void); int &(void) { return 0; }/' $< | $(CC) $(CFLAGS) -fPIC -shared \
	    -Wl,-soname,libcudnn.so.7 -Wl,--version-script=$(@D)/node.map -x c - -o $@

tests/cudnn7/%_cudnn7.o: tests/porting/%.c tests/cudnn7/built/cudnn.h
	$(AM_V_CC)$(CUDNN7_COMPILE) $< -o $@

tests/cudnn7/%_cudnn7.o: tests/porting/%.cpp tests/cudnn7/built/cudnn.h
	$(AM_V_CC)$(CUDNN7_COMPILE) $< -o $@

tests/cudnn7/%_cudnn7.o: tests/cudnn7/%.c tests/cudnn7/built/cudnn.h
	$(AM_V_CC)$(CUDNN7_COMPILE) $< -o $@

tests/cudnn7/%_cudnn7: tests/cudnn7/%_cudnn7.o tests/cudnn7/built/libcudnn.so.7
	$(AM_V_CCLD)$(CC) $(CFLAGS) $(ANYDNN_SANITIZE) $(LDFLAGS) $^ -o $@ $(PORTING_LIBS)

CLEANFILES += $(cudnn7_programs) tests/cudnn7/*.o tests/cudnn7/built/cudnn.h tests/cudnn7/built/libcudnn.so.7 \
	tests/cudnn7/built/node.map
