# SPDX-License-Identifier: Apache-2.0
# Makes the header of a future plugin ABI from plugin.h: it sets the number, and with -v grown=1 adds a member at
# the end of every structure that may grow.
#   awk -v major=1 -v minor=1 -v grown=1 -f grow.awk plugin.h

$1 == "#define" && $2 == "ANYDNN_PLUGIN_ABI_MAJOR" { $0 = "#define ANYDNN_PLUGIN_ABI_MAJOR " major }
$1 == "#define" && $2 == "ANYDNN_PLUGIN_ABI_MINOR" { $0 = "#define ANYDNN_PLUGIN_ABI_MINOR " minor }
/^struct anydnn_plugin[a-z_]* \{$/ { inside = $2 }
/^};$/ && inside != "" {
    if (grown)
        print "    uint64_t later;"
    inside = ""
    structs++
}
{ print }
END {
    if (structs < 20) {
        print "grow.awk: only " structs " structures found in plugin.h" > "/dev/stderr"
        exit 1
    }
}
