# SPDX-License-Identifier: Apache-2.0
# onednn_direct measures the cost of anydnn over oneDNN's own API. Built on demand,
#   make bench/onednn_direct/onednn_direct
# since it links oneDNN's library, which nothing else here does. Its manual is at the head of
# onednn_direct.c.

if HAVE_ONEDNN_HEADERS
EXTRA_PROGRAMS += bench/onednn_direct/onednn_direct
CLEANFILES += bench/onednn_direct/onednn_direct
endif

bench_onednn_direct_onednn_direct_SOURCES = \
	bench/onednn_direct/direct.h \
	bench/onednn_direct/measure.c \
	bench/onednn_direct/measure.h \
	bench/onednn_direct/onednn_direct.c \
	bench/onednn_direct/suite.c \
	bench/onednn_direct/through_anydnn.c \
	bench/onednn_direct/through_onednn.c \
	bench/onednn_direct/version.h
bench_onednn_direct_onednn_direct_CPPFLAGS = $(AM_CPPFLAGS) $(ONEDNN_CFLAGS)
bench_onednn_direct_onednn_direct_LDADD = libanydnn.la -ldnnl -lgomp -lm
