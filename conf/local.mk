# SPDX-License-Identifier: Apache-2.0
# Settings as shipped, and what pkg-config tells programs and backends.

dist_anydnnconf_DATA = conf/anydnn.conf
EXTRA_DIST += conf/anydnn.pc.in
