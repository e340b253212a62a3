#!/usr/bin/env python3
"""Peak memory and processor time of the commands on files below a megabyte, hostile and ordinary: evidence/hostile-memory.csv.

benches/hostile_memory.py PROGRAM [FILE...]    PROGRAM is a release build; FILEs are names of the table's rows

Each command has to stay within 160 MB (`ru_maxrss`), and within two seconds of processor time where it refuses, which other
work on the machine does not change. Status 1 if one does not.
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

AB = ["model_a", "model_b"]
MOST, MEGABYTES, SECONDS = 1_000_000, 160, 2.0


def digit(k, of):
    return (k * 7919 + k // 13) % of


def rows(header, row, most=10**9):
    """Lines below a header, as many as fit into a file below a megabyte."""
    lines, size = [header], len(header) + 1
    for k in range(most):
        line = row(k)
        size += len(line) + 1
        if size > 989_000:
            break
        lines.append(line)
    return "\n".join(lines).lstrip() + "\n"


def long_key(size):
    """JSON Lines of one object of so many bytes: half of them a key above many leaves, whose names would all repeat it."""
    leaves, text = {}, ""
    while len(text) < size // 2:
        leaves[str(len(leaves))] = 1
        text += f'"{len(leaves)}":1,'
    return json.dumps({"id": "a", "p" * (size - len(text) - 30): leaves}, separators=(",", ":")) + "\n"


def files():
    few = lambda k: str(digit(k + 1, 2)) if k < 300 else ""
    two = lambda k: f"{digit(k, 10)}.{digit(k, 1000) // 10:02d}"
    yield "key-37.jsonl", long_key(37_000)
    yield "key-94.jsonl", long_key(94_000)
    yield "key-989.jsonl", long_key(989_000)
    yield "rows-100000.csv", rows("id,judge", lambda k: f"{k},{digit(k, 2)}", 100_000)
    yield "one-id-170000.csv", rows("id,judge", lambda k: f"a,{digit(k, 2)}", 170_000)
    yield "one-id.csv", rows("id,judge,human", lambda k: f"a,{digit(k, 2)},{digit(k + 1, 2)}")
    yield "two-104500.csv", rows("judge,human", lambda k: f"{digit(k, 2)},{digit(k + 1, 2)}", 104_500)
    yield "two.csv", rows("id,judge,human", lambda k: f"{k},{digit(k, 2)},{digit(k + 1, 2)}")
    yield "two-most.csv", rows("judge,human", lambda k: f"{digit(k, 2)},{digit(k + 1, 2)}", 101_300)
    yield "few-labels.csv", rows("id,judge,human", lambda k: f"{k},{digit(k, 2)},{few(k)}")
    yield "probabilities.csv", rows("id,p_0,p_1,human", lambda k: f"{k},0.{1 + digit(k, 9)},0.{9 - digit(k, 9)},{few(k)}")
    yield "text.csv", rows("id,judge,human,text", lambda k: f"{k},{digit(k, 2)},{few(k)},some words of a text to read")
    yield "groups.csv", rows("id,judge,human,domain", lambda k: f"{k},{digit(k, 2)},{few(k)},d{k % 50}")
    yield "ten.csv", rows("judge,human", lambda k: f"{digit(k, 10)},{digit(k + 1, 10)}", 70_500)
    yield "rows.jsonl", rows("", lambda k: json.dumps({"id": str(k), "judge": str(digit(k, 2)), "human": few(k)}))
    yield "ratings.csv", rows("id,score,human", lambda k: f"{k},{1 + digit(k, 10)},{1 + digit(k + 1, 10)}")
    yield "ratings-text.csv", rows("id,score,human,text", lambda k: f"{k},{1 + digit(k, 10)},{1 + digit(k + 1, 10)},words")
    yield "decimals.csv", rows("id,score,human", lambda k: f"{k},{two(k)},{two(k + 1)}")
    yield "one-name.csv", ",".join(["x"] * 480_000) + "\n1\n"
    yield "columns.csv", ",".join(f"c{k}" for k in range(70_000)) + "\n" + ",".join("1" * 70_000) + "\n"
    people = ",".join(f"human_{k}" for k in range(900))
    yield "people.csv", f"id,judge,{people}\n" + "".join(f"{k},1{',1' * 900}\n" for k in range(500))
    yield "systems.csv", rows("question_id,model_a,model_b,winner,human", lambda k: f"{k},m{k},m{k + 1},{AB[k % 2]},{AB[(k + 1) % 2]}")
    yield "rows.tsv", rows("id\tjudge\thuman", lambda k: f"{k}\t{digit(k, 2)}\t{few(k)}")
    yield "rows-1252.csv", rows("id,judge,human", lambda k: f"\xe9{k},{digit(k, 2)},{few(k)}").encode("cp1252")
    cells = [[str(k), str(digit(k, 2)), few(k)] for k in range(28_000)]
    names = ["id", "judge", "human"]
    yield "split.json", json.dumps({"columns": names, "index": list(range(len(cells))), "data": cells})
    yield "by-column.json", json.dumps({name: {str(k): row[at] for k, row in enumerate(cells[:15_000])} for at, name in enumerate(names)})
    yield "by-row.json", json.dumps({str(k): {"judge": row[1], "human": row[2]} for k, row in enumerate(cells[:20_000])})
    sample = {"id": 1, "epoch": 1, "input": "x" * 100_000, "scores": {f"s{k}": {"value": "CI"[k % 2]} for k in range(8000)}}
    yield "scores.eval", evaluated([sample])
    metadata = lambda k: {f"m{1000 * k + j}": j for j in range(1000)}
    yield "metadata.eval", evaluated([{"id": k, "epoch": 1, "metadata": metadata(k), "scores": {"s": {"value": "C"}}} for k in range(150)])
    yield "samples.eval", evaluated([{"id": k, "epoch": 1, "input": "x" * 200_000, "scores": {"s": {"value": "C"}}} for k in range(2000)])
    criterion = lambda k: {"id": str(k), "input": "a", "output": "b", "scores": {f"s{k}": 1}}
    yield "criteria.jsonl", "".join(json.dumps(criterion(k)) + "\n" for k in range(14_000))
    score = lambda k: {"id": str(k), "traceId": "t", "name": f"s{k}", "dataType": "NUMERIC", "source": "EVAL", "value": 1}
    trace = {"id": "t", "input": "x" * 300_000, "output": "b"}
    yield "trace.json", json.dumps({"trace": trace, "observations": [], "scores": [score(k) for k in range(4000)]})
    result = lambda k: {
        "testIdx": k, "promptIdx": 0, "vars": {"q": "x" * 20}, "success": True, "response": {"output": "o"},
        "gradingResult": {"componentResults": [{"pass": True, "score": 1, "assertion": {"type": "llm-rubric", "metric": f"c{k}"}}]},
    }  # fmt: skip
    yield "promptfoo.json", json.dumps({"results": {"version": 3, "results": [result(k) for k in range(3500)]}, "config": {}})
    yield "decimals-few.csv", rows("id,score,human", lambda k: f"{k},{two(k)},{two(k + 1)}", 15_000)


def evaluated(samples):
    """A log of inspect_ai."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as log:
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}))
        for number, sample in enumerate(samples):
            log.writestr(f"samples/{number}.json", json.dumps(sample))
    return archive.getvalue()


