"""Opens a study's report and its page to label on in headless Chromium, as `.ci/browser` does with the paper's report.

Arguments: the browser, the program, a folder for screenshots. The study is the starter example, in a temporary folder. The
items answer to filters, pointer and keyboard and are there without scripts; a session of labelling, by keyboard, survives a
reload and comes back through `study labels add` letter by letter. Exits with one line per problem.
"""

import csv
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from browser import CONTRAST, STRUCTURE, Browser

KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Home": 36}
# A study of scores without any label yet.
SCORES = {
    "items.csv": "id,text\na,One\nb,Two\nc,Three\n",
    "judge.csv": "id,mean\na,2\nb,4\nc,9\n",
    "study.toml": 'title = "Scores"\ninstruction = "From 0 to 10"\nscale = [0, 10]\n[items]\nfile = "items.csv"\n'
                  'text = "{text}"\n[judge]\nfile = "judge.csv"\n',
}
CARDS = "[...document.querySelectorAll('ol.cards > .card')].filter((card) => card.checkVisibility())"


def press(browser, key):
    code = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
    if key == "Enter":
        code["text"] = "\r"
    elif key not in KEYS:
        code["text"] = key
    browser.call("Input.dispatchKeyEvent", type="keyDown", **code)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **code)


class Checks:
    """Problems, and pictures of what was looked at."""

    def __init__(self, browser, output):
        self.browser, self.output, self.problems = browser, output, []

    def expect(self, condition, problem):
        if not condition:
            self.problems.append(problem)

    def shot(self, name):
        picture = self.browser.call("Page.captureScreenshot", format="png")
        (self.output / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def looks(self, name, url, before=""):
        """No overflow, contrast, structure, at all widths in both schemes."""
        for scheme in ["light", "dark"]:
            self.browser.scheme(scheme)
            for width in [400, 1280, 2000]:
                self.browser.size(width, 1200)
                self.browser.open(url)
                self.browser.value(before)
                overflow = self.browser.value("document.scrollingElement.scrollWidth - innerWidth")
                self.expect(overflow <= 0, f"{name}, {width} px: {overflow} px stick out")
                poor = self.browser.value(CONTRAST)
                self.expect(not poor, f"{name}, {scheme}, {width} px: too little contrast: {poor[:5]}")
                self.shot(f"{name}-{scheme}-{width}")
        self.browser.scheme("light")

    def quiet(self, pages):
        """No request left for elsewhere, no script failed."""
        for event in self.browser.events:
            params = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"].split("#")[0]
                self.expect(url in pages or url.startswith("blob:"), f"a request left: {url[:100]}")
            if event.get("method") == "Runtime.exceptionThrown":
                self.problems.append(f"script failed: {params['exceptionDetails']}")
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ["error", "warning"]:
                self.problems.append(f"log: {params['entry']['text']}")


def report(checks, url):
    browser, expect = checks.browser, checks.expect
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.size(1280, 800)
    browser.open(url)
    height = browser.value("document.scrollingElement.scrollHeight")
    expect(height <= 6 * 800, f"the report is {height / 800:.1f} screens of 800 px high")
    closed = browser.value("[...document.querySelectorAll('.folded:not([open]) > summary > h2')].map((h) => h.id)")
    expect("items" in closed and "files" in closed, f"only these sections wait behind their headings: {closed}")
    expect(not browser.value(CARDS + ".length"), "the items show although their section is closed")
    browser.size(1200)
    browser.value("document.querySelector('#items').closest('details').open = true")
    expect(browser.value(f"{CARDS}.length") == 20, "without scripts, the first items are not there")
    expect(browser.value("document.querySelectorAll('.card, .rest .card').length") == 40, "without scripts, items are missing")
    expect(not browser.value("document.querySelector('.explorer form').checkVisibility()"), "without scripts, a dead filter shows")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    checks.looks("report", url, "document.querySelectorAll('details').forEach((one) => { one.open = true; });"
                 " document.querySelector('.explorer').scrollIntoView()")
    expect(not browser.value(STRUCTURE), f"report: {browser.value(STRUCTURE)}")

    browser.size(1200)
    browser.open(url)
    browser.value("location.hash = '#items'; new Promise((done) => setTimeout(done, 50))")
    expect(browser.value("document.querySelector('#items').closest('details').open"), "the contents do not open a section")
    count = "Number(document.querySelector('.explorer [data-shown]').textContent)"
    dots = "[...document.querySelectorAll('.dots circle:not([hidden])')].length"
    places = f"{CARDS}.map((card) => Number(card.querySelector('.place').textContent))"
    expect(browser.value(count) == 40 == browser.value(dots), "not all items are there")
    rules = browser.value("[...document.querySelector('#items-rule').options].map((o) => o.value)")
    expect(len(rules) >= 7, f"rules: {rules}")
    for rule in rules:
        browser.value(f"(() => {{ const s = document.querySelector('#items-rule'); s.value = {rule!r};"
                      " s.dispatchEvent(new Event('input', {bubbles: true})); })()")
        expect(browser.value(places) == list(range(1, 21)), f"{rule}: places {browser.value(places)[:5]}")
        expect(browser.value("document.querySelectorAll('.dots .first:not([hidden])').length") == 20, f"{rule}: dots")
    browser.value("document.querySelector('[data-more] button').click()")
    expect(browser.value(f"{CARDS}.length") == 40, "show more shows no more")
    browser.value("document.querySelector('#items-text').focus()")
    browser.type("no label yet")
    found = browser.value(count)
    texts = browser.value(f"{CARDS}.map((card) => card.textContent)")
    expect(0 < found < 40 and found == browser.value(dots), f"typing leaves {found} items and other dots")
    expect(all("no label yet" in text for text in texts), "typing shows items without the words")
    browser.value("document.querySelector('.explorer button[type=reset]').click()")
    browser.value("new Promise((done) => setTimeout(done, 50))")
    expect(browser.value(count) == 40, "a reset does not show all")

    # The item behind a dot, by pointer and by keyboard.
    behind = "document.querySelector('[data-behind] h3')?.textContent"
    at = browser.value("(() => { const c = document.querySelectorAll('.dots circle:not(.first)')[3];"
                       " c.scrollIntoView({block: 'center'}); const b = c.getBoundingClientRect();"
                       " return {x: b.x + b.width / 2, y: b.y + b.height / 2, id: c.textContent}; })()")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=at["x"], y=at["y"])
    shown = browser.value("document.querySelector('.dots .chosen title').textContent")
    expect(browser.value(behind).endswith(shown), "the panel shows another item than the dot")
    near = browser.value("(() => { const c = document.querySelector('.dots .chosen').getBoundingClientRect();"
                         f" return Math.hypot(c.x + c.width / 2 - {at['x']}, c.y + c.height / 2 - {at['y']}); }})()")
    expect(near < 1, f"the pointer finds a dot {near} px away")
    browser.value("document.querySelector('[data-plot]').focus()")
    press(browser, "Home")
    expect(browser.value(behind).startswith("1 "), "Home is not the first item")
    seen = {browser.value(behind)}
    for key in ["ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowDown"]:
        press(browser, key)
        seen.add(browser.value(behind))
    expect(len(seen) >= 4, f"arrow keys reach {len(seen)} items")
    checks.shot("report-dot")
    press(browser, "Enter")
    expect(browser.value("document.activeElement.matches('.card')"), "Enter does not go to the item")


