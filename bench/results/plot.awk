# SPDX-License-Identifier: Apache-2.0
# Draws bars from a CSV of `anydnn bench --csv`, as `bench --plot` does directly:
#     awk -f bench/results/plot.awk bench/results/h200_tensorcore_f16.csv | gnuplot >docs/resnet50.svg
BEGIN { FS = "," }
FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["outcome"] == "ran" {
    suite = $column["suite"]
    operation = $column["operation"]
    pair = $column["backend"] ":" $column["math"]
    layer = $column["layer"]
    if (!((operation, layer) in seen)) {
        seen[operation, layer] = 1
        layers[operation, ++count[operation]] = layer
    }
    if (count[operation] == 1 && !(operation in panel)) {
        panel[operation] = panels
        operations[panels++] = operation
    }
    if (!(pair in known)) {
        known[pair] = 1
        pairs[++paired] = pair
    }
    roofline[operation, layer, pair] = $column["roofline"]
}
END {
    for (p = 0; p < panels; p++) {
        operation = operations[p]
        printf "$data%d << END\n", p
        for (i = 1; i <= count[operation]; i++) {
            printf "\"%s\"", layers[operation, i]
            for (k = 1; k <= paired; k++) {
                reached = roofline[operation, layers[operation, i], pairs[k]]
                printf " %s", reached == "" ? "?" : reached
            }
            printf "\n"
        }
        print "END"
    }
    printf "set terminal svg size 1000,%d background 'white'\n", 420 * panels
    print "set datafile missing '?'\nset style data histogram\nset style histogram clustered gap 1"
    print "set style fill solid 0.8\nset yrange [0:*]\nset ylabel 'fraction of the roofline'"
    print "set grid ytics\nset key outside top right\nset xtics rotate by -60 noenhanced"
    printf "set multiplot layout %d,1 title '%s' noenhanced\n", panels, suite
    for (p = 0; p < panels; p++) {
        printf "set title '%s' noenhanced\nplot ", operations[p]
        for (k = 1; k <= paired; k++)
            printf("%s$data%d using %d%s title '%s' noenhanced", (k > 1 ? ", " : ""), p, k + 1,
                   (k == 1 ? ":xtic(1)" : ""), pairs[k])
        printf "\n"
    }
    print "unset multiplot"
}
