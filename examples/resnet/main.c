/* SPDX-License-Identifier: Apache-2.0 */
/* The program resnet. */
#include "resnet.h"

int main(int argc, char **argv)
{
    return example_main(&resnet, argc, argv);
}
