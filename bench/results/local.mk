# SPDX-License-Identifier: Apache-2.0
# What was measured, beside the commands.

EXTRA_DIST += bench/results/README.md \
	bench/results/bench_onednn_resnet50_b4.csv \
	bench/results/compare_cpu_ref_onednn_resnet50.csv \
	bench/results/h200_autotuner.csv \
	bench/results/h200_compare_modes.csv \
	bench/results/h200_compare_suites.csv \
	bench/results/h200_cudnn_direct.csv \
	bench/results/h200_depthwise_f16.csv \
	bench/results/h200_depthwise_f16_ahead.csv \
	bench/results/h200_depthwise_f16_words.csv \
	bench/results/h200_depthwise_f32.csv \
	bench/results/h200_exact.csv \
	bench/results/h200_host_cost.csv \
	bench/results/h200_host_cost_cudnn.csv \
	bench/results/h200_layers_f16.csv \
	bench/results/h200_layers_f16_nhwc_second.csv \
	bench/results/h200_layers_f16_second.csv \
	bench/results/h200_layers_f32_nhwc_second.csv \
	bench/results/h200_layers_f32_second.csv \
	bench/results/h200_norms_f16_joined.csv \
	bench/results/h200_layers_f16_nhwc.csv \
	bench/results/h200_layers_f32.csv \
	bench/results/h200_layers_f32_nhwc.csv \
	bench/results/h200_lenet_modes.csv \
	bench/results/h200_norms_f16.csv \
	bench/results/h200_norms_f16_pytorch.txt \
	bench/results/h200_norms_f16_relu.csv \
	bench/results/h200_pytorch_resnet50.csv \
	bench/results/h200_resnet20_16000_modes.csv \
	bench/results/h200_resnet20_modes.csv \
	bench/results/h200_resnet50_f32_nchw.csv \
	bench/results/h200_resnet50_f32_nhwc.csv \
	bench/results/h200_shadow_resnet50.csv \
	bench/results/h200_tensorcore_bf16.csv \
	bench/results/h200_tensorcore_deepbench.csv \
	bench/results/h200_tensorcore_f16.csv \
	bench/results/h200_tensorcore_f16_b64.csv \
	bench/results/h200_tensorcore_f16_resnet18.csv \
	bench/results/h200_tensorcore_f16_data.csv \
	bench/results/h200_tensorcore_f16_words.csv \
	bench/results/h200_tensorcore_groups.csv \
	bench/results/h200_tensorcore_s8.csv \
	bench/results/h200_tensorcore_split.csv \
	bench/results/h200_tensorcore_tf32.csv \
	bench/results/h200_tensorcore_tf32_nchw.csv \
	bench/results/h200_verify.txt \
	bench/results/lenet_beside_pytorch_cpu.csv \
	bench/results/lenet_beside_pytorch_h200.csv \
	bench/results/onednn_direct_nchw.csv \
	bench/results/onednn_direct_nchw_3x.csv \
	bench/results/onednn_direct_nchw_filter.csv \
	bench/results/onednn_direct_nhwc.csv \
	bench/results/onednn_own_steps.csv \
	bench/results/plot.awk \
	bench/results/trials.md
