# SPDX-License-Identifier: Apache-2.0
# anydnn verify, and the golden vectors that it installs.

vectorsdir = $(pkgdatadir)/vectors
dist_vectors_DATA = $(golden_vectors)
tools/verify/%-command.o: private FOLDER_CPPFLAGS = -DANYDNN_VECTORSDIR='"$(vectorsdir)"'
tools_anydnn_SOURCES += \
	tools/verify/child.c \
	tools/verify/command.c \
	tools/verify/open.c \
	tools/verify/orders.c \
	tools/verify/parent.c \
	tools/verify/report.c \
	tools/verify/settings.c \
	tools/verify/tally.c \
	tools/verify/tally.h \
	tools/verify/together.c \
	tools/verify/verify.h \
	tools/verify/cases/cases.c \
	tools/verify/cases/cases.h \
	tools/verify/cases/expand.c \
	tools/verify/cases/fuzz.c \
	tools/verify/cases/fuzz.h \
	tools/verify/cases/fuzz_layout.c \
	tools/verify/cases/fuzz_product.c \
	tools/verify/cases/fuzz_sequence.c \
	tools/verify/cases/fuzz_shape.c \
	tools/verify/cases/layouts.c \
	tools/verify/cases/mixes.c \
	tools/verify/cases/parameters.c \
	tools/verify/cases/samples.c \
	tools/verify/cases/shaped.c \
	tools/verify/cases/shapes.c \
	tools/verify/cases/shapes.h \
	tools/verify/cases/shapes_convolution.c \
	tools/verify/cases/shapes_layer.c \
	tools/verify/cases/shapes_norm.c \
	tools/verify/cases/shapes_product.c \
	tools/verify/cases/shapes_sequence.c \
	tools/verify/cases/shapes_shared.c \
	tools/verify/cases/shapes_tensor.c \
	tools/verify/cases/vec_reader.c \
	tools/verify/cases/vec_reader.h \
	tools/verify/cases/vec_types.c \
	tools/verify/cases/vec_types.h \
	tools/verify/cases/vectors.c \
	tools/verify/cases/vectors.h \
	tools/verify/checks/algorithms.c \
	tools/verify/checks/batch.c \
	tools/verify/checks/case.c \
	tools/verify/checks/diagnose.c \
	tools/verify/checks/engine.c \
	tools/verify/checks/environment.c \
	tools/verify/checks/errata.c \
	tools/verify/checks/exports.c \
	tools/verify/checks/forks.c \
	tools/verify/checks/leaks.c \
	tools/verify/checks/look.c \
	tools/verify/checks/memory.c \
	tools/verify/checks/name.c \
	tools/verify/checks/notice.c \
	tools/verify/checks/offers.c \
	tools/verify/checks/rules.c \
	tools/verify/checks/space.c \
	tools/verify/checks/space_counts.c \
	tools/verify/checks/space_late.c \
	tools/verify/checks/streams.c \
	tools/verify/checks/target.h \
	tools/verify/checks/threads.c

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
	tests/vectors/matmul.vec \
	tests/vectors/normalization_backward.vec \
	tests/vectors/normalization_forward.vec \
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
