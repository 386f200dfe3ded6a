# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/load/attempt.h \
	core/load/check_members.c \
	core/load/check_members.h \
	core/load/discover.c \
	core/load/discover.h \
	core/load/dl.c \
	core/load/dl.h \
	core/load/elf.c \
	core/load/handshake.c \
	core/load/host.c \
	core/load/host.h \
	core/load/load.h \
	core/load/registry.c \
	core/load/slot.h \
	core/load/trust.c \
	core/load/validate.c \
	core/load/validate.h \
	core/load/validate_lists.c \
	core/load/validate_space.c
