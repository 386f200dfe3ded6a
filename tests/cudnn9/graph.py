# SPDX-License-Identifier: Apache-2.0
"""Asks cuDNN 9 for plans of a convolution without a GPU, and prints its answers.

The argument is the library. A descriptor of device properties stands for an H200, so that heuristics, plans and their JSON
need no device. The names of the numbers are those of cuDNN's attributes and types.
"""
import ctypes
import json
import sys

DEVICE = {
    "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536,
    "multiProcessorCount": 132, "warpSize": 32, "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
    "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024,
    "maxThreadsPerSM": 2048, "pciDeviceId": 6, "isTccDriver": 0, "supportCoopLaunch": 1, "totalGlobalMem": 150109880320,
    "smClockRateKHz": 1980000, "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "cudaDeviceId": 0, "deviceVer": 900,
    "driverVer": 13000, "deviceName": "NVIDIA H200",
}
HANDLES, INT64, FLOAT, CHAR, DATA_TYPE, CONV_MODE, HEUR_MODE = 15, 3, 4, 24, 1, 7, 8
TYPES = {HANDLES: ctypes.c_void_p, INT64: ctypes.c_int64, FLOAT: ctypes.c_float, CHAR: ctypes.c_char}

library = ctypes.CDLL(sys.argv[1])


def descriptor(kind):
    made = ctypes.c_void_p()
    print("create", kind, library.cudnnBackendCreateDescriptor(kind, ctypes.byref(made)))
    return made


def put(target, name, kind, *values):
    array = (TYPES.get(kind, ctypes.c_int) * len(values))(*[getattr(value, "value", value) for value in values])
    status = library.cudnnBackendSetAttribute(target, name, kind, ctypes.c_int64(len(values)), array)
    print("set", name, status)


def finalize(target):
    status = library.cudnnBackendFinalize(target)
    message = ctypes.create_string_buffer(2000)
    library.cudnnGetLastErrorString(message, 2000)
    print("finalize", status, message.value.decode())


def get(source, name, kind, room):
    array = (TYPES.get(kind, ctypes.c_int) * room)()
    count = ctypes.c_int64()
    status = library.cudnnBackendGetAttribute(source, name, kind, ctypes.c_int64(room), ctypes.byref(count), array)
    return status, count.value, list(array)[:max(count.value, 0)]


def tensor(number, dims):
    it = descriptor(17)
    n, c, h, w = dims
    put(it, 901, DATA_TYPE, 9)
    put(it, 902, INT64, *dims)
    put(it, 903, INT64, c * h * w, 1, w * c, c)
    put(it, 906, INT64, number)
    put(it, 900, INT64, 16)
    finalize(it)
    return it


def main():
    device = descriptor(38)
    text = json.dumps(DEVICE, separators=(",", ":")).encode()
    print(library.cudnnBackendSetAttribute(device, 2702, CHAR, ctypes.c_int64(len(text)), ctypes.create_string_buffer(text)))
    finalize(device)
    convolution = descriptor(1)
    put(convolution, 100, DATA_TYPE, 0)
    put(convolution, 101, CONV_MODE, 1)
    for name in (102, 103, 104, 105):
        put(convolution, name, INT64, 1, 1)
    put(convolution, 106, INT64, 2)
    finalize(convolution)
    operation = descriptor(10)
    put(operation, 700, FLOAT, 1.0)
    put(operation, 701, FLOAT, 0.0)
    put(operation, 702, HANDLES, convolution)
    for name, it in ((703, tensor(2, (64, 64, 3, 3))), (704, tensor(1, (32, 64, 56, 56))), (705, tensor(3, (32, 64, 56, 56)))):
        put(operation, name, HANDLES, it)
    finalize(operation)
    graph = descriptor(15)
    put(graph, 801, HANDLES, operation)
    put(graph, 9999, HANDLES, operation)  # unknown
    finalize(graph)
    print("engines", get(graph, 802, INT64, 1))
    heuristics = descriptor(4)
    put(heuristics, 201, HANDLES, graph)
    put(heuristics, 200, HEUR_MODE, 3)
    put(heuristics, 204, HANDLES, device)
    finalize(heuristics)
    configs = [descriptor(3) for _ in range(40)]
    array = (ctypes.c_void_p * 40)(*[config.value for config in configs])
    count = ctypes.c_int64()
    print(library.cudnnBackendGetAttribute(heuristics, 202, HANDLES, ctypes.c_int64(40), ctypes.byref(count), array), count.value)
    for config in configs[:count.value]:
        print("workspace", get(config, 303, INT64, 1))
    plan = descriptor(5)
    put(plan, 401, HANDLES, configs[0])
    put(plan, 407, HANDLES, device)
    finalize(plan)
    print("plan", get(plan, 402, INT64, 1), b"".join(get(plan, 405, CHAR, 300000)[2]))
    print("execute", library.cudnnBackendExecute(None, plan, plan))
    for it in (plan, graph, operation):
        print("destroy", library.cudnnBackendDestroyDescriptor(it))


main()
