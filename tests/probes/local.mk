# SPDX-License-Identifier: Apache-2.0
# Questions to other libraries and their answers: read, not built.

EXTRA_DIST += tests/probes/README.md tests/probes/cudnn_questions.c \
	tests/probes/cudnn_aliases.c tests/probes/cudnn_aliases.h tests/probes/cudnn_aliases_more.c \
	tests/probes/cudnn_types.c tests/probes/cudnn_types.h \
	tests/probes/cudnn_types_convolutions.c tests/probes/cudnn_types_layers.c \
	tests/probes/cudnn_types_mixes.c tests/probes/cudnn_types_normalizations.c \
	tests/probes/cudnn_types_tensors.c
