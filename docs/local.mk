# SPDX-License-Identifier: Apache-2.0

# Pages keep their folders, since they link to each other.
docpagesdir = $(docdir)
nobase_dist_docpages_DATA = \
	docs/README.md \
	docs/architecture.md \
	docs/architecture.svg \
	docs/backend-authors.md \
	docs/backends.md \
	docs/call.svg \
	docs/comparing.md \
	docs/cudnn7.md \
	docs/cudnn9.md \
	docs/developing.md \
	docs/errata.md \
	docs/faq.md \
	docs/formats.md \
	docs/formulas.md \
	docs/glossary.md \
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
	docs/support.md \
	docs/traces.md \
	docs/tutorials/README.md \
	docs/tutorials/backend.md \
	docs/tutorials/cudnn7-program.md \
	docs/tutorials/first-program.md \
	docs/tutorials/first-wrong-call.md \
	docs/tutorials/math-modes.md \
	docs/tutorials/pytorch.md \
	docs/using.md

# Writes what the backends of this tree publish into the page. make check fails if the page is out of date.
backends-page: tools/anydnn plugins-dir
	$(top_srcdir)/scripts/backends-table tools/anydnn $(top_srcdir)/docs/backends.md

TESTS += tests/docs/test_backends_page.sh tests/docs/test_compile_commands.sh tests/docs/test_entries_wait.sh \
	tests/docs/test_pinned.sh tests/docs/test_readme.sh \
	tests/docs/test_results.sh tests/docs/test_components.sh tests/docs/test_routes.sh \
	tests/docs/test_formulas.sh tests/docs/test_tutorials.sh
dist_check_SCRIPTS += tests/docs/test_backends_page.sh tests/docs/test_compile_commands.sh tests/docs/test_entries_wait.sh \
	tests/docs/test_pinned.sh tests/docs/test_readme.sh \
	tests/docs/test_results.sh tests/docs/test_components.sh tests/docs/test_routes.sh \
	tests/docs/test_formulas.sh tests/docs/test_tutorials.sh
EXTRA_DIST += docs/site/comments.py docs/site/conf.py docs/site/doxygen.conf docs/site/links.py docs/site/stage.py \
	docs/site/static/site.css docs/site/static/site.js tests/docs/formulas.py tests/docs/overlay.sh tests/docs/routes.py tests/docs/tutorials.py

# The site takes minutes, so its test is one of long_tests (tests/local.mk).
dist_check_SCRIPTS += tests/docs/test_site.sh

.PHONY: backends-page
