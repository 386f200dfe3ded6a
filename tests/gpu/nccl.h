/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the functions of NCCL that the tests call, so that its header is not needed. NCCL's
 * manual (API, version 2) declares them as
 *   ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devlist)
 *   ncclResult_t ncclCommDestroy(ncclComm_t comm)
 *   ncclResult_t ncclGroupStart(void)
 *   ncclResult_t ncclGroupEnd(void)
 *   ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
 *                              ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
 *                              cudaStream_t stream)
 *   const char *ncclGetErrorString(ncclResult_t result)
 * where ncclComm_t is a pointer and the other types are enumerations. ncclSuccess is 0.
 */
#ifndef TESTS_GPU_NCCL_H
#define TESTS_GPU_NCCL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

enum { NCCL_SUM = 0, NCCL_FLOAT32 = 7 };

struct nccl {
    int (*comm_init_all)(void **comms, int ndev, const int *devlist);
    int (*comm_destroy)(void *comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *sendbuff, void *recvbuff, size_t count, int datatype, int op,
                      void *comm, cudaStream_t stream);
    const char *(*error_string)(int result);
};

/* Opens NCCL. Skips the case if there is no libnccl.so.2. */
void nccl_open(struct nccl *nccl);

#endif
