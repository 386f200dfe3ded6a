# SPDX-License-Identifier: Apache-2.0
# Programs that use the public header alone.

noinst_PROGRAMS += examples/hello/hello
examples_hello_hello_LDADD = libanydnn.la
examples_hello_hello_SOURCES = examples/hello/hello.c

noinst_PROGRAMS += examples/lenet/lenet
examples_lenet_lenet_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
examples_lenet_lenet_LDADD = libanydnn.la $(ZLIB_LIBS) -lm
examples_lenet_lenet_SOURCES = \
	examples/lenet/complain.c \
	examples/lenet/complain.h \
	examples/lenet/dataset.c \
	examples/lenet/dataset.h \
	examples/lenet/digits.c \
	examples/lenet/digits.h \
	examples/lenet/dropout.c \
	examples/lenet/dropout.h \
	examples/lenet/element.c \
	examples/lenet/element.h \
	examples/lenet/idx.c \
	examples/lenet/idx.h \
	examples/lenet/lenet.c \
	examples/lenet/network.c \
	examples/lenet/network.h \
	examples/lenet/options.c \
	examples/lenet/options.h \
	examples/lenet/pass.c \
	examples/lenet/pass.h \
	examples/lenet/progress.c \
	examples/lenet/progress.h \
	examples/lenet/random.c \
	examples/lenet/random.h \
	examples/lenet/report.c \
	examples/lenet/report.h \
	examples/lenet/train.c \
	examples/lenet/train.h

TESTS += tests/examples/test_lenet.sh
dist_check_SCRIPTS += tests/examples/test_lenet.sh