def until(browser, expression, wanted):
    """The value once it is as wanted, or what it is after ten seconds."""
    deadline = time.time() + 10
    while (value := browser.value(expression)) != wanted and time.time() < deadline:
        time.sleep(0.05)
    return value


def reopen(browser, url):
    """Opens the page again; the browser hands its storage to the new page's process a moment later."""
    stored = "JSON.stringify(Object.entries(localStorage).sort())"
    before = browser.value(stored)
    browser.open(url)
    until(browser, stored, before)


def begin(checks, name):
    checks.browser.value("document.querySelector('#annotator').focus()")
    checks.browser.type(name)
    press(checks.browser, "Enter")
    started = checks.browser.value("document.querySelector('[data-work]').checkVisibility()")
    checks.expect(started, "the page does not start")


def saved(checks, downloads, number):
    """The tables that were saved, once there are so many."""
    deadline = time.time() + 20
    while len(list(downloads.glob("*.csv"))) < number and time.time() < deadline:
        time.sleep(0.2)
    files = sorted(downloads.glob("*.csv"), key=lambda file: file.stat().st_mtime_ns)
    checks.expect(len(files) == number, f"saved: {files}")
    return files


def rows_of(file):
    with open(file, newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def label_scores(checks, url, downloads):
    """Scores are typed; what is none, or outside the scale, is refused where it stands."""
    browser, expect = checks.browser, checks.expect
    browser.open(url)
    begin(checks, "ann")
    problem = "document.querySelector('[data-problem]').textContent"
    for wrong in ["11", "1e1", "three", "-1"]:
        browser.value("document.querySelector('#score').select()")
        browser.type(wrong)
        press(browser, "Enter")
        expect(browser.value(problem) != "", f"{wrong} is taken for a score")
    for score in ["7.5", "0"]:
        browser.value("document.querySelector('#score').select()")
        browser.type(score)
        press(browser, "Enter")
    expect(browser.value("document.querySelector('[data-count]').textContent").startswith("2 of"), "scores are not taken")
    browser.value("document.querySelector('[data-do=save]').click()")
    files = saved(checks, downloads, 4)
    expect(sorted(row["label"] for row in rows_of(files[-1])) == ["0", "7.5"], f"saved {rows_of(files[-1])}")
    return files[-1]


def label_pairs(checks, ours, study, url, downloads):
    """A label names the answer that was chosen, wherever it was shown, once it is added to the study."""
    browser, expect = checks.browser, checks.expect
    answers = {row["id"]: row for row in rows_of(study / "items.csv")}
    browser.open(url)
    begin(checks, "eve")
    chosen = {}
    items = json.loads(browser.value("document.querySelector('#queue').textContent"))["items"][:6]
    for item in items:
        shown = browser.value("document.querySelector('[data-item] p:last-child').textContent")
        chosen[item["id"].rsplit("~", 1)[0]] = shown.split("A: ")[1].split("\n")[0]
        press(browser, "1")
    in_order = {answers[item]["answer_a"] == answer for item, answer in chosen.items()}
    expect(len(in_order) == 2, "no two pairs are shown in different orders")
    press(browser, "s")
    deadline = time.time() + 20
    while not (saved_files := list(downloads.glob("labels-eve*.csv"))) and time.time() < deadline:
        time.sleep(0.1)
    expect(saved_files, "the labels of pairs are not saved")
    for file in saved_files[:1]:
        for arguments in (["add", file, study], ["export", study / "pairs-labels.csv", study]):
            done = subprocess.run([ours, "study", "labels", *arguments], capture_output=True, text=True, check=False)
            expect(done.returncode == 0, f"labels {arguments[0]}: {done.stderr}")
        rows = [row for row in rows_of(study / "pairs-labels.csv") if row["id"] in chosen and row["label"]]
        expect(len(rows) == len(chosen), f"{len(rows)} labels of {len(chosen)} came back")
        for row in rows:
            answer = answers[row["id"]].get({"A": "answer_a", "B": "answer_b"}.get(row["label"]))
            expect(answer == chosen[row["id"]], f"{row} names {answer}")

def label(checks, url, downloads):
    browser, expect = checks.browser, checks.expect
    browser.size(1200)
    browser.open(url)
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))

    text = "document.querySelector('[data-item] p:last-child').textContent"
    name = 'Ann "A", 1'
    begin(checks, name)
    queue = json.loads(browser.value("document.querySelector('#queue').textContent"))
    classes = queue["question"]["classes"]
    given = {}
    for k, item in enumerate(queue["items"][:4]):
        expect(browser.value(text) == item["text"], f"item {k} is not shown")
        press(browser, str((k + 1) % 3 + 1))
        given[item["id"]] = classes[(k + 1) % 3]
    # The third again, differently; the second taken back.
    for _ in range(2):
        press(browser, "ArrowLeft")
    expect(browser.value("document.querySelector('[aria-pressed=true]').textContent") == f"1 {classes[0]}", "no label is marked")
    press(browser, "3")
    given[queue["items"][2]["id"]] = classes[2]
    for _ in range(2):
        press(browser, "ArrowLeft")
    press(browser, "u")
    del given[queue["items"][1]["id"]]
    # Progress survives.
    reopen(browser, url)
    begin(checks, name)
    expect(browser.value("document.querySelector('[data-count]').textContent").startswith("3 of"), "progress is lost")
    expect(browser.value(text) == queue["items"][1]["text"], "the page does not go on where a label is missing")
    press(browser, "s")
    files = saved(checks, downloads, 1)
    if files:
        rows = rows_of(files[0])
        expect({row["id"]: row["label"] for row in rows} == given, f"saved {rows}, given {given}")
        expect(all(row["annotator"] == name for row in rows), "another annotator is saved")
    # What is saved may be left without a word; the next label may not.
    asked = lambda: sum(event.get("method") == "Page.javascriptDialogOpening" for event in browser.events)
    unsaved = "document.querySelector('[data-unsaved]').textContent"
    expect(browser.value(unsaved) == "", "saved labels count as unsaved")
    before = asked()
    browser.open(url)
    expect(asked() == before, "a page whose labels are all saved asks before it is left")
    # Another annotator begins anew.
    browser.open(url)
    begin(checks, "ben")
    expect(browser.value("document.querySelector('[data-count]').textContent").startswith("0 of"), "labels of another show")
    checks.looks("label", url, "(() => { document.querySelector('#annotator').value = 'ben';"
                 " document.querySelector('[data-start] button').click(); })()")
    return files, given


