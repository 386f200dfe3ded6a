# SPDX-License-Identifier: Apache-2.0

dist_doc_DATA += \
	docs/architecture.md \
	docs/backend-authors.md \
	docs/backends.md \
	docs/comparing.md \
	docs/cudnn7.md \
	docs/cudnn9.md \
	docs/developing.md \
	docs/errata.md \
	docs/kernels.md \
	docs/levels.md \
	docs/measuring.md \
	docs/packaging.md \
	docs/porting-from-cudnn.md \
	docs/python.md \
	docs/pytorch.md \
	docs/resnet50.svg \
	docs/shadow.md \
	docs/style.md \
	docs/traces.md \
	docs/using.md

# Writes what the backends of this tree publish into the page. make check fails if the page is out of date.
backends-page: tools/anydnn plugins-dir
	$(top_srcdir)/scripts/backends-table tools/anydnn $(top_srcdir)/docs/backends.md

TESTS += tests/docs/test_backends_page.sh tests/docs/test_compile_commands.sh tests/docs/test_entries_wait.sh \
	tests/docs/test_pinned.sh tests/docs/test_readme.sh \
	tests/docs/test_results.sh tests/docs/test_components.sh tests/docs/test_routes.sh
dist_check_SCRIPTS += tests/docs/test_backends_page.sh tests/docs/test_compile_commands.sh tests/docs/test_entries_wait.sh \
	tests/docs/test_pinned.sh tests/docs/test_readme.sh \
	tests/docs/test_results.sh tests/docs/test_components.sh tests/docs/test_routes.sh
EXTRA_DIST += tests/docs/routes.py

.PHONY: backends-page
