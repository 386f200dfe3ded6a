# SPDX-License-Identifier: Apache-2.0
"""Checks a page that anydnn wrote: page.py FILE FIGURES [TEXT...]. It must be well-formed XML, load and run
nothing, have FIGURES well-formed figures, and contain each text."""
import base64
import sys
import xml.etree.ElementTree as tree

NAME = "{http://www.w3.org/1999/xhtml}"
MAY = {"html", "head", "meta", "style", "title", "body", "h1", "h2", "p", "div", "table", "tr", "th", "td",
       "figure", "figcaption", "img"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "alt", "src"}


def image(source):
    lead = "data:image/svg+xml;base64,"
    assert source.startswith(lead), source[:60]
    root = tree.fromstring(base64.b64decode(source[len(lead):], validate=True))
    for element in root.iter():
        assert not element.tag.endswith("}script"), "a script in a figure"
        for key, value in element.attrib.items():
            assert not key.startswith("on"), key
            assert "href" not in key or value.startswith("#"), value
    # The figure must have content: gnuplot's frame alone has few paths.
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 5


def main():
    page = tree.parse(sys.argv[1]).getroot()
    images = 0
    for element in page.iter():
        name = element.tag[len(NAME):]
        assert element.tag == NAME + name and name in MAY, element.tag
        assert set(element.attrib) <= ATTRIBUTES, element.attrib
        if name == "img":
            image(element.attrib["src"])
            images += 1
    policy = [m.attrib["content"] for m in page.iter(NAME + "meta")
              if m.attrib.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1 and policy[0].startswith("default-src 'none';"), policy
    assert "script-src" not in policy[0], policy
    assert images == int(sys.argv[2]), "%d figures" % images
    text = "".join(page.itertext())
    for wanted in sys.argv[3:]:
        assert wanted in text, "not there: " + wanted


main()
