# SPDX-License-Identifier: Apache-2.0
# The Python package. It is no part of `make install`: pip installs it from this folder.

TESTS += python/tests/test_python.sh
dist_check_SCRIPTS += python/tests/test_python.sh
EXTRA_DIST += \
	python/anydnn/__init__.py \
	python/anydnn/_abi.py \
	python/anydnn/_find.py \
	python/anydnn/_library.py \
	python/anydnn/_program.py \
	python/anydnn/arrays.py \
	python/anydnn/errors.py \
	python/anydnn/handle.py \
	python/anydnn/operations.py \
	python/anydnn/problem.py \
	python/anydnn/py.typed \
	python/anydnn/torch/__init__.py \
	python/anydnn/torch/_activations.py \
	python/anydnn/torch/_batch_norm.py \
	python/anydnn/torch/_blocks.py \
	python/anydnn/torch/_build.py \
	python/anydnn/torch/_compound.py \
	python/anydnn/torch/_convolution.py \
	python/anydnn/torch/_eager.py \
	python/anydnn/torch/_epilogue.py \
	python/anydnn/torch/_fast.cpp \
	python/anydnn/torch/_fast.py \
	python/anydnn/torch/_folding.py \
	python/anydnn/torch/_fuse.py \
	python/anydnn/torch/_fused.py \
	python/anydnn/torch/_layer_blocks.py \
	python/anydnn/torch/_linear.py \
	python/anydnn/torch/_node.cpp \
	python/anydnn/torch/_node.py \
	python/anydnn/torch/_norms.py \
	python/anydnn/torch/_norms_fused.py \
	python/anydnn/torch/_onto.py \
	python/anydnn/torch/_patterns.py \
	python/anydnn/torch/_pooling.py \
	python/anydnn/torch/_products.py \
	python/anydnn/torch/_reading.py \
	python/anydnn/torch/_shortcut.py \
	python/anydnn/torch/_softmax.py \
	python/anydnn/torch/_state.py \
	python/anydnn/torch/_summary.py \
	python/anydnn/torch/_trace.py \
	python/examples/lenet.py \
	python/examples/models.py \
	python/examples/train_resnet.py \
	python/generate.py \
	python/pyproject.toml \
	python/setup.py \
	python/tests/many_models.py \
	python/tests/test_anydnn.py \
	python/tests/test_fuse.py \
	python/tests/test_fuse_layers.py \
	python/tests/test_half.py \
	python/tests/test_invariance.py \
	python/tests/test_losses.py \
	python/tests/test_matmul.py \
	python/tests/test_node.py \
	python/tests/test_norms.py \
	python/tests/test_opinfo.py \
	python/tests/test_shortcut.py \
	python/tests/test_torch.py \
	python/tests/test_train.py \
	python/tests/requirements.in \
	python/tests/requirements.txt \
	python/tests/torch.sh \
	python/tests/torchs_tests.py
