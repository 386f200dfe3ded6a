# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += scripts/cases scripts/check scripts/compile-commands scripts/setup scripts/demo scripts/test scripts/lint scripts/style scripts/lib.sh scripts/abi-baseline \
	scripts/backends-table scripts/bundle scripts/docs scripts/release scripts/wheel scripts/wheel.in scripts/wheel.txt scripts/packages .ci/run

# make bundle PLUGINS='cpu_ref ...' ARCH=90: makes the folder `bundle` here from a separate build, which is for few
# GPU generations and few backends.
bundle:
	PLUGINS='$(PLUGINS)' ARCH='$(ARCH)' LIMIT='$(LIMIT)' \
	    $(SHELL) '$(abs_top_srcdir)/scripts/bundle' '$(abs_builddir)/bundle'

# The parts of scripts/bundle's folder: an installation, and tests that need no build folder.
bundle_programs = examples/lenet/lenet examples/resnet/resnet tests/gpu/chain tests/gpu/exact
if HAVE_CMOCKA
bundle_programs += tests/conformance/test_vectors
endif
if HAVE_CUDNN
bundle_programs += $(porting_programs) $(cudnn7_programs) bench/cudnn_direct/cudnn_direct tests/gpu/engines
endif
if HAVE_CUDA
bundle_programs += $(gpu_programs) bench/host_cost/host_cost
endif

bundle-stage: $(bundle_programs)
	$(MAKE) $(AM_MAKEFLAGS) install
	$(MKDIR_P) '$(DESTDIR)$(prefix)/tests/gpu'
	for program in $(bundle_programs); do \
	    $(LIBTOOL) --mode=install $(INSTALL_PROGRAM) $$program '$(DESTDIR)$(prefix)/tests' || exit 1; \
	done
	for script in run bench modes every_kernel in_double small_shapes cudnn9_front.sh cudnn9_front.py; do \
	    $(INSTALL_SCRIPT) "$(srcdir)/tests/gpu/$$script" '$(DESTDIR)$(prefix)/tests/gpu' || exit 1; \
	done
	$(MKDIR_P) '$(DESTDIR)$(prefix)/tests/bench'
	for script in cudnn_direct/autotuner.py lenet/beside_torch.sh lenet/torch_lenet.py; do \
	    $(INSTALL_SCRIPT) "$(srcdir)/bench/$$script" '$(DESTDIR)$(prefix)/tests/bench' || exit 1; \
	done
	for list in chain.txt smallest.txt smallest_naive.txt smallest_tensorcore.txt; do \
	    $(INSTALL_DATA) "$(srcdir)/tests/gpu/$$list" '$(DESTDIR)$(prefix)/tests/gpu' || exit 1; \
	done
	$(MKDIR_P) '$(DESTDIR)$(prefix)/tests/porting'
	$(INSTALL_DATA) '$(srcdir)/tests/porting/same.awk' '$(DESTDIR)$(prefix)/tests/porting/same.awk'

.PHONY: bundle bundle-stage
