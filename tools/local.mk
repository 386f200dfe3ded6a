# SPDX-License-Identifier: Apache-2.0
# The program anydnn and its manual page.

bin_PROGRAMS += tools/anydnn
tools_anydnn_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/core $(JANSSON_CFLAGS) $(LIBELF_CFLAGS)
tools_anydnn_LDFLAGS = $(AM_LDFLAGS)
if RUN_PATH
tools_anydnn_LDFLAGS += -Wl,-rpath,'$$ORIGIN/$(shell realpath -m -s --relative-to='$(bindir)' '$(libdir)')'
endif
tools_anydnn_LDADD = libanydnn.la $(JANSSON_LIBS) $(LIBELF_LIBS) -lm
tools_anydnn_SOURCES = \
	tools/abi.c \
	tools/abi.h \
	tools/abi_scan.c \
	tools/alloc.c \
	tools/common.c \
	tools/common.h \
	tools/config.c \
	tools/contender.c \
	tools/contender.h \
	tools/csv.c \
	tools/csv.h \
	tools/elf.c \
	tools/elf.h \
	tools/element.c \
	tools/exec.c \
	tools/execute.c \
	tools/execute.h \
	tools/explain.c \
	tools/files.c \
	tools/find.c \
	tools/find.h \
	tools/fill.c \
	tools/info.c \
	tools/main.c \
	tools/operands.c \
	tools/operands.h \
	tools/options.c \
	tools/problems.c \
	tools/progress.c \
	tools/progress.h \
	tools/report.c \
	tools/report.h \
	tools/run.c \
	tools/shim.c \
	tools/shim.h \
	tools/shim_names.c \
	tools/suite.c \
	tools/suite.h \
	tools/suite_layer.c \
	tools/suite_name.c \
	tools/suite_options.c \
	tools/suite_parts.h \
	tools/tune.c \
	tools/tuning_list.c \
	tools/tuning_list.h \
	tools/words.c \
	tools/words.h

dist_man_MANS += \
	tools/anydnn.1

include tools/bench/local.mk
include tools/compare/local.mk
include tools/replay/local.mk
include tools/report/local.mk

# verify drives backends through the rooms below dispatch.
vectorsdir = $(pkgdatadir)/vectors
dist_vectors_DATA = $(golden_vectors)
tools_anydnn_CPPFLAGS += -I$(top_srcdir)
tools/verify/%-command.o: private ROOM_CPPFLAGS = -DANYDNN_VECTORSDIR='"$(vectorsdir)"'
tools/%-suite_name.o: private ROOM_CPPFLAGS = -DANYDNN_SUITESDIR='"$(suitesdir)"'
tools/%-shim_names.o: private ROOM_CPPFLAGS = -DANYDNN_LIBDIR='"$(libdir)"'
tools_anydnn_LDADD += core/libanydnn_base.la -lpthread
tools_anydnn_SOURCES += \
	tools/verify/answers.c \
	tools/verify/case.c \
	tools/verify/cases.c \
	tools/verify/cases.h \
	tools/verify/child.c \
	tools/verify/command.c \
	tools/verify/data.c \
	tools/verify/diagnose.c \
	tools/verify/engine.c \
	tools/verify/environment.c \
	tools/verify/expand.c \
	tools/verify/exports.c \
	tools/verify/forks.c \
	tools/verify/fuzz.c \
	tools/verify/fuzz.h \
	tools/verify/fuzz_layout.c \
	tools/verify/fuzz_sequence.c \
	tools/verify/fuzz_shape.c \
	tools/verify/layouts.c \
	tools/verify/look.c \
	tools/verify/memory.c \
	tools/verify/mixes.c \
	tools/verify/name.c \
	tools/verify/open.c \
	tools/verify/oracle.c \
	tools/verify/parent.c \
	tools/verify/report.c \
	tools/verify/rules.c \
	tools/verify/samples.c \
	tools/verify/settings.c \
	tools/verify/shrink.c \
	tools/verify/shrink.h \
	tools/verify/shaped.c \
	tools/verify/shapes.c \
	tools/verify/shapes.h \
	tools/verify/shapes_convolution.c \
	tools/verify/shapes_layer.c \
	tools/verify/shapes_norm.c \
	tools/verify/shapes_sequence.c \
	tools/verify/shapes_shared.c \
	tools/verify/shapes_tensor.c \
	tools/verify/source.c \
	tools/verify/space.c \
	tools/verify/space_counts.c \
	tools/verify/space_late.c \
	tools/verify/subject.h \
	tools/verify/tally.c \
	tools/verify/tally.h \
	tools/verify/target.h \
	tools/verify/threads.c \
	tools/verify/vec_reader.c \
	tools/verify/vec_reader.h \
	tools/verify/vec_types.c \
	tools/verify/vec_types.h \
	tools/verify/vectors.c \
	tools/verify/vectors.h \
	tools/verify/verify.h

golden_vectors = \
	tests/vectors/activation_backward.vec \
	tests/vectors/activation_forward.vec \
	tests/vectors/add_tensor.vec \
	tests/vectors/batch_normalization_backward.vec \
	tests/vectors/batch_normalization_inference.vec \
	tests/vectors/batch_normalization_training.vec \
	tests/vectors/convolution_backward_bias.vec \
	tests/vectors/convolution_backward_data.vec \
	tests/vectors/convolution_backward_filter.vec \
	tests/vectors/convolution_bias_activation_forward.vec \
	tests/vectors/convolution_forward.vec \
	tests/vectors/ctc_loss.vec \
	tests/vectors/divisive_normalization_backward.vec \
	tests/vectors/divisive_normalization_forward.vec \
	tests/vectors/dropout_backward.vec \
	tests/vectors/dropout_forward.vec \
	tests/vectors/im2col.vec \
	tests/vectors/lrn_backward.vec \
	tests/vectors/lrn_forward.vec \
	tests/vectors/op_tensor.vec \
	tests/vectors/pooling_backward.vec \
	tests/vectors/pooling_forward.vec \
	tests/vectors/reduce_tensor.vec \
	tests/vectors/scale_tensor.vec \
	tests/vectors/set_tensor.vec \
	tests/vectors/softmax_backward.vec \
	tests/vectors/softmax_forward.vec \
	tests/vectors/spatial_grid_backward.vec \
	tests/vectors/spatial_grid_forward.vec \
	tests/vectors/spatial_sampler_backward.vec \
	tests/vectors/spatial_sampler_forward.vec \
	tests/vectors/transform_filter.vec \
	tests/vectors/transform_tensor.vec \
	tests/vectors/transform_tensor_ex.vec
