/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program lenet: trains LeNet on digits and reports which backend ran what. */
#include "lenet.h"

int main(int argc, char **argv)
{
    return example_main(&lenet, argc, argv);
}
