# SPDX-License-Identifier: Apache-2.0
# The comparison of LeNet with PyTorch. Nothing here is built or tested.

EXTRA_DIST += bench/lenet/beside_torch.sh bench/lenet/torch_lenet.py
