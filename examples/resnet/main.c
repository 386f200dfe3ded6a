/* SPDX-License-Identifier: Apache-2.0 */
/* The program resnet: trains ResNet-20 on small colour images and tells who ran what. */
#include "resnet.h"

int main(int argc, char **argv)
{
    return example_main(&resnet, argc, argv);
}
