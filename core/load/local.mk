# SPDX-License-Identifier: Apache-2.0

core_libanydnn_base_la_SOURCES += \
	core/load/check.c \
	core/load/check.h \
	core/load/discover.c \
	core/load/dl.c \
	core/load/elf.c \
	core/load/handshake.c \
	core/load/host.c \
	core/load/load.h \
	core/load/private.h \
	core/load/registry.c \
	core/load/trust.c \
	core/load/validate.c \
	core/load/validate_lists.c
