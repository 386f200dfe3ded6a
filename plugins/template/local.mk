# SPDX-License-Identifier: Apache-2.0
# This backend is not built here. Authors copy the folder, and tests/template does the same.

templatedir = $(docdir)/template
dist_template_DATA = plugins/template/Makefile plugins/template/exports.map plugins/template/template.c
