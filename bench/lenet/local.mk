# SPDX-License-Identifier: Apache-2.0
# LeNet beside PyTorch; nothing of it is built or tested.

EXTRA_DIST += bench/lenet/beside_torch.sh bench/lenet/torch_lenet.py
