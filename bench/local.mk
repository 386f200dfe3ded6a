# SPDX-License-Identifier: Apache-2.0
# Benchmarks. Those with limits that hold on any machine are tests as well.

check_PROGRAMS += bench/call_cost/call_cost
bench_call_cost_call_cost_SOURCES = bench/call_cost/call_cost.c
bench_call_cost_call_cost_LDADD = libanydnn.la
TESTS += bench/call_cost/call_cost.sh
dist_check_SCRIPTS += bench/call_cost/call_cost.sh

# Built on demand.
EXTRA_LTLIBRARIES =
EXTRA_PROGRAMS =

include bench/cudnn_direct/local.mk
include bench/host_cost/local.mk
include bench/lenet/local.mk
include bench/onednn_direct/local.mk
include bench/results/local.mk
include bench/suites/local.mk

check_PROGRAMS += bench/create_time/create_time
bench_create_time_create_time_SOURCES = bench/create_time/create_time.c
bench_create_time_create_time_LDADD = libanydnn.la
clock_programs = bench/create_time/create_time
clock_tests += bench/create_time/create_time.sh
dist_check_SCRIPTS += bench/create_time/create_time.sh