def label_with_skips(checks, url, downloads):
    """Skips with their reasons, a comment and an undone label, and a page that is not left with labels unsaved."""
    browser, expect = checks.browser, checks.expect
    browser.open(url)
    begin(checks, "dee")
    count = "document.querySelector('[data-count]').textContent"
    items = json.loads(browser.value("document.querySelector('#queue').textContent"))["items"]
    press(browser, "x")
    press(browser, "k")
    browser.type("two reviews, in one")
    press(browser, "Enter")
    press(browser, "c")
    browser.type("not, sure")
    press(browser, "Enter")
    press(browser, "1")
    press(browser, "2")
    press(browser, "z")
    expect(browser.value(count).startswith(f"1 of {len(items)} labelled, 2 skipped, {len(items) - 3} to go"), browser.value(count))
    expect(browser.value("document.querySelector('[data-unsaved]').textContent").startswith("3 "), "unsaved answers are not told")
    press(browser, "?")
    expect(browser.value("document.querySelector('[data-help]').open"), "the keys are not shown")
    asked = lambda: sum(event.get("method") == "Page.javascriptDialogOpening" for event in browser.events)
    before = asked()
    reopen(browser, url)
    expect(asked() == before + 1, "a page with unsaved labels is left without a word")
    begin(checks, "dee")
    expect(browser.value(count).startswith(f"1 of {len(items)} labelled, 2 skipped"), "skips do not survive")
    press(browser, "s")
    for _ in range(50):
        files = sorted(downloads.glob("labels-dee*.csv"))
        if files:
            break
        time.sleep(0.1)
    rows = {row["id"]: row for row in rows_of(files[0])} if files else {}
    expect([rows.get(item["id"], {}).get("skipped") for item in items[:2]] == ["cannot tell", "two reviews, in one"], f"saved {rows}")
    third = rows.get(items[2]["id"], {})
    expect(bool(third.get("label")) and third.get("comment") == "not, sure", f"saved {third}")
    return files[:1]


