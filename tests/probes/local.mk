# SPDX-License-Identifier: Apache-2.0
# Questions to other libraries and their answers: read, not built.

EXTRA_DIST += tests/probes/README.md tests/probes/cudnn9_h200.txt tests/probes/cudnn_questions.c
