# SPDX-License-Identifier: Apache-2.0
"""Doxygen's filter for the two headers: turns their comments into Doxygen's, and their sections into groups.

    comments.py HEADER

A paragraph with indented lines, such as a list of keys, keeps its layout. The first comment becomes the page of the file.
"""
import re
import sys

SECTION = re.compile(r"^/\* -{5,} (.*?) \*/$")


def slug(header, title):
    return header + "_" + re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def escape(text):
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", re.sub(r"([\\@<>&#%\"])", r"\\\1", text))


def paragraphs(body):
    """Returns the lines of a comment for Doxygen."""
    out = []
    for paragraph in "\n".join(body).split("\n\n"):
        lines = paragraph.split("\n")
        if any(line.startswith("  ") for line in lines):
            out += ["@verbatim"] + lines + ["@endverbatim", ""]
        else:
            out += [escape(line) for line in lines] + [""]
    return out


def comment_of(first, lines):
    """Returns the text of a comment whose first line was read."""
    body = [first.strip()[2:]]
    while "*/" not in body[-1]:
        body.append(re.sub(r"^\s*\*(?!/)", "", next(lines)))
    body[-1] = body[-1].split("*/")[0]
    body = [text[1:] if text.startswith(" ") else text for text in (line.rstrip() for line in body)]
    return body[not body[0]:len(body) - (not body[-1])]


def main(path):
    name = path.rsplit("/", 1)[-1].split(".")[0]
    source = open(path).read()
    # The end of a section's line may be on the next one.
    source = re.sub(r"(/\* -{5,} [^\n]*)\n \*/", r"\1 */", source)
    lines = iter(source.split("\n"))
    group = None
    print("/** @file */")
    line = next(lines)
    while True:
        section = SECTION.match(line)
        following = next(lines, None)
        if section:
            title = " ".join(section.group(1).strip("- ").split())
            print("/** @} */" if group else "")
            group = slug(name, title)
            print(f"/** @defgroup {group} {title}\n@{{ */")
        elif line.lstrip().startswith("/*"):
            body = [line]
            while "*/" not in body[-1]:
                body.append(following)
                following = next(lines, None)
            body = comment_of(body[0], iter(body[1:]))
            # A comment that no declaration follows is about its section.
            alone = not (following or "").strip()
            if group or not alone:
                print("/**" + (f" @addtogroup {group}" if alone else "") + "\n" + "\n".join(paragraphs(body)) + "*/")
        else:
            # A comment behind a member may take several lines.
            while "/*" in line and "*/" not in line:
                line += " " + following.strip()
                following = next(lines, None)
            print(re.sub(r"/\* (.*?) \*/\s*$", lambda found: "/**< " + escape(found.group(1)) + " */", line))
        if following is None:
            break
        line = following
    if group:
        print("/** @} */")


main(sys.argv[1])
