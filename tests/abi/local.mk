# SPDX-License-Identifier: Apache-2.0
# The tests of the shared library's interface: what it exports, and that nothing is lost.

TESTS += tests/abi/symbols.sh tests/abi/tool.sh
dist_check_SCRIPTS += tests/abi/symbols.sh tests/abi/tool.sh

if HARDENING
TESTS += tests/abi/hardening.sh
endif
dist_check_SCRIPTS += tests/abi/hardening.sh

abi_gates = \
	tests/abi/breaks.sh \
	tests/abi/gate.sh \
	tests/abi/header.sh \
	tests/abi/levels.sh \
	tests/abi/life/life.sh \
	tests/abi/plugin_life/plugin_life.sh
if ABI_GATES
TESTS += $(abi_gates)
endif
dist_check_SCRIPTS += $(abi_gates)

EXTRA_DIST += \
	tests/abi/abi.sh \
	tests/abi/frozen/plugin-numbers \
	tests/abi/frozen/plugin-text \
	tests/abi/levels.c \
	tests/abi/life/life.c \
	tests/abi/life/life.def \
	tests/abi/life/life.h \
	tests/abi/life/program.c \
	tests/abi/plugin_life/grow.awk \
	tests/abi/plugin_life/scale.c \
	tests/abi/plugin_life/sim.c
EXTRA_DIST += \
	tests/abi/frozen/cudnn7/library.abi \
	tests/abi/frozen/level-1/constants \
	tests/abi/frozen/level-1/library.abi \
	tests/abi/frozen/level-1/views \
	tests/abi/frozen/level-2/constants \
	tests/abi/frozen/level-2/library.abi \
	tests/abi/frozen/level-2/views
