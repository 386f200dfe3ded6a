# SPDX-License-Identifier: Apache-2.0

dist_doc_DATA += \
	docs/backend-authors.md \
	docs/using.md
