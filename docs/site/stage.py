# SPDX-License-Identifier: Apache-2.0
"""Copies the pages into a folder for Sphinx, which has the tree's layout, and adds what the site needs.

    stage.py TREE FOLDER XML

README.md becomes index.md. A link to a page stays, one to a public header leads to its reference, and one to another file
leads to a copy of it. Other links, to folders and to generated files, become plain text.
"""
import pathlib
import re
import shutil
import sys
import xml.etree.ElementTree

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
KINDS = {"Tutorials": "tutorials", "How-to guides": "guides", "Reference": "reference", "Explanation": "explanation"}
HEADERS = {"include/anydnn/anydnn.h": "docs/reference/anydnn.md", "include/anydnn/plugin.h": "docs/reference/plugin.md"}
# A file that is larger is not copied.
MOST = 200_000


def pages_of(tree):
    found = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/results/README.md", "bench/results/trials.md",
             "bench/suites/README.md"]
    found += [str(path.relative_to(tree)) for path in sorted(tree.glob("docs/**/*.md")) if path.name != "entries.md"]
    return [name for name in found if (tree / name).exists()]


def site_name(name):
    return "index.md" if name == "README.md" else "NEWS.md" if name == "NEWS" else name


def up(target, page):
    """Returns the path from one page of the site to another file of it."""
    here = pathlib.PurePosixPath(page).parent
    return "../" * len(here.parts) + target


def relink(text, name, tree, folder, pages):
    page = site_name(name)

    def one(found):
        words, target, anchor = found.group(1), found.group(2), found.group(3) or ""
        if not target or "://" in target:
            return found.group(0)
        path = (tree / name).parent.joinpath(target).resolve()
        try:
            inside = str(path.relative_to(tree))
        except ValueError:
            return words
        if inside in pages or inside == "NEWS":
            return f"[{words}]({up(site_name(inside), page)}{anchor})"
        if inside in HEADERS:
            return f"[{words}]({up(HEADERS[inside], page)})"
        if path.is_file() and path.stat().st_size < MOST:
            copy = folder / inside
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            return f"[{words}]({up(inside, page)})"
        return words

    # Code is left as it is.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(part if part.startswith("```") else LINK.sub(one, part) for part in parts)


def news(text):
    """Makes a page of NEWS: versions, and lines before a list, become headings."""
    lines = text.split("\n")
    out = ["# Changes", ""]
    for line, following in zip(lines, lines[1:] + [""]):
        words = re.sub(r"([*_<])", r"\\\1", line.removeprefix("  "))
        if re.match(r"\d+\.\d+", line):
            out.append(f"## {words}")
        elif line.startswith("  ") and line[2:3] not in "- " and following.startswith("  - "):
            out += [f"### {words}", ""]
        else:
            out.append(words)
    return "\n".join(out)


def groups(xml_folder, header):
    for file in sorted(xml_folder.glob(f"group__{header}__*.xml")):
        compound = xml.etree.ElementTree.parse(file).getroot().find("compounddef")
        location = min((int(item.get("line")) for item in compound.iter("location")), default=0)
        if compound.find("sectiondef") is not None or compound.find("innerclass") is not None:
            yield location, compound.findtext("compoundname"), compound.findtext("title")


def first_comment(header):
    """Returns the header's opening text as Markdown. Paragraphs with indented lines keep their layout."""
    text = header.read_text().split("*/\n", 1)[1]
    body = [line.strip()[1:].removeprefix(" ") for line in text[:text.index("*/")].split("\n")[1:-1]]
    out = []
    for paragraph in "\n".join(body).split("\n\n"):
        if any(line.startswith("  ") for line in paragraph.split("\n")):
            out.append("```\n" + paragraph + "\n```")
        elif re.fullmatch(r"[A-Z ]+", paragraph):
            out.append("## " + paragraph.capitalize())
        else:
            out.append(re.sub(r"([*_<>])", r"\\\1", paragraph))
    return "\n\n".join(out)


def reference(tree, folder, xml_folder):
    """Writes a page for each header and for each of its sections."""
    target = folder / "docs/reference"
    target.mkdir(parents=True, exist_ok=True)
    for name in ("anydnn", "plugin"):
        found = sorted(groups(xml_folder, name))
        for _, group, title in found:
            (target / f"{group}.md").write_text(f"# {title[0].upper() + title[1:]}\n\n```{{doxygengroup}} {group}\n:desc-only:\n```\n\n"
                                            f"```{{doxygengroup}} {group}\n:content-only:\n:members:\n:undoc-members:\n```\n")
        rows = "\n".join(f"{group}" for _, group, _ in found)
        (target / f"{name}.md").write_text(
            f"# {name}.h\n\n{first_comment(tree / 'include/anydnn' / (name + '.h'))}\n\n## Sections\n\n```{{toctree}}\n{rows}\n```\n")


def navigation(tree):
    """Returns the tables of contents: a part for each kind of page, with the pages that docs/README.md lists there."""
    kinds = re.split(r"^## ([^:\n]*).*$", (tree / "docs/README.md").read_text(), flags=re.M)[1:]
    out = []
    for kind, text in zip(kinds[::2], kinds[1::2]):
        assert kind in KINDS, f"docs/README.md: {kind} is no kind of page"
        entries = []
        for _, target, _ in LINK.findall(text):
            path = str((tree / "docs" / target).resolve().relative_to(tree))
            path = HEADERS.get(path, site_name(path))
            if path.endswith(".md"):
                entries.append(path[:-3])
        out.append("```{toctree}\n:hidden:\n:caption: " + kind + "\n\n" + "\n".join(dict.fromkeys(entries)) + "\n```\n")
    out.append("```{toctree}\n:hidden:\n:caption: Project\n\ndocs/README\nCONTRIBUTING\nSECURITY\nbench/suites/README\nbench/results/trials\n```\n")
    return "\n".join(out)


def main(tree, folder, xml_folder):
    tree, folder = pathlib.Path(tree).resolve(), pathlib.Path(folder)
    pages = pages_of(tree)
    for name in pages:
        target = folder / site_name(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = relink((tree / name).read_text(), name, tree, folder, pages)
        target.write_text(text + ("\n" + navigation(tree) if name == "README.md" else ""))
    for picture in tree.glob("docs/*.svg"):
        shutil.copyfile(picture, folder / "docs" / picture.name)
    (folder / "NEWS.md").write_text(news((tree / "NEWS").read_text()))
    reference(tree, folder, pathlib.Path(xml_folder))
    shutil.copytree(tree / "docs/site/static", folder / "site/static")
    shutil.copyfile(tree / "docs/site/conf.py", folder / "conf.py")


main(*sys.argv[1:])
