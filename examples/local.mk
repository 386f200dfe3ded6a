# SPDX-License-Identifier: Apache-2.0
# Builds programs that use only the public header, and the tools' pages for their reports.

# Their sources are installed as documentation, in the same folders.
examplesdir = $(docdir)
nobase_dist_examples_DATA = $(small_examples) $(filter examples/%,$(examples_layers_liblayers_la_SOURCES)) \
	$(examples_lenet_lenet_SOURCES) $(examples_resnet_resnet_SOURCES)

# Small programs, one for each group of readers. The test compiles relu.c, whose header is that of cuDNN 7.
small_examples = \
	examples/cudnn7/cpu/cuda_runtime.h \
	examples/cudnn7/relu.c \
	examples/hello/hello.c \
	examples/python/arrays.py \
	examples/routes/routes.c \
	examples/shadow/shadow.c \
	examples/torch/modes.py
noinst_PROGRAMS += examples/hello/hello examples/routes/routes examples/shadow/shadow
examples_hello_hello_LDADD = libanydnn.la
examples_hello_hello_SOURCES = examples/hello/hello.c
examples_routes_routes_LDADD = libanydnn.la
examples_routes_routes_SOURCES = examples/routes/routes.c
examples_shadow_shadow_LDADD = libanydnn.la
examples_shadow_shadow_SOURCES = examples/shadow/shadow.c

# Layers, trainings and comparisons of trainings, which both networks and the tests use.
noinst_LTLIBRARIES += examples/layers/liblayers.la
examples_layers_liblayers_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
examples_layers_liblayers_la_SOURCES = \
	examples/layers/call.c \
	examples/layers/call.h \
	examples/layers/chart.c \
	examples/layers/complain.c \
	examples/layers/complain.h \
	examples/layers/convolution.c \
	examples/layers/dataset.c \
	examples/layers/dataset.h \
	examples/layers/distance.c \
	examples/layers/dropout.c \
	examples/layers/element.c \
	examples/layers/element.h \
	examples/layers/example.c \
	examples/layers/example.h \
	examples/layers/experiment.c \
	examples/layers/experiment.h \
	examples/layers/net.c \
	examples/layers/net.h \
	examples/layers/normalization.c \
	examples/layers/options.c \
	examples/layers/options.h \
	examples/layers/options_value.c \
	examples/layers/options_value.h \
	examples/layers/parameters.c \
	examples/layers/parameters.h \
	examples/layers/pass.c \
	examples/layers/pass.h \
	examples/layers/pooling.c \
	examples/layers/progress.c \
	examples/layers/progress.h \
	examples/layers/random.c \
	examples/layers/random.h \
	examples/layers/report.c \
	examples/layers/report.h \
	examples/layers/statistics.c \
	examples/layers/statistics.h \
	examples/layers/table.c \
	examples/layers/table_read.c \
	examples/layers/train.c \
	examples/layers/train.h \
	examples/layers/verdict.c \
	examples/layers/verdict.h \
	tools/alloc.c \
	tools/common.c \
	tools/files.c \
	tools/terminal.c \
	tools/report/figure.c \
	tools/report/page.c
LAYERS_LIBS = examples/layers/liblayers.la libanydnn.la $(JANSSON_LIBS) -lm

noinst_PROGRAMS += examples/lenet/lenet
examples_lenet_lenet_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
examples_lenet_lenet_LDADD = $(LAYERS_LIBS) $(ZLIB_LIBS)
examples_lenet_lenet_SOURCES = \
	examples/lenet/digits.c \
	examples/lenet/digits.h \
	examples/lenet/idx.c \
	examples/lenet/idx.h \
	examples/lenet/lenet.c \
	examples/lenet/lenet.h \
	examples/lenet/main.c

noinst_PROGRAMS += examples/resnet/resnet
examples_resnet_resnet_LDADD = $(LAYERS_LIBS)
examples_resnet_resnet_SOURCES = \
	examples/resnet/cifar.c \
	examples/resnet/cifar.h \
	examples/resnet/main.c \
	examples/resnet/resnet.c \
	examples/resnet/resnet.h \
	examples/resnet/scenes.c \
	examples/resnet/scenes.h

TESTS += tests/examples/test_lenet.sh tests/examples/test_small.sh
dist_check_SCRIPTS += tests/examples/test_lenet.sh tests/examples/test_small.sh
