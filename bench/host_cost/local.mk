# SPDX-License-Identifier: Apache-2.0
# host_cost measures the host time of the steps of a call on a GPU. Built on demand,
#   make bench/host_cost/host_cost
# Its manual is at the head of host_cost.c.

HOST_COST_FILES = \
	bench/host_cost/host_cost.c \
	bench/host_cost/kernels.cu \
	bench/host_cost/kernels.h
EXTRA_DIST += $(HOST_COST_FILES)

if HAVE_CUDA
EXTRA_LTLIBRARIES += bench/host_cost/libkernels.la
bench_host_cost_libkernels_la_SOURCES = bench/host_cost/kernels.cu bench/host_cost/kernels.h
EXTRA_PROGRAMS += bench/host_cost/host_cost
CLEANFILES += bench/host_cost/host_cost
bench_host_cost_host_cost_SOURCES = bench/host_cost/host_cost.c bench/host_cost/kernels.h
bench_host_cost_host_cost_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
bench_host_cost_host_cost_LDADD = bench/host_cost/libkernels.la libanydnn.la $(CUDA_LIBS)
endif
