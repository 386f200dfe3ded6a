# SPDX-License-Identifier: Apache-2.0
# The results of measurements, with their commands. tests/docs/test_results.sh checks that each table is cited.

EXTRA_DIST += bench/results/README.md \
	bench/results/h200_batch_invariant.csv \
	bench/results/h200_caffe_tests.csv \
	bench/results/h200_depthwise_large.csv \
	bench/results/h200_four_backends.csv \
	bench/results/h200_layers_f16.csv \
	bench/results/h200_layers_f16_nhwc.csv \
	bench/results/h200_layers_f32.csv \
	bench/results/h200_layers_f32_nhwc.csv \
	bench/results/h200_norm_kinds.csv \
	bench/results/h200_products.csv \
	bench/results/h200_pytorch_half.csv \
	bench/results/h200_pytorch_models_fourth.csv \
	bench/results/h200_pytorch_models_third.csv \
	bench/results/h200_pytorch_two_gpus_buckets.csv \
	bench/results/h200_pytorch_two_gpus_live.csv \
	bench/results/h200_pytorch_two_gpus_resident.csv \
	bench/results/h200_resnet50_f32_nchw.csv \
	bench/results/h200_resnet50_f32_nhwc.csv \
	bench/results/h200_shadow_resnet50.csv \
	bench/results/h200_tensorcore_bf16.csv \
	bench/results/h200_tensorcore_deepbench.csv \
	bench/results/h200_tensorcore_f16.csv \
	bench/results/h200_tensorcore_f16_b64.csv \
	bench/results/h200_tensorcore_groups.csv \
	bench/results/h200_tensorcore_split.csv \
	bench/results/h200_tensorcore_tf32.csv \
	bench/results/h200_tensorcore_tf32_nchw.csv \
	bench/results/onednn_own_steps.csv \
	bench/results/plot.awk \
	bench/results/trials.md