def label_in_two_tabs(checks, url):
    """What one tab keeps, another neither loses nor hides, of one annotator or of two."""
    browser, expect = checks.browser, checks.expect
    count = "document.querySelector('[data-count]').textContent.split(' ')[0]"
    browser.open(url)
    begin(checks, "cy")
    first = browser.tab()
    browser.size(1200)
    browser.open(url)
    begin(checks, "cy")
    for key in "12":
        press(browser, key)
    second = browser.tab(first)
    browser.call("Page.bringToFront")
    expect(until(browser, count, "2") == "2", "labels of another tab are not counted")
    for _ in range(2):
        press(browser, "ArrowRight")
    press(browser, "3")
    expect(browser.value(count) == "3", f"{browser.value(count)} of 3 labels are left after a label in another tab")
    reopen(browser, url)
    begin(checks, "cy")
    expect(browser.value(count) == "3", f"{browser.value(count)} of the 3 labels of two tabs are kept")
    # Another annotator in the second tab, while the first goes on.
    browser.tab(second)
    browser.call("Page.bringToFront")
    browser.value("document.querySelector('[data-do=leave]').click()")
    begin(checks, "dan")
    press(browser, "1")
    browser.tab(first)
    browser.call("Page.bringToFront")
    press(browser, "n")
    press(browser, "2")
    browser.tab(second)
    browser.call("Page.bringToFront")
    press(browser, "3")
    browser.call("Page.close")
    browser.tab(first)
    browser.call("Page.bringToFront")
    browser.open(url)
    stored = "Object.keys(localStorage).filter((key) => /\\n(cy|dan)\\n/.test(key)).length"
    expect(until(browser, stored, 6) == 6, f"{browser.value(stored)} of the 6 labels of two tabs are stored")
    for name, labels in [("dan", "2"), ("cy", "4")]:
        begin(checks, name)
        expect(browser.value(count) == labels, f"{browser.value(count)} of the {labels} labels of {name} are kept")
        browser.value("document.querySelector('[data-do=leave]').click()")


