# SPDX-License-Identifier: Apache-2.0
# Programs written for cuDNN 7, against anydnn's cudnn.h.

TESTS += tests/porting/porting.sh
dist_check_SCRIPTS += tests/porting/porting.sh
EXTRA_DIST += \
	tests/porting/cudnn9_h200.txt \
	tests/porting/getters.c \
	tests/porting/layers.cpp \
	tests/porting/network.c \
	tests/porting/stub/cuda_runtime.h
