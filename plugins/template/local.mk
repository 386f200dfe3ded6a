# SPDX-License-Identifier: Apache-2.0
# Not built here: others copy the folder, and tests/template does as they do.

templatedir = $(docdir)/template
dist_template_DATA = plugins/template/Makefile plugins/template/exports.map plugins/template/template.c