def main():
    program, ours, output = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        study = folder / "study"
        shutil.copytree("examples/starter", study)

        def run(*arguments):
            done = subprocess.run([ours, "study", *arguments], capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"study {' '.join(map(str, arguments))}: {done.stderr}")
            return done.stdout

        run("run", study)
        run("queue", study, "--budget", "8")
        run("label", study)
        scores = folder / "scores"
        scores.mkdir()
        for name, text in SCORES.items():
            (scores / name).write_text(text, encoding="utf-8")
        run("queue", scores, "--budget", "3")
        run("label", scores)
        pairs = "id,prompt,model_a,model_b,response_a,response_b,winner\n" + "".join(
            f"{i},Which {i}?,m{i % 3},m{(i + 1) % 3},One {i},Other {i},{'AB'[i // 7 % 2]}\n" for i in range(30))
        (folder / "pairs.csv").write_text(pairs, encoding="utf-8")
        subprocess.run([ours, "audit", "pairs.csv"], cwd=folder, check=True, capture_output=True)
        run("labels", "page", folder / "pairs-audit")
        browser = Browser(program, folder / "profile")
        checks = Checks(browser, output)
        pages = [(study / name).as_uri() for name in ["run/report/index.html", "label.html"]]
        report(checks, pages[0])
        files, given = label(checks, pages[1], folder / "downloads")
        skips = label_with_skips(checks, pages[1], folder / "downloads")
        label_in_two_tabs(checks, pages[1])
        of_pairs = folder / "pairs-audit"
        label_pairs(checks, ours, of_pairs, (of_pairs / "label.html").as_uri(), folder / "downloads")
        of_scores = label_scores(checks, (scores / "label.html").as_uri(), folder / "downloads")
        checks.quiet([*pages, (scores / "label.html").as_uri(), (of_pairs / "label.html").as_uri()])
        browser.close()
        checks.expect("2 labels of 2 items added" in run("labels", "add", of_scores, scores), "scores do not come back")
        for file in skips:
            said = run("labels", "add", file, study)
            checks.expect("1 labels of 1 items added" in said and "2 answers skipped" in said and "1 comments" in said, said)
            listed = run("labels", "list", study)
            for part in ["by dee: skipped: cannot tell", "by dee: skipped: two reviews, in one", "by dee: comment: not, sure"]:
                checks.expect(part in listed, f"{part} is not in {listed}")
        for file in files:
            said = run("labels", "add", file, study)
            checks.expect(f"{len(given)} labels of {len(given)} items added" in said, said)
            text = "".join(batch.read_text(encoding="utf-8") for batch in sorted((study / "labels").glob("*.jsonl")))
            for item, value in given.items():
                checks.expect(any(item in line and value in line for line in text.splitlines()), f"{item} is not in the log")
    for problem in dict.fromkeys(checks.problems):
        print(f"problem: {problem}")
    print(f"study: items and labelling looked at; screenshots: {output}")
    sys.exit(1 if checks.problems else 0)


main()
