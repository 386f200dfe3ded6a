/* SPDX-License-Identifier: Apache-2.0 */
/* Between the fixture's two files. */
#ifndef TESTS_DISPATCH_FIXTURE_PRIVATE_H
#define TESTS_DISPATCH_FIXTURE_PRIVATE_H

/* Destroys every handle and descriptor that the fixture made. */
void fixture_free_all(void);

#endif
