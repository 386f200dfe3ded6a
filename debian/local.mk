# SPDX-License-Identifier: Apache-2.0
# Debian's packaging travels in the tarball: it is built from there.

EXTRA_DIST += \
	debian/anydnn-backend-cpu-ref.install \
	debian/anydnn-backend-onednn.install \
	debian/anydnn-backend-clblast.install \
	debian/anydnn-backend-opencl.install \
	debian/anydnn-cudnn7.install \
	debian/anydnn-cudnn9.install \
	debian/anydnn-tools.install \
	debian/changelog \
	debian/control \
	debian/copyright \
	debian/libanydnn-dev.install \
	debian/libanydnn0.install \
	debian/rules \
	debian/source/format
