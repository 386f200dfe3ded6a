# SPDX-License-Identifier: Apache-2.0
"""Opens a page that anydnn wrote in a headless browser: browser.py BROWSER FILE FIGURES [FOLDER].

It checks the page with 360 and 1,400 pixels. Every figure must exist and have content. Only a scrolled box
may be wider than the screen. No row of a table may be higher than MOST_LINES lines. Text must have at least
LEAST_TEXT pixels, in figures LEAST_LABEL. The colours of a figure's curves must be distinguishable without
red or green vision. FOLDER keeps the browser's pictures.

The page runs no script, so a page around it measures it, in frames of both widths."""
import base64
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

WIDTHS = (360, 1400)
LEAST_TEXT = 12
LEAST_LABEL = 10
MOST_LINES = 4
LEAST_DISTANCE = 20  # in CIE 1976, where a difference of 2.3 is just visible

AROUND = """<!DOCTYPE html><html><body>%s<pre id="found"></pre><script>
function look(frame) {
    const inner = frame.contentDocument, root = inner.documentElement;
    let least = 1000;
    const walk = inner.createTreeWalker(inner.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode())
        if (walk.currentNode.data.trim())
            least = Math.min(least, parseFloat(frame.contentWindow.getComputedStyle(walk.currentNode.parentElement).fontSize));
    const lines = row => {
        const cell = row.lastElementChild, style = frame.contentWindow.getComputedStyle(cell);
        return (cell.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)) / parseFloat(style.lineHeight);
    };
    return {lines: Math.max(0, ...[...inner.querySelectorAll("tr")].map(lines)), width: frame.clientWidth, needs: Math.max(root.scrollWidth, inner.body.scrollWidth), text: least,
            images: [...inner.images].map(one => ({natural: one.naturalWidth, shown: one.getBoundingClientRect().width,
                                                   high: one.getBoundingClientRect().height, done: one.complete}))};
}
addEventListener("load", async () => {
    const frames = [...document.querySelectorAll("iframe")];
    for (const frame of frames)
        await Promise.all([...frame.contentDocument.images].map(one => one.decode().catch(() => 0)));
    document.getElementById("found").textContent = JSON.stringify(frames.map(look));
});
</script></body></html>"""


def run(browser, home, *arguments):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
               "--disable-extensions", "--disable-dev-shm-usage", "--user-data-dir=%s/profile" % home, *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=300, text=True).stdout


def measured(browser, home, page):
    frames = "".join('<iframe src="%s" width="%d" height="900" style="border:0"></iframe>' % (page.name, w) for w in WIDTHS)
    around = home / "around.html"
    around.write_text(AROUND % frames)
    shown = run(browser, home, "--allow-file-access-from-files", "--window-size=1800,1000",
                "--virtual-time-budget=20000", "--dump-dom", around.as_uri())
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.S).group(1)
    return json.loads(found)


# ---- colours

# Vienot, Brettel, Mollon: Digital video colourmaps for checking the legibility of displays by dichromats, 1999.
TO_CONES = ((17.8824, 43.5161, 4.11935), (3.45565, 27.1554, 3.86714), (0.0299566, 0.184309, 1.46709))
FROM_CONES = ((0.080944, -0.130504, 0.116721), (-0.0102485, 0.0540194, -0.113615), (-0.000365294, -0.00412163, 0.693513))
SEEN = {"all cones": lambda l, m, s: (l, m, s),
        "no red": lambda l, m, s: (2.02344 * m - 2.52581 * s, m, s),
        "no green": lambda l, m, s: (l, 0.494207 * l + 1.24827 * s, s)}


def times(matrix, vector):
    return tuple(sum(a * b for a, b in zip(row, vector)) for row in matrix)


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def lab(rgb):
    """Returns CIE L*a*b* of linear sRGB, by IEC 61966-2-1 and CIE 15."""
    rgb = [min(max(c, 0), 1) for c in rgb]
    xyz = times(((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)), rgb)
    f = [t ** (1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29
         for t in (xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def distance(one, other, seen):
    labs = [lab(times(FROM_CONES, seen(*times(TO_CONES, linear(c))))) for c in (one, other)]
    return sum((a - b) ** 2 for a, b in zip(*labs)) ** 0.5


def curves(svg):
    """Returns the colours of strokes and fills that are not grey."""
    found = {c.lower() for c in re.findall(r"#[0-9a-fA-F]{6}", svg)}
    found |= {"#%02x%02x%02x" % tuple(map(int, c)) for c in re.findall(r"rgb\( *(\d+), *(\d+), *(\d+)\)", svg)}
    return sorted(c for c in found if len({c[1:3], c[3:5], c[5:7]}) > 1)


def told_apart(svg):
    for one, other in itertools.combinations(curves(svg), 2):
        for name, seen in SEEN.items():
            apart = distance(one, other, seen)
            assert apart >= LEAST_DISTANCE, "%s and %s are %.1f apart (%s)" % (one, other, apart, name)


# ---- the page

def figures(path):
    images = [e.attrib["src"] for e in tree.parse(path).iter("{http://www.w3.org/1999/xhtml}img")]
    return [base64.b64decode(source.split(",", 1)[1]).decode() for source in images]


def label(svg):
    return min(float(size) for size in re.findall(r'font-size="([0-9.]+)"', svg))


def judge(found, drawn, count):
    assert len(found["images"]) == len(drawn) == count, "%d figures" % len(found["images"])
    assert found["needs"] <= found["width"], "%(needs)d pixels wide on %(width)d" % found
    assert found["lines"] < MOST_LINES + 0.5, "a row of %(lines).1f lines on %(width)d" % found
    assert found["text"] >= LEAST_TEXT, "text of %(text)g pixels" % found
    for image, svg in zip(found["images"], drawn):
        assert image["done"] and image["natural"] > 0 and image["high"] > 100, image
        size = label(svg) * image["shown"] / image["natural"]
        assert size >= LEAST_LABEL, "labels of %.1f pixels on %d" % (size, found["width"])


def main():
    browser, path, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    drawn = figures(path)
    for svg in drawn:
        told_apart(svg)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        page = home / "page.html"
        page.write_bytes(path.read_bytes())
        for found in measured(browser, home, page):
            judge(found, drawn, count)
        for width in WIDTHS if len(sys.argv) > 4 else ():
            # No window is narrower than 500, so a frame has the smaller width.
            frame = home / "frame.html"
            frame.write_text('<body style="margin:0"><iframe src="page.html" width="%d" height="2600" style="border:0">'
                             % width)
            run(browser, home, "--window-size=%d,2600" % width,
                "--screenshot=%s/%d.png" % (sys.argv[4], width), frame.as_uri())


if __name__ == "__main__":
    main()
