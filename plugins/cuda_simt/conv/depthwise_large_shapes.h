/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the shapes of blocks for which kernels with large filters are compiled. Macros, so that
 * both the kernels and the choice can be instantiated from them. */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_LARGE_SHAPES_H
#define CUDA_SIMT_CONV_DEPTHWISE_LARGE_SHAPES_H

#include "depthwise_large.h"

/* fprop, and dgrad with a stride of 1. Registers hold a filter, RING rows of sums and a row of x:
 * 142 with two channels of 5 x 5 taps, 111 with one channel of 7 x 7. Those of one warp are for
 * problems that would leave multiprocessors without a block. */
#define LARGE_FPROP_5(OF)                                                                          \
    OF<large_shape<5, 1, 2, 2, 2, 7, 7, 128, 3>>, OF<large_shape<5, 1, 2, 1, 1, 7, 7, 64, 6>>,     \
        OF<large_shape<5, 1, 2, 2, 2, 6, 6, 128, 3>>, OF<large_shape<5, 1, 1, 1, 1, 7, 4, 32, 20>>
#define LARGE_FPROP_7(OF)                                                                          \
    OF<large_shape<7, 1, 1, 2, 2, 7, 7, 128, 4>>, OF<large_shape<7, 1, 1, 1, 1, 7, 7, 128, 4>>,    \
        OF<large_shape<7, 1, 2, 2, 2, 7, 7, 64, 4>>, OF<large_shape<7, 1, 1, 1, 1, 7, 4, 32, 16>>
#define LARGE_FPROP_5_STRIDE2(OF)                                                                  \
    OF<large_shape<5, 2, 1, 1, 1, 7, 7, 64, 6>>, OF<large_shape<5, 2, 1, 1, 1, 7, 4, 32, 12>>
#define LARGE_FPROP_7_STRIDE2(OF) OF<large_shape<7, 2, 1, 1, 1, 7, 7, 32, 9>>

/* wgrad: registers hold sums of all taps, RING rows of dy and a row of x. Shared memory holds x and
 * dy, which limits the blocks with a stride of 2. */
#define LARGE_WGRAD_5(OF)                                                                          \
    OF<large_shape<5, 1, 2, 2, 2, 7, 7, 64, 6>>, OF<large_shape<5, 1, 2, 1, 1, 7, 7, 64, 5>>,      \
        OF<large_shape<5, 1, 2, 2, 2, 6, 6, 64, 6>>, OF<large_shape<5, 1, 1, 1, 1, 7, 4, 32, 20>>
#define LARGE_WGRAD_7(OF)                                                                          \
    OF<large_shape<7, 1, 1, 2, 2, 7, 7, 128, 4>>, OF<large_shape<7, 1, 1, 1, 1, 7, 7, 96, 5>>,     \
        OF<large_shape<7, 1, 1, 1, 1, 7, 4, 32, 16>>
#define LARGE_WGRAD_5_STRIDE2(OF)                                                                  \
    OF<large_shape<5, 2, 1, 1, 1, 7, 7, 64, 5>>, OF<large_shape<5, 2, 1, 1, 1, 7, 4, 32, 12>>
#define LARGE_WGRAD_7_STRIDE2(OF) OF<large_shape<7, 2, 1, 1, 1, 7, 7, 32, 8>>

/* dgrad with a stride of 2: a unit has WIDE x HIGH pairs of dx in both dims, so it uses as many
 * elements of dy and (TAPS - 1) / 2 more. */
#define LARGE_DGRAD_5_STRIDE2(OF)                                                                  \
    OF<large_shape<5, 2, 2, 1, 1, 7, 7, 128, 3>>, OF<large_shape<5, 2, 1, 1, 1, 7, 2, 32, 20>>
#define LARGE_DGRAD_7_STRIDE2(OF)                                                                  \
    OF<large_shape<7, 2, 2, 1, 1, 4, 7, 64, 4>>, OF<large_shape<7, 2, 1, 1, 1, 7, 2, 32, 16>>

#endif
