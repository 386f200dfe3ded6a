# SPDX-License-Identifier: Apache-2.0
# Programs for cuDNN 7, compiled against anydnn's cudnn.h.

TESTS += tests/porting/build_systems.sh tests/porting/porting.sh
dist_check_SCRIPTS += tests/porting/build_systems.sh tests/porting/porting.sh
EXTRA_DIST += \
	tests/porting/cudnn9_h200.txt \
	tests/porting/enumerations.c \
	tests/porting/getters.c \
	tests/porting/groups.c \
	tests/porting/in_place.c \
	tests/porting/lacking.c \
	tests/porting/layers.cpp \
	tests/porting/names.cpp \
	tests/porting/network.c \
	tests/porting/objects.c \
	tests/porting/owners.cpp \
	tests/porting/same.awk \
	tests/porting/streams.c \
	tests/porting/stub/cuda_runtime.h \
	tests/porting/unread.c

# The programs with CUDA's own runtime, against cuDNN and against anydnn. tests/gpu/run runs them from
# a bundle. As for the backend, cuDNN's headers suffice: the programs are linked to a library of its
# name that has only the functions' names.
porting_programs = \
	tests/porting/groups_anydnn \
	tests/porting/groups_cudnn \
	tests/porting/in_place_anydnn \
	tests/porting/layers_anydnn \
	tests/porting/layers_cudnn \
	tests/porting/network_anydnn \
	tests/porting/network_cudnn \
	tests/porting/owners_anydnn \
	tests/porting/owners_cudnn \
	tests/porting/streams_anydnn \
	tests/porting/streams_cudnn \
	tests/porting/unread_anydnn
PORTING_COMPILE = $(CC) $(CFLAGS) $(ANYDNN_SANITIZE) -c
PORTING_LIBS = -Wl,--gc-sections $(CUDA_LIBS) -lm

tests/porting/%_cudnn.o: tests/porting/%.c
	$(AM_V_CC)$(MKDIR_P) tests/porting && $(PORTING_COMPILE) $(CUDNN_CFLAGS) $(CUDA_CPPFLAGS) $< -o $@

tests/porting/%_cudnn.o: tests/porting/%.cpp
	$(AM_V_CC)$(MKDIR_P) tests/porting && $(PORTING_COMPILE) $(CUDNN_CFLAGS) $(CUDA_CPPFLAGS) $< -o $@

tests/porting/%_anydnn.o: tests/porting/%.c libanydnn.la
	$(AM_V_CC)$(MKDIR_P) tests/porting && \
	    $(PORTING_COMPILE) -I$(srcdir)/include/anydnn/cudnn7 $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $< -o $@

tests/porting/%_anydnn.o: tests/porting/%.cpp libanydnn.la
	$(AM_V_CC)$(MKDIR_P) tests/porting && \
	    $(PORTING_COMPILE) -I$(srcdir)/include/anydnn/cudnn7 $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $< -o $@

tests/porting/libcudnn.so.9: tests/porting/groups_cudnn.o tests/porting/layers_cudnn.o tests/porting/network_cudnn.o \
		tests/porting/owners_cudnn.o tests/porting/streams_cudnn.o
	$(AM_V_GEN)$(NM) -u $^ | $(SED) -n 's/^ *U \(cudnn[A-Za-z0-9_]*\)$$/void \1(void); void \1(void) {}/p' | \
	    sort -u | $(CC) $(CFLAGS) -fPIC -shared -Wl,-soname,libcudnn.so.9 -x c - -o $@

tests/porting/%_cudnn: tests/porting/%_cudnn.o tests/porting/libcudnn.so.9
	$(AM_V_CCLD)$(CC) $(CFLAGS) $(ANYDNN_SANITIZE) $(LDFLAGS) $^ -o $@ $(PORTING_LIBS)

tests/porting/%_anydnn: tests/porting/%_anydnn.o libanydnn.la
	$(AM_V_CCLD)$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) $(CFLAGS) $(ANYDNN_SANITIZE) $(LDFLAGS) $^ -o $@ \
	    $(PORTING_LIBS)

CLEANFILES += $(porting_programs) tests/porting/*.o tests/porting/libcudnn.so.9
