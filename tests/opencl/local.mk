# SPDX-License-Identifier: Apache-2.0
# Tests the backend opencl, on the device that the machine has. PoCL's is the processor.

TESTS += tests/opencl/test_opencl.sh tests/opencl/test_spaces.sh tests/opencl/test_verify.sh
dist_check_SCRIPTS += tests/opencl/test_opencl.sh tests/opencl/test_spaces.sh tests/opencl/test_verify.sh
EXTRA_DIST += tests/opencl/native.c tests/opencl/opencl.sh tests/opencl/two.c
