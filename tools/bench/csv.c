/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one line for each layer and pair, for spreadsheets and awk. Columns that may contain
 * commas come last. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/csv.h"
#include "tools/files.h"

/* Prints a number, or nothing if it was not measured. */
static void print_number(FILE *file, double value)
{
    if (value > 0)
        fprintf(file, ",%.6g", value);
    else
        fputc(',', file);
}

static void print_row(FILE *file, const struct bench *bench, const struct layer *layer, int pair)
{
    const struct row *row = &layer->row[pair];

    tool_csv_text(file, bench->suite.name);
    fputc(',', file);
    tool_csv_text(file, layer->item->layer);
    fprintf(file, ",%d,%s,%s,%s,%s,%s,%d,%d", layer->item->times, layer->operation,
            bench->pair[pair].backend, bench->pair[pair].math, bench->pair[pair].device,
            row->declined == NULL ? "ran" : (row->failed ? "failed" : "declined"), layer->counted,
            layer->sets);
    fprintf(file, ",%.15g,%.15g", layer->traffic.flops, layer->traffic.bytes);
    print_number(file, row->median);
    print_number(file, row->least);
    fprintf(file, ",%.4f,%d,%d", row->spread, row->rounds, row->calls);
    print_number(file, row->tflops);
    print_number(file, row->gbps);
    print_number(file, row->roofline);
    print_number(file, row->ratio);
    fprintf(file, ",%zu,%lld,%s,", row->workspace, row->engine,
            row->algorithm != NULL ? row->algorithm : "");
    tool_csv_quoted(file, row->declined != NULL ? row->declined
                          : row->chosen != NULL ? row->chosen
                                                : "");
    fputc(',', file);
    tool_csv_quoted(file, layer->item->problem);
    fputc('\n', file);
}

int bench_write_csv(const struct bench *bench)
{
    const char *path = bench->options.csv;
    char why[TOOL_WHY_MAX];
    FILE *file = tool_open_write(path, "w", why);

    if (file == NULL)
        return tool_fail(bench->tool, TOOL_FAILED, "--csv=%s: %s", path, why);
    fprintf(file, "suite,layer,times,operation,backend,math,device,outcome,counted,sets,flops,"
                  "bytes,time_us,min_us,spread,rounds,calls,tflops,gbps,roofline,ratio,workspace,"
                  "engine,algorithm,reason,problem\n");
    for (int i = 0; i < bench->suite.count; i++)
        for (int p = 0; p < bench->pairs; p++)
            print_row(file, bench, &bench->layer[i], p);
    if (ferror(file) || fclose(file) != 0)
        return tool_fail(bench->tool, TOOL_FAILED, "--csv=%s: cannot be written: %s", path,
                         strerror(errno));
    return TOOL_FINE;
}
