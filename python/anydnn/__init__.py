# SPDX-License-Identifier: Apache-2.0
"""Deep-learning primitives of libanydnn on arrays of any library."""
from ._abi import DataType, MathType, Status
from ._library import library
from .errors import (AllocFailed, BadParam, ConfigError, Error, ExecutionFailed, InternalError, LibraryNotFound,
                     NotInitialized, NotSupported, SpacePoisoned)
from .handle import Backend, Device, Dispatch, Handle, Setting, backends, default_handle, devices, settings
from .operations import (activation_forward, batch_normalization_inference, batch_normalization_training,
                         convolution_backward_data, convolution_backward_filter, convolution_forward, ctc_loss,
                         lrn_forward, matmul, normalization_backward, normalization_forward, normalization_training,
                         pooling_forward, softmax_forward, spatial_grid_forward, spatial_sampler_forward)
from .problem import Algorithm, Operand, Problem

__version__ = "0.9.0"

__all__ = [
    "Algorithm", "AllocFailed", "Backend", "BadParam", "ConfigError", "DataType", "Device", "Dispatch", "Error",
    "ExecutionFailed", "Handle", "InternalError", "LibraryNotFound", "MathType", "NotInitialized", "NotSupported",
    "Operand", "Problem", "Setting", "SpacePoisoned", "Status", "activation_forward", "backends",
    "batch_normalization_inference", "batch_normalization_training", "convolution_backward_data",
    "convolution_backward_filter", "convolution_forward", "ctc_loss", "default_handle", "devices", "library",
    "lrn_forward", "matmul", "normalization_backward", "normalization_forward", "normalization_training",
    "pooling_forward", "settings", "softmax_forward", "spatial_grid_forward", "spatial_sampler_forward",
]
