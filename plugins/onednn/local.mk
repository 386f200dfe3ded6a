# SPDX-License-Identifier: Apache-2.0
# Builds the backend onednn. It opens oneDNN's library when it is first needed, and does not link it.

EXTRA_DIST += plugins/onednn/opens

if HAVE_ONEDNN
plugins_LTLIBRARIES += plugins/onednn/anydnn_onednn.la
endif
plugins_onednn_anydnn_onednn_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
# Vectorize at -O2, too. Without fused multiply-adds, a blend computes exactly the written formula.
plugins_onednn_anydnn_onednn_la_CFLAGS = $(AM_CFLAGS) -ftree-vectorize -ffp-contract=off
plugins_onednn_anydnn_onednn_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_onednn_anydnn_onednn_la_LIBADD = -ldl -lpthread -lm
EXTRA_plugins_onednn_anydnn_onednn_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_onednn_anydnn_onednn_la_SOURCES = $(KIT_SOURCES) \
	plugins/onednn/activate.h \
	plugins/onednn/activation.c \
	plugins/onednn/activation_lost.c \
	plugins/onednn/activation_lost.h \
	plugins/onednn/adapter.c \
	plugins/onednn/adapter.h \
	plugins/onednn/batch_norm.c \
	plugins/onednn/batch_norm.h \
	plugins/onednn/batch_norm_backward.c \
	plugins/onednn/batch_norm_measure.c \
	plugins/onednn/batch_norm_runs.c \
	plugins/onednn/batch_norm_steps.c \
	plugins/onednn/batch_norm_sums.c \
	plugins/onednn/build.c \
	plugins/onednn/build.h \
	plugins/onednn/by_sample.c \
	plugins/onednn/by_sample.h \
	plugins/onednn/conv.c \
	plugins/onednn/conv.h \
	plugins/onednn/conv_axes.c \
	plugins/onednn/conv_axes.h \
	plugins/onednn/conv_backward.c \
	plugins/onednn/conv_bias.c \
	plugins/onednn/conv_finish.c \
	plugins/onednn/conv_forward.c \
	plugins/onednn/conv_integer.c \
	plugins/onednn/conv_integer.h \
	plugins/onednn/conv_layouts.c \
	plugins/onednn/conv_parts.c \
	plugins/onednn/dnnl.h \
	plugins/onednn/functions.h \
	plugins/onednn/layer.c \
	plugins/onednn/layer.h \
	plugins/onednn/layer_norm.c \
	plugins/onednn/layer_norm.h \
	plugins/onednn/layer_norm_backward.c \
	plugins/onednn/layer_norm_forward.c \
	plugins/onednn/layer_norm_steps.c \
	plugins/onednn/library.c \
	plugins/onednn/library.h \
	plugins/onednn/lrn.c \
	plugins/onednn/lrn.h \
	plugins/onednn/lrn_own.c \
	plugins/onednn/matmul.c \
	plugins/onednn/matmul.h \
	plugins/onednn/matmul_finish.c \
	plugins/onednn/move.c \
	plugins/onednn/onednn.h \
	plugins/onednn/plan.c \
	plugins/onednn/plan.h \
	plugins/onednn/plugin.c \
	plugins/onednn/pooling.c \
	plugins/onednn/pooling.h \
	plugins/onednn/pooling_own.c \
	plugins/onednn/softmax.c \
	plugins/onednn/softmax.h \
	plugins/onednn/softmax_backward.c \
	plugins/onednn/table.c \
	plugins/onednn/table.h \
	plugins/onednn/threads.c \
	plugins/onednn/view.c \
	plugins/onednn/walk.c \
	plugins/onednn/walk.h \
	plugins/onednn/wide.h \
	plugins/onednn/work.c
