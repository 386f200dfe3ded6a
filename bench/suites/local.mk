# SPDX-License-Identifier: Apache-2.0
# The layer lists that `anydnn bench` and `anydnn compare` know by name.

suitesdir = $(pkgdatadir)/suites
dist_suites_DATA = \
	bench/suites/README.md \
	bench/suites/aliases \
	bench/suites/deepbench_infer_device.suite \
	bench/suites/deepbench_infer_server.suite \
	bench/suites/deepbench_train.suite \
	bench/suites/deeplab_resnet50_os8_dilated.suite \
	bench/suites/depthwise_large.suite \
	bench/suites/layers.suite \
	bench/suites/lenet.suite \
	bench/suites/mlperf_unet3d.suite \
	bench/suites/mobilenet_v1_dw.suite \
	bench/suites/mobilenet_v2.suite \
	bench/suites/mobilenet_v2_norms.suite \
	bench/suites/networks_rest.suite \
	bench/suites/norm_kinds.suite \
	bench/suites/products.suite \
	bench/suites/r3d_18.suite \
	bench/suites/resnet18.suite \
	bench/suites/resnet50_norms.suite \
	bench/suites/resnet50_v1.5.suite \
	bench/suites/resnet50_v1.suite \
	bench/suites/resnext101_32x8d.suite \
	bench/suites/resnext50_32x4d.suite \
	bench/suites/resnext50_norms.suite \
	bench/suites/rfcn_dilated.suite \
	bench/suites/segnet_7x7.suite \
	bench/suites/ssd_resnet34_train.suite \
	bench/suites/unet2d.suite \
	bench/suites/vgg16.suite
