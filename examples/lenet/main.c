/* SPDX-License-Identifier: Apache-2.0 */
/* The program lenet. */
#include "lenet.h"

int main(int argc, char **argv)
{
    return example_main(&lenet, argc, argv);
}
