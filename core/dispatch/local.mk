# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/dispatch/arena.c \
	core/dispatch/arena.h \
	core/dispatch/cache.c \
	core/dispatch/cache.h \
	core/dispatch/candidates.c \
	core/dispatch/choices.c \
	core/dispatch/dispatch.h \
	core/dispatch/explain.c \
	core/dispatch/find.c \
	core/dispatch/handle.c \
	core/dispatch/handle.h \
	core/dispatch/plan.c \
	core/dispatch/plan.h \
	core/dispatch/record.c \
	core/dispatch/recording.c \
	core/dispatch/recording.h \
	core/dispatch/retry.c \
	core/dispatch/run.c \
	core/dispatch/run.h \
	core/dispatch/runs.c \
	core/dispatch/runs.h \
	core/dispatch/search.c \
	core/dispatch/search.h \
	core/dispatch/select.c \
	core/dispatch/select.h \
	core/dispatch/space.c \
	core/dispatch/space.h \
	core/dispatch/stage.c \
	core/dispatch/stage.h \
	core/dispatch/stage_private.h \
	core/dispatch/stage_run.c \
	core/dispatch/timing.c \
	core/dispatch/tuned.c \
	core/dispatch/tuned.h \
	core/dispatch/walk.c \
	core/dispatch/world.c \
	core/dispatch/world.h
