# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/dispatch/autotune/rank.c \
	core/dispatch/autotune/search.c \
	core/dispatch/autotune/search.h \
	core/dispatch/autotune/store.c \
	core/dispatch/autotune/store.h \
	core/dispatch/autotune/time.c \
	core/dispatch/dispatch.h \
	core/dispatch/foreign/byte_runs.c \
	core/dispatch/foreign/byte_runs.h \
	core/dispatch/foreign/staged.c \
	core/dispatch/foreign/staged.h \
	core/dispatch/foreign/staging.c \
	core/dispatch/foreign/staging.h \
	core/dispatch/handle/arena.c \
	core/dispatch/handle/arena.h \
	core/dispatch/handle/capture.c \
	core/dispatch/handle/capture.h \
	core/dispatch/handle/guard.c \
	core/dispatch/handle/guard.h \
	core/dispatch/handle/handle.c \
	core/dispatch/handle/handle.h \
	core/dispatch/handle/keep.c \
	core/dispatch/handle/keep.h \
	core/dispatch/handle/space.c \
	core/dispatch/handle/space.h \
	core/dispatch/handle/world.c \
	core/dispatch/handle/world.h \
	core/dispatch/last_call.c \
	core/dispatch/last_call.h \
	core/dispatch/miss/explain.c \
	core/dispatch/miss/explain.h \
	core/dispatch/miss/find.c \
	core/dispatch/miss/miss.h \
	core/dispatch/miss/retry.c \
	core/dispatch/plan/call.c \
	core/dispatch/plan/call.h \
	core/dispatch/plan/plan.c \
	core/dispatch/plan/plan.h \
	core/dispatch/plan/table.c \
	core/dispatch/plan/table.h \
	core/dispatch/run.c \
	core/dispatch/select/ask.c \
	core/dispatch/select/choose.c \
	core/dispatch/select/select.c \
	core/dispatch/select/select.h
