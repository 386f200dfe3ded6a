# SPDX-License-Identifier: Apache-2.0
# The tests of libcudnn.so.9 in front of a mock, or of the real library if the machine has one.

cudnn9_tests = tests/cudnn9/doctor.sh tests/cudnn9/front.sh tests/cudnn9/layers.sh tests/cudnn9/tools.sh
if CUDNN9_MACHINE
TESTS += $(cudnn9_tests)
endif
dist_check_SCRIPTS += $(cudnn9_tests)
EXTRA_DIST += \
	tests/cudnn9/calls.c \
	tests/cudnn9/cudnn9.sh \
	tests/cudnn9/graph.py \
	tests/cudnn9/layers.c \
	tests/cudnn9/mock.c \
	tests/cudnn9/mock_layers.c