def workbook(path):
    """60 KB that unpack to 60 MB."""
    above = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relation = lambda kind, target: f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{above}/{kind}" Target="{target}"/></Relationships>'
    row = lambda *cells: "<row>" + "".join(f'<c t="str"><v>{cell}</v></c>' for cell in cells) + "</row>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("_rels/.rels", relation("officeDocument", "xl/workbook.xml"))
        book.writestr("xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{above}"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>')
        book.writestr("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml"))
        book.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{row('id', 'judge')}{row('a', 'x' * 60_000) * 1000}</sheetData></worksheet>")
        book.writestr("xl/sharedStrings.xml", "<sst></sst>")
        book.writestr("xl/styles.xml", "<styleSheet/>")


def study(folder, name):
    """A study on a file that `audit` refuses."""
    folder.mkdir()
    (folder / name).write_bytes((folder.parent / name).read_bytes())
    scores = b"score" in (folder / name).read_bytes()[:40]
    scale, judge = ("scale = [0, 10]", 'score = "score"') if scores else ('classes = ["0", "1"]', 'kind = "labels"\nlabel = "judge"')
    (folder / "study.toml").write_text(f'title = "t"\n{scale}\n[items]\nfile = "{name}"\n[judge]\nfile = "{name}"\n{judge}\n')


def run(program, folder, *arguments):
    process = subprocess.Popen([program, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    return used.ru_maxrss * 1024 / 1e6, used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status)


def main():
    if sys.argv[1] == "--make":
        # In a process of its own: what a child takes is never less than what its parent took when it started.
        folder = Path(sys.argv[2])
        for name, text in files():
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        workbook(folder / "book-60MB.xlsx")
        (folder / "base.csv").write_text(rows("id,judge,human", lambda k: f"{k},{digit(k, 2)},{digit(k + 1, 2)}", 200))
        return
    program, only = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
    table, broken = [], 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([sys.executable, __file__, "--make", folder], check=True)
        assert run(program, folder, "audit", "base.csv", "--out", "base")[2] == 0
        assert run(program, folder, "study", "init", "starter")[2] == 0
        for name in sorted(file.name for file in folder.iterdir() if file.is_file() and file.name != "base.csv"):
            if only and name not in only:
                continue
            size = (folder / name).stat().st_size
            assert size < MOST, f"{name}: {size} bytes"
            taken = {"audit": run(program, folder, "audit", name, "--out", f"{name}-study")}
            if not (folder / f"{name}-study").exists():
                study(folder / f"{name}-study", name)
            taken |= {
                "study check": run(program, folder, "study", "check", f"{name}-study"),
                "study run": run(program, folder, "study", "run", f"{name}-study", "--force"),
                "apply": run(program, folder, "apply", "base/run", "--items", name, "--out", f"{name}-applied"),
                "labels add": run(program, folder, "study", "labels", "add", name, "starter", "--annotator", "a"),
                "embed": run(program, folder, "embed", "--items", name, "--text", "{text}", "--model", "none", "--out", "m.npy"),
            }
            for command, (megabytes, seconds, status) in taken.items():
                holds = megabytes <= MEGABYTES and (status == 0 or seconds <= SECONDS) and status in (0, 2)
                broken += not holds
                table.append([name, size, command, f"{megabytes:.0f}", f"{seconds:.1f}", status])
                print(*table[-1], "" if holds else "<<<", sep="\t", flush=True)
    if not only:
        with open(Path(__file__).parents[1] / "evidence/hostile-memory.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["file", "bytes", "command", "megabytes", "processor seconds", "status"], *table])
    sys.exit(broken > 0)


if __name__ == "__main__":
    main()
