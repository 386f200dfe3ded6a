# SPDX-License-Identifier: Apache-2.0

core_libanydnn_core_la_SOURCES += \
	core/api/activation.c \
	core/api/algorithm.c \
	core/api/batch_normalization.c \
	core/api/batch_normalization_sizes.c \
	core/api/call.c \
	core/api/call.h \
	core/api/convolution.c \
	core/api/convolution.h \
	core/api/convolution_get.c \
	core/api/convolution_query.c \
	core/api/convolution_search.c \
	core/api/ctc_loss.c \
	core/api/desc_activation.c \
	core/api/desc_convolution.c \
	core/api/desc_convolution_out.c \
	core/api/desc_ctc_loss.c \
	core/api/desc_dropout.c \
	core/api/desc_filter.c \
	core/api/desc_lrn.c \
	core/api/desc_matmul.c \
	core/api/desc_norm_kinds.c \
	core/api/desc_op_tensor.c \
	core/api/desc_pooling.c \
	core/api/desc_reduce.c \
	core/api/desc_spatial.c \
	core/api/desc_tensor.c \
	core/api/desc_transform.c \
	core/api/dropout.c \
	core/api/folding.c \
	core/api/handle.c \
	core/api/info.c \
	core/api/matmul.c \
	core/api/memory.c \
	core/api/norm_kinds.c \
	core/api/normalization.c \
	core/api/pooling.c \
	core/api/problem.c \
	core/api/reduce.c \
	core/api/reorder.c \
	core/api/search.c \
	core/api/search.h \
	core/api/softmax.c \
	core/api/spatial.c \
	core/api/tensor_ops.c \
	core/api/version.c
