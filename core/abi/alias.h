/* SPDX-License-Identifier: Apache-2.0 */
/* An entry that a later level changed: its first form has two symbols, the old one and foo_v<f>. */
#ifndef ADN_ABI_ALIAS_H
#define ADN_ABI_ALIAS_H

/* To stand behind the definition of `entry`, in the same file. */
#define ADN_FIRST_FORM(suffixed, entry)                                                            \
    extern __typeof__(entry) suffixed __attribute__((alias(#entry), visibility("default")))

#endif
