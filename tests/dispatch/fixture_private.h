/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the fixture's two files share. */
#ifndef TESTS_DISPATCH_FIXTURE_PRIVATE_H
#define TESTS_DISPATCH_FIXTURE_PRIVATE_H

/* Destroys every handle and descriptor that the fixture made. */
void fixture_free_all(void);

#endif
