# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page in a folder, in their order, and compares what they print with the page.

    tutorials.py PAGE FOLDER [FEATURE...]

A block ```sh is run by sh. Variables, exported or not, and the current folder stay for the next block. A comment before
a block says more:

    <!-- file: NAME -->     the block is the content of the file NAME
    <!-- output -->         the block is the output of the commands before it; `...` stands for anything
    <!-- fails -->          the commands must fail
    <!-- needs: FEATURE --> the commands run only if FEATURE is among the arguments
    <!-- not run: REASON -->
"""
import pathlib
import re
import subprocess
import sys

MARK = re.compile(r"<!-- (file|output|fails|needs|not run)(?:: (.*?))? -->$")
FENCE = re.compile(r"^```(\w*)$")


def blocks(text):
    """Yields (line, language, mark, argument, body) for each fenced block."""
    mark, argument, lines = None, None, iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        found = MARK.match(line)
        fence = FENCE.match(line)
        if found:
            mark, argument = found.groups()
        elif fence:
            body = []
            for _, inner in lines:
                if inner == "```":
                    break
                body.append(inner)
            else:
                raise SystemExit(f"line {number}: the block does not end")
            yield number, fence.group(1), mark, argument, body
            mark = argument = None
        elif line.strip():
            mark = argument = None


def run(body, folder):
    """Runs the commands with the variables and the folder that earlier blocks left; returns (status, output)."""
    state, place = folder / ".state", folder / ".place"
    script = ["set -ea"]
    if state.exists():
        script += [f". '{state}'", f"cd \"$(cat '{place}')\""]
    script += body + [f"export -p >'{state}'", f"pwd >'{place}'"]
    done = subprocess.run(["sh", "-c", "\n".join(script)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=600)
    return done.returncode, done.stdout.decode(errors="replace")


def differs(wanted, got):
    """Returns the first line of the page that the output lacks, or None. The lines must come in the page's order."""
    rest = iter(got.splitlines())
    for line in wanted:
        if line.strip() == "..." or not line.strip():
            continue
        pattern = re.compile(".*".join(re.escape(re.sub(r"\s+", " ", part.strip())) for part in line.split("...")))
        if not any(pattern.fullmatch(re.sub(r"\s+", " ", other.strip())) for other in rest):
            return line
    return None


def main(page, folder, *features):
    folder = pathlib.Path(folder)
    ran, output, skipped = 0, None, False
    for number, language, mark, argument, body in blocks(pathlib.Path(page).read_text()):
        place = f"{page}:{number}"
        if mark == "file":
            at = folder / ".place"
            target = pathlib.Path(at.read_text().strip() if at.exists() else folder) / argument
            target.write_text("\n".join(body) + "\n")
        elif mark == "output":
            if skipped:
                continue
            if output is None:
                raise SystemExit(f"{place}: no commands come before this output")
            lacking = differs(body, output)
            if lacking is not None:
                raise SystemExit(f"{place}: the output lacks this line: {lacking}\nthe output:\n{output}")
        elif language == "sh":
            skipped = mark == "not run" or (mark == "needs" and argument not in features)
            if skipped:
                continue
            status, output = run(body, folder)
            ran += 1
            if (status != 0) != (mark == "fails"):
                raise SystemExit(f"{place}: exit status {status}; the output:\n{output}")
    if not ran:
        raise SystemExit(f"{page}: no commands")
    print(f"{page}: {ran} blocks of commands")


if __name__ == "__main__":
    main(*sys.argv[1:])
