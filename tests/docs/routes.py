# SPDX-License-Identifier: Apache-2.0
"""Checks the built-in routes against the measured tables: routes.py ROUTES PAGE RESULTS

ROUTES has the output of `anydnn config`. PAGE has a table with the order of each route and the files in the folder
RESULTS that justify it. The exit status is 0 if each route of a GPU has a row with its order, and the files agree. If a
file has times of two neighbours in a route, the first must be faster in the geometric mean of an operation's lines.
"""

import collections
import csv
import fnmatch
import math
import os
import re
import sys

HOST = ("onednn", "cpu_ref")
# The names of directions in the page's rows.
DIRECTIONS = {"backward data": "convolution_backward_data", "backward filter": "convolution_backward_filter"}


def read_routes(path):
    """Returns the GPU's backends by math mode ("" for all modes) and pattern."""
    routes, mode = {}, None
    for line in open(path):
        section = re.match(r"\[route ?([a-z_]*)\]", line)
        if line.startswith("["):
            mode = section.group(1) if section else None
        elif mode is not None and "=" in line:
            pattern, backends = line.split(";")[0].split("=")
            named = [name.strip() for name in backends.split(",")]
            routes[mode, pattern.strip()] = [name for name in named if name not in HOST]
    return routes


def route_of(routes, operation, mode):
    """Returns the route of an operation by the rule of docs/using.md: the longest pattern wins, then the route of the
    mode."""
    fitting = [key for key in routes if key[0] in ("", mode) and fnmatch.fnmatchcase(operation, key[1])]
    return max(fitting, key=lambda key: (len(key[1].rstrip("*")), "*" not in key[1], key[0] != ""))


def read_rows(path):
    """Yields for each row the keys of its routes, their order, and its tables."""
    stem = ""
    for line in open(path):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 5 or ".csv" not in cells[4]:
            continue
        mode = "" if cells[1] == "any" else cells[1]
        keys = [(mode, DIRECTIONS[part]) for part in cells[0].split(", ") if part in DIRECTIONS]
        pattern = re.search(r"`(\S+)`", cells[0])
        if not keys:
            keys = [("" if mode == "default" and pattern else mode, pattern.group(1) if pattern else "*")]
        tables = []
        for table in re.findall(r"`(\S+\.csv)`", cells[4]):
            if table.startswith(".."):
                table = stem.rsplit("_", 1)[0] + table[2:]
            stem = table
            tables.append(table)
        yield keys, cells[2].split(", "), tables


def read_times(files):
    """Returns the time of each backend, by operation and mode, then by layer."""
    times = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in files:
        rows = [row for row in csv.DictReader(open(path)) if row.get("outcome") == "ran"]
        for row in rows:
            times[row["operation"], row["math"]][path, row["layer"]][row["backend"]] = float(row["time_us"])
    return times


def ratios(layers, order):
    """Yields for each two neighbours with times: both, the second's time divided by the first's, and the number of
    layers."""
    for first, second in zip(order, order[1:]):
        logs = [math.log(of[second] / of[first]) for of in layers.values() if first in of and second in of]
        if logs:
            yield first, second, math.exp(sum(logs) / len(logs)), len(logs)


def main(routes_path, page, results):
    routes, told, faults = read_routes(routes_path), set(), []
    for keys, order, patterns in read_rows(page):
        files = []
        for pattern in patterns:
            found = [name for name in sorted(os.listdir(results)) if fnmatch.fnmatchcase(name, pattern)]
            if not found:
                faults.append(f"{pattern}: no such table")
            files += [os.path.join(results, name) for name in found]
        told.update(keys)
        for key in keys:
            if routes.get(key) != order:
                faults.append(f"{key[1]} in [route {key[0]}]: the page says {order}, the route is {routes.get(key)}")
        for (operation, mode), layers in read_times(files).items():
            if route_of(routes, operation, mode) not in keys:
                continue
            for first, second, ratio, count in ratios(layers, order):
                print(f"# {operation} in {mode}: {first} before {second}: {ratio:.2f} of {count}")
                if ratio < 1:
                    faults.append(f"{operation} in {mode}: {first} is slower than {second}: {ratio:.3f} of {count} lines")
    faults += [f"{key[1]} in [route {key[0]}] has no row" for key in routes if key not in told]
    print("\n".join(faults))
    return 1 if faults or not told else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
