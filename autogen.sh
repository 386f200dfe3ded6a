#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes configure from configure.ac, in a clone; a release tarball brings it along.
set -eu
cd "$(dirname "$0")"
exec autoreconf --force --install "$@"
