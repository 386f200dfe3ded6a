/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program resnet: trains ResNet-20 on small color images and reports which backend ran
 * what. */
#include "resnet.h"

int main(int argc, char **argv)
{
    return example_main(&resnet, argc, argv);
}
