/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the second symbol of a changed entry's first form: the plain old name and foo_v<f>. */
#ifndef ADN_ABI_ALIAS_H
#define ADN_ABI_ALIAS_H

/* Follows the definition of `entry` in the same file. */
#define ADN_FIRST_FORM(suffixed, entry)                                                            \
    extern __typeof__(entry) suffixed __attribute__((alias(#entry), visibility("default")))

#endif
