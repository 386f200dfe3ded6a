# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += scripts/setup scripts/demo scripts/test scripts/lint scripts/lib.sh scripts/abi-baseline \
	scripts/backends-table scripts/bundle scripts/packages .ci/run

# make bundle PLUGINS='cpu_ref ...' ARCH=90: the folder `bundle` here, made from a build of its own,
# since that is for few GPU generations and few backends.
bundle:
	PLUGINS='$(PLUGINS)' ARCH='$(ARCH)' LIMIT='$(LIMIT)' \
	    $(SHELL) '$(abs_top_srcdir)/scripts/bundle' '$(abs_builddir)/bundle'

# What scripts/bundle makes its folder of: an installation, and tests that need no build folder.
bundle_programs = examples/lenet/lenet
if HAVE_CMOCKA
bundle_programs += tests/conformance/test_vectors
endif

bundle-stage: $(bundle_programs)
	$(MAKE) $(AM_MAKEFLAGS) install
	$(MKDIR_P) '$(DESTDIR)$(prefix)/tests/gpu'
	for program in $(bundle_programs); do \
	    $(LIBTOOL) --mode=install $(INSTALL_PROGRAM) $$program '$(DESTDIR)$(prefix)/tests' || exit 1; \
	done
	$(INSTALL_SCRIPT) '$(srcdir)/tests/gpu/run' '$(DESTDIR)$(prefix)/tests/gpu/run'
	$(INSTALL_DATA) '$(srcdir)/tests/gpu/smallest.txt' '$(DESTDIR)$(prefix)/tests/gpu/smallest.txt'

.PHONY: bundle bundle-stage
