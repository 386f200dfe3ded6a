# SPDX-License-Identifier: Apache-2.0
# Builds the backend cpu_ref, the oracle.

plugins_LTLIBRARIES += plugins/cpu_ref/anydnn_cpu_ref.la
plugins_cpu_ref_anydnn_cpu_ref_la_CPPFLAGS = $(PLUGIN_CPPFLAGS) $(PTHREADPOOL_CFLAGS)
# Vectorize at -O2, too. Without fused multiply-adds, the result does not depend on the processor.
plugins_cpu_ref_anydnn_cpu_ref_la_CFLAGS = $(AM_CFLAGS) -ftree-vectorize -ffp-contract=off
plugins_cpu_ref_anydnn_cpu_ref_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_cpu_ref_anydnn_cpu_ref_la_LIBADD = $(PTHREADPOOL_LIBS) -lpthread -lm
EXTRA_plugins_cpu_ref_anydnn_cpu_ref_la_DEPENDENCIES = $(PLUGIN_MAP)
plugins_cpu_ref_anydnn_cpu_ref_la_SOURCES = $(KIT_SOURCES) \
	plugins/cpu_ref/activate.h \
	plugins/cpu_ref/activation.c \
	plugins/cpu_ref/activation_backward.inc \
	plugins/cpu_ref/activation_forward.inc \
	plugins/cpu_ref/batch_norm.c \
	plugins/cpu_ref/batch_norm.h \
	plugins/cpu_ref/batch_norm_backward.c \
	plugins/cpu_ref/batch_norm_backward.inc \
	plugins/cpu_ref/batch_norm_forward.c \
	plugins/cpu_ref/batch_norm_forward.inc \
	plugins/cpu_ref/batch_norm_stats.inc \
	plugins/cpu_ref/batch_norm_training.inc \
	plugins/cpu_ref/bits.c \
	plugins/cpu_ref/bits.h \
	plugins/cpu_ref/check_problem.c \
	plugins/cpu_ref/conv.c \
	plugins/cpu_ref/conv.h \
	plugins/cpu_ref/conv_backward_bias.c \
	plugins/cpu_ref/conv_backward_bias.inc \
	plugins/cpu_ref/conv_backward_data.c \
	plugins/cpu_ref/conv_backward_data.inc \
	plugins/cpu_ref/conv_backward_filter.c \
	plugins/cpu_ref/conv_backward_filter.inc \
	plugins/cpu_ref/conv_forward.c \
	plugins/cpu_ref/conv_forward.inc \
	plugins/cpu_ref/conv_integer.c \
	plugins/cpu_ref/conv_integer.h \
	plugins/cpu_ref/conv_operands.c \
	plugins/cpu_ref/conv_operands.h \
	plugins/cpu_ref/conv_rows.inc \
	plugins/cpu_ref/cpu_ref.h \
	plugins/cpu_ref/ctc.c \
	plugins/cpu_ref/ctc.inc \
	plugins/cpu_ref/divisive.c \
	plugins/cpu_ref/divisive.inc \
	plugins/cpu_ref/dropout.c \
	plugins/cpu_ref/dropout.inc \
	plugins/cpu_ref/each_float.inc \
	plugins/cpu_ref/each_int8.inc \
	plugins/cpu_ref/each_integer.inc \
	plugins/cpu_ref/element.h \
	plugins/cpu_ref/im2col.c \
	plugins/cpu_ref/im2col.inc \
	plugins/cpu_ref/image.h \
	plugins/cpu_ref/integer.h \
	plugins/cpu_ref/lrn.c \
	plugins/cpu_ref/lrn.h \
	plugins/cpu_ref/lrn_backward.inc \
	plugins/cpu_ref/lrn_forward.inc \
	plugins/cpu_ref/matmul.c \
	plugins/cpu_ref/mixed.c \
	plugins/cpu_ref/mixed.h \
	plugins/cpu_ref/mixed.inc \
	plugins/cpu_ref/norm_kinds.c \
	plugins/cpu_ref/norm_kinds.h \
	plugins/cpu_ref/norm_kinds_backward.c \
	plugins/cpu_ref/norm_kinds_forward.c \
	plugins/cpu_ref/op_tensor.c \
	plugins/cpu_ref/op_tensor.inc \
	plugins/cpu_ref/parallel.c \
	plugins/cpu_ref/plan.c \
	plugins/cpu_ref/plugin.c \
	plugins/cpu_ref/pooling.c \
	plugins/cpu_ref/pooling.h \
	plugins/cpu_ref/pooling_backward.inc \
	plugins/cpu_ref/pooling_forward.inc \
	plugins/cpu_ref/reduce.c \
	plugins/cpu_ref/reduce.inc \
	plugins/cpu_ref/softmax.c \
	plugins/cpu_ref/softmax_backward.inc \
	plugins/cpu_ref/softmax_forward.inc \
	plugins/cpu_ref/spatial.c \
	plugins/cpu_ref/spatial_grid.inc \
	plugins/cpu_ref/spatial_sampler.inc \
	plugins/cpu_ref/table.c \
	plugins/cpu_ref/table.h \
	plugins/cpu_ref/tensor.h \
	plugins/cpu_ref/tensor_ops.c \
	plugins/cpu_ref/tensor_ops.inc \
	plugins/cpu_ref/transform.c \
	plugins/cpu_ref/walk.c \
	plugins/cpu_ref/walk.h
