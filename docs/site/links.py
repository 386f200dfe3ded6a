# SPDX-License-Identifier: Apache-2.0
"""Checks the links of a site: each leads to a file and an anchor that exist, and no page loads anything from elsewhere.

    links.py FOLDER
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(filter(None, (given.get("id"), given.get("name"))))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("canonical", "license"):
            pass
        elif tag in ("link", "script", "img", "iframe"):
            self.loads += filter(None, (given.get("href"), given.get("src")))


def main(folder):
    folder = pathlib.Path(folder).resolve()
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    faults = 0
    for path, page in pages.items():
        for kind, targets in (("links to", page.links), ("loads", page.loads)):
            for target in targets:
                parts = urllib.parse.urlsplit(target)
                if parts.scheme or parts.netloc:
                    wrong = kind == "loads" and parts.scheme != "data"
                else:
                    file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                    wrong = not file.is_file() or (parts.fragment and file in pages and
                                                   urllib.parse.unquote(parts.fragment) not in pages[file].anchors)
                if wrong:
                    print(f"{path.relative_to(folder)} {kind} {target}")
                    faults += 1
    print(f"{len(pages)} pages, {faults} faults")
    return 1 if faults or not pages else 0


sys.exit(main(sys.argv[1]))
