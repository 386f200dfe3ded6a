# SPDX-License-Identifier: Apache-2.0
# Compiles .cu files to libtool objects. Modules with .cu files link $(CUDA_LIBS) and are listed
# inside `if HAVE_CUDA`.

SUFFIXES += .cu .lo
EXTRA_DIST += plugins/make/nvcc-libtool.sh plugins/make/spills

AM_V_NVCC = $(am__v_NVCC_@AM_V@)
am__v_NVCC_ = $(am__v_NVCC_@AM_DEFAULT_V@)
am__v_NVCC_0 = @echo "  NVCC    " $@;
am__v_NVCC_1 =

# Objects that use features beyond compute capability 8.0 on 9.0 devices get a compiler pass for 9.0.
CUDA_PASS_90 =
# Objects written only for 9.0 devices are compiled only for 9.0a, if 9.0 is among the built targets.
CUDA_PASS_90A =
comma = ,
AM_GENCODE_90 = $(subst compute_80$(comma)code=sm_90,compute_90$(comma)code=sm_90,$(CUDA_GENCODE))
AM_GENCODE_90A = $(if $(findstring code=sm_90,$(CUDA_GENCODE)),-gencode arch=compute_90a$(comma)code=sm_90a,$(CUDA_GENCODE))
AM_GENCODE = $(if $(filter $(CUDA_PASS_90A),$@),$(AM_GENCODE_90A),$(if \
	$(filter $(CUDA_PASS_90),$@),$(AM_GENCODE_90),$(CUDA_GENCODE)))
# --Ofast-compile serializes warpgroup products, which fails the build, so these objects omit it.
AM_NVCCFLAGS = $(if $(filter $(CUDA_PASS_90A),$@),$(filter-out --Ofast-compile=%,$(NVCCFLAGS)),$(NVCCFLAGS))

.cu.lo:
	$(AM_V_NVCC)$(MKDIR_P) $(@D) && \
	$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(SHELL) $(top_srcdir)/plugins/make/nvcc-libtool.sh \
	    $(NVCC) $(PLUGIN_CPPFLAGS) $(AM_GENCODE) -std=c++17 -fvisibility=hidden $(CUDA_HARDEN) $(AM_NVCCFLAGS) \
	    -MMD -MP -MF $(@:.lo=.cu.d) -MT $@ -c -o $@ $<

-include $(wildcard plugins/*/*.cu.d plugins/*/*/*.cu.d)
