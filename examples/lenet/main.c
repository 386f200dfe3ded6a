/* SPDX-License-Identifier: Apache-2.0 */
/* The program lenet: trains LeNet on digits and tells who ran what. */
#include "lenet.h"

int main(int argc, char **argv)
{
    return example_main(&lenet, argc, argv);
}
