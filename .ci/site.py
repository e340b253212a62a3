"""The pages of the site, from the documents (`pages FOLDER`), and a check of its links (`links FOLDER`)."""

import csv
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

PARTS = {
    "Start": ["README.md", "docs/tutorial.md", "tour.md"],
    "Questions": ["docs/good-enough.md", "docs/how-many-labels.md", "docs/which-queue.md", "docs/intervals.md", "docs/compared.md"],
    "How to": ["docs/inputs.md", "docs/labelling.md", "docs/apply.md", "docs/python.md", "docs/automation.md", "docs/embeddings.md", "docs/scale.md"],
    "The paper": ["docs/review.md", "REPRODUCE.md", "docs/tolerances.md", "docs/authors.md"],
    "Understand": ["docs/beliefs.md", "evidence/README.md"],
    "Look up": ["docs/commands.md", "docs/keys.md", "docs/files.md", "docs/glossary.md", "docs/performance.md", "reference.md"],
    "Project": ["CONTRIBUTING.md", "CHANGELOG.md"],
}
REFERENCE = """# Reference

- [The report of the reproduction](artifact/report/index.html): figures, tables and the verdict on each claim.
- [The report of a study](example/report/index.html), that of the tutorial.
- [The crates](api/judge_uncertainty/index.html), with formulas and sources.
- The Python module: its [guide](docs/python.md), and all that it declares:

```python
{stubs}
```
"""
LINK = re.compile(r"\]\(([^)\s]+)\)")


def tracked(path):
    return subprocess.run(["git", "ls-files", "--", path], check=True, capture_output=True, text=True).stdout.splitlines()


def page_of(path):
    """Where a document stands in the site: a README is the index of its folder."""
    return path.with_name("index.md") if path.name == "README.md" else path


def evidence():
    """The page of the evidence: what its README says, and the tables as data for evidence.js."""
    folder = pathlib.Path("evidence")
    tables = json.loads((folder / "index.json").read_text())
    tables.sort(key=lambda table: table["title"])
    for table in tables:
        with open(folder / table["file"], newline="") as file:
            header, *rows = csv.reader(file)
        if "figure" in table:
            # A table of several figures: the rows of one, with the columns that it has.
            rows = [row for row in rows if row[0] == table["figure"]]
        used = [k for k in range(len(header)) if any(row[k] for row in rows)]
        table["header"], table["rows"] = [header[k] for k in used], [[row[k] for k in used] for row in rows]
    options = "".join(f'<option value="{i}">{html.escape(table["title"])}</option>' for i, table in enumerate(tables))
    anchors = "".join(f'<span id="{file}"></span>' for file in sorted({table["file"] for table in tables}))
    data = json.dumps(tables).replace("</", "<\\/")
    return f"""{(folder / "README.md").read_text()}
{anchors}<div id="evidence"><noscript>The figures need JavaScript; the tables are the files beside this page.</noscript>
<label>Table <select name="table">{options}</select></label> <label>Column <select name="column"></select></label>
<label>Rows with <input name="filter" type="search" placeholder="words"></label> <span id="evidence-count"></span>
<p id="evidence-made"></p><div id="evidence-figure"></div><div id="evidence-rows" class="wide"></div></div>
<script type="application/json" id="evidence-tables">{data}</script>
<script src="evidence.js"></script>
"""


def tour():
    """The notebook as a page: its texts and code; .ci/python runs it."""
    cells = json.loads(pathlib.Path("examples/tour.ipynb").read_text())["cells"]
    written = ("".join(cell["source"]) if cell["cell_type"] == "markdown" else f"```python\n{''.join(cell['source'])}\n```" for cell in cells)
    return "\n\n".join(written) + "\n"


def pages(out):
    source = out / "pages"
    shutil.rmtree(out, ignore_errors=True)
    source.mkdir(parents=True)
    for name in ["book.toml", "evidence.css"]:
        shutil.copy(f"site/{name}", out)
    texts = {
        "reference.md": REFERENCE.format(stubs=pathlib.Path("python/source/judge_uncertainty/__init__.pyi").read_text()),
        "evidence/README.md": evidence(),
        "tour.md": tour(),
    }
    listed = [name for names in PARTS.values() for name in names]
    further, copied, titles = [], set(), {}
    # Grows while it is walked: what a page links to is a page too, or a file beside it.
    waiting = list(listed)
    for name in waiting:
        path = pathlib.Path(name)
        text = texts.get(name) or path.read_text()
        titles[name] = text.split("\n", 1)[0].lstrip("# ").replace("`", "")

        def target(found):
            link, _, anchor = found[1].partition("#")
            if "://" in link or not link or name == "reference.md":
                return found[0]
            goal = pathlib.Path(os.path.normpath(path.parent / link))
            if goal.is_dir():
                copied.update(tracked(str(goal)))
                link, goal = f"{link.rstrip('/')}/README.md", goal / "README.md"
                if not goal.exists():
                    files = "\n".join(f"- [{file}]({pathlib.Path(file).relative_to(goal.parent)})" for file in tracked(str(goal.parent)))
                    texts.setdefault(str(goal), f"# {goal.parent}\n\n{files}\n")
            if goal.suffix == ".md":
                if str(goal) not in waiting:
                    waiting.append(str(goal))
                    further.append(str(goal))
                link = re.sub(r"README\.md$", "index.md", link)
            elif goal.parent.name == "evidence" and goal.suffix == ".csv":
                link, anchor = re.sub(r"[^/]+\.csv$", "index.md", link), goal.name
            else:
                copied.add(str(goal))
            return f"]({link}{'#' + anchor if anchor else ''})"

        page = source / page_of(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(LINK.sub(target, text))
    beside = tracked("evidence/*.csv") + tracked("artifact/report") + tracked("artifact/results")
    for name in copied.union(beside):
        if not name.endswith(".md"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, source / name)
    shutil.copy("site/evidence.js", source / "evidence")
    summary = ["# Summary"]
    for part, names in [*PARTS.items(), ("Further", further)]:
        summary += ["", f"# {part}", ""] + [f"- [{titles[name]}]({page_of(pathlib.Path(name))})" for name in names]
    (source / "SUMMARY.md").write_text("\n".join(summary) + "\n")


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.ids.add(value)


def links(out):
    found = {path: Links(path.read_text()) for path in out.rglob("*.html") if "api" not in path.relative_to(out).parts[:1]}
    dead = []
    for path, page in found.items():
        if path.name in ("404.html", "toc.html", "print.html"):
            continue
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            goal = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path.resolve()
            goal = goal / "index.html" if goal.is_dir() else goal
            other = next((page for known, page in found.items() if known.resolve() == goal), None)
            fragment = urllib.parse.unquote(address.fragment)
            if not goal.exists() or (fragment and other is not None and fragment not in other.ids):
                dead.append(f"{path.relative_to(out)}: {link}")
    print("\n".join(sorted(set(dead))) or f"{sum(len(page.links) for page in found.values())} links of {len(found)} pages lead somewhere")
    return 1 if dead else 0


if __name__ == "__main__":
    what, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    sys.exit(pages(folder) if what == "pages" else links(folder))
