"""Opens the report in headless Chromium and checks what only a browser can tell.

Usage: browser.py CHROMIUM REPORT.html OUTPUT_FOLDER

Speaks the DevTools protocol over a pipe, with Python's standard library alone. Screenshots and the printed page go to
the output folder. Exit status 1 with one line per problem.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
]

# Runs in the page. Text whose contrast with what lies behind it is below 4.5 (3 when large), the drawings aside.
CONTRAST = """(() => {
  // A mixed colour is `color(srgb 0.9 0.93 0.97)`.
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number).map((v, i) => text.startsWith('color(srgb') && i < 3 ? 255 * v : v);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let e = node; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const poor = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || e.closest('svg, script') || !e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(rgb(style.color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) {
      poor.set(`${e.tagName}.${e.className}`, ratio.toFixed(2) + ' ' + walk.currentNode.textContent.trim().slice(0, 40));
    }
  }
  return [...poor].map(([where, what]) => `${where} ${what}`);
})()"""

# Runs in the page. What a screen reader, a keyboard or a link would stumble over.
STRUCTURE = """(() => {
  const wrong = [], all = (s) => [...document.querySelectorAll(s)];
  const ids = all('[id]').map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push(`id ${id} twice`);
  for (const a of all('a[href^="#"]')) {
    if (!document.getElementById(a.hash.slice(1))) wrong.push(`${a.hash} leads nowhere`);
  }
  let level = 0;
  for (const h of all('h1, h2, h3, h4, h5, h6')) {
    const next = Number(h.tagName[1]);
    if (next > level + 1) wrong.push(`heading "${h.textContent}" skips a level`);
    level = next;
  }
  if (all('h1').length !== 1) wrong.push('not exactly one h1');
  for (const s of ['header', 'nav[aria-label]', 'main', 'footer', '.skip', 'html[lang]']) {
    if (all(s).length !== 1) wrong.push(`not exactly one ${s}`);
  }
  for (const table of all('table')) {
    if (!table.caption) wrong.push(`table ${table.id} has no caption`);
    for (const th of table.querySelectorAll('th')) if (!th.scope) wrong.push(`table ${table.id}: a head without scope`);
  }
  for (const svg of all('svg')) {
    const described = (svg.getAttribute('aria-labelledby') ?? '').split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
    if (svg.getAttribute('role') !== 'img' || described.length < 40) wrong.push('a drawing without a description');
  }
  for (const field of all('input, select')) if (!field.labels.length) wrong.push(`${field.name} has no label`);
  return wrong;
})()"""

FILTER = "document.querySelector('form.filter')"
ROWS = "[...document.querySelectorAll('#claims tr[data-verdict]')]"
VISIBLE = f"{ROWS}.filter((row) => row.checkVisibility())"


class Browser:
    """One browser, one page, commands in order."""

    def __init__(self, program, profile):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def wire():
            # The protocol's pipe is read from descriptor 3 and written to 4; take care that neither is overwritten.
            read, write = os.dup(to_browser), os.dup(from_browser)
            high_read, high_write = os.dup2(read, 200), os.dup2(write, 201)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=wire, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.session, self.events = b"", 0, None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ["Page", "Network", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.read_end, 1 << 20)
            if not chunk:
                raise SystemExit("the browser ended before its time")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        event = json.loads(message)
        # A page that asks whether it may be left is left; that it asked stays among the events.
        if event.get("method") == "Page.javascriptDialogOpening":
            self.last += 1
            answer = {"id": self.last, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            os.write(self.write_end, json.dumps({**answer, "sessionId": event["sessionId"]}).encode() + b"\0")
        return event

    def call(self, method, **params):
        self.last += 1
        number = self.last
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def tab(self, session=None):
        """Goes to a tab, by default to a new one; returns the tab that was left."""
        left, self.session = self.session, None
        if session is None:
            page = self.call("Target.createTarget", url="about:blank")["targetId"]
            session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            self.session = session
            for domain in ["Page", "Network", "Runtime", "Log"]:
                self.call(f"{domain}.enable")
        self.session = session
        return left

    def wait_for(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive())

    def open(self, url):
        self.events = [e for e in self.events if e.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def size(self, width, height=1000):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", media="screen", features=[{"name": "prefers-color-scheme", "value": name}])

    def type(self, text):
        for character in text:
            self.call("Input.dispatchKeyEvent", type="char", text=character)

    def close(self):
        self.call("Browser.close")
        self.process.wait(timeout=20)


def check(browser, url, output):
    problems = []

    def expect(condition, problem):
        if not condition:
            problems.append(problem)

    def shot(name, whole):
        picture = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        (output / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def section(name, selector, width):
        box = browser.value(
            f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
            " return {y: b.y + scrollY, height: b.height}; })()")
        clip = {"x": 0, "y": box["y"], "width": width, "height": min(box["height"], 4000), "scale": 1}
        picture = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        (output / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    # Without scripts the whole table is there, and no dead control.
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.size(1600)
    browser.open(url)
    total = browser.value(f"{ROWS}.length")
    expect(total > 0 and browser.value(f"{VISIBLE}.length") == total, "without scripts, rows are missing")
    expect(not browser.value(f"{FILTER}.checkVisibility()"), "without scripts, the filter shows")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)

    for scheme in ["light", "dark"]:
        browser.scheme(scheme)
        for width in [400, 800, 1600]:
            browser.size(width)
            browser.open(url)
            overflow = browser.value("document.scrollingElement.scrollWidth - innerWidth")
            expect(overflow <= 0, f"{width} px: {overflow} px stick out")
            cut = browser.value(
                "[...document.querySelectorAll('p, h1, h2, h3, dd, dt, li, .claims th, .claims td, figcaption, summary')]"
                ".filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1"
                " && !e.closest('.scroll, .drawing')).map((e) => e.textContent.trim().slice(0, 40))")
            expect(not cut, f"{width} px: cut off: {cut[:3]}")
            poor = browser.value(CONTRAST)
            expect(not poor, f"{scheme}, {width} px: too little contrast: {poor[:5]}")
            if width != 800:
                shot(f"{scheme}-{width}", whole=False)
                for part in ["verdict", "story", "limits", "machinery"]:
                    section(f"{scheme}-{width}-{part}", f"section[aria-labelledby={part}]", width)
    problems.extend(browser.value(STRUCTURE))

    # The filter, by keyboard as a reader uses it. The count is what is announced, so it must be what is seen.
    browser.size(1600)
    browser.scheme("light")
    browser.open(url)
    shown = f"Number({FILTER}.querySelector('[data-shown]').textContent)"

    def agree(what):
        counted, seen = browser.value(shown), browser.value(f"{VISIBLE}.length")
        expect(counted == seen, f"{what}: the count says {counted}, {seen} rows show")
        return seen

    expect(agree("at first") == total, "at first, rows are missing")
    browser.value(f"{FILTER}.elements.text.focus()")
    browser.type("table 6 fewest")
    found = agree("after typing")
    expect(0 < found < total, f"typing shows {found} of {total} rows")
    texts = browser.value(f"{VISIBLE}.map((row) => row.closest('tbody').rows[0].textContent + row.id + row.textContent)")
    lacking = [text for text in texts if not all(word in text.lower() for word in ["table", "6", "fewest"])]
    expect(not lacking, f"typing shows rows without the words: {lacking[:2]}")
    section("filtered", "section[aria-labelledby=verdict]", 1600)
    browser.type(" zzz")
    expect(agree("after nonsense") == 0, "nonsense finds something")
    expect(not browser.value("[...document.querySelectorAll('#claims .place')].some((e) => e.checkVisibility())"),
           "headings of empty groups show")
    browser.value(f"{FILTER}.querySelector('button[type=reset]').click()")
    browser.value("new Promise((done) => setTimeout(done, 50))")
    expect(agree("after a reset") == total, "a reset does not show all")
    for field, key in [("verdict", "verdict"), ("experiment", "experiment")]:
        options = browser.value(f"[...{FILTER}.elements.{field}.options].map((o) => o.value).filter(Boolean)")
        expect(len(options) > 0, f"no {field} to choose")
        for option in options:
            browser.value(
                f"(() => {{ const s = {FILTER}.elements.{field}; s.value = {option!r};"
                " s.dispatchEvent(new Event('input', {bubbles: true})); })()")
            wanted = browser.value(f"{ROWS}.filter((row) => row.dataset.{key} === {option!r}).length")
            expect(agree(f"{field} {option}") == wanted, f"{field} {option}: not {wanted} rows")
        browser.value(f"(() => {{ {FILTER}.reset(); }})()")
        browser.value("new Promise((done) => setTimeout(done, 50))")

    # Everything that takes the focus shows it.
    browser.value("document.activeElement.blur()")
    for _ in range(12):
        for kind in ["rawKeyDown", "keyUp"]:
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        where = browser.value(
            "(() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return e === document.body || (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)"
            " ? null : e.outerHTML.slice(0, 80); })()")
        expect(where is None, f"the focus does not show on {where}")

    browser.value("document.activeElement.blur()")

    # On paper: dark on white for readers of dark screens too, without the filter.
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.call("Emulation.setEmulatedMedia", media="print", features=dark)
    poor = browser.value(CONTRAST)
    expect(not poor, f"on paper: too little contrast: {poor[:5]}")
    expect(browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "dark paper")
    expect(not browser.value(f"{FILTER}.checkVisibility()"), "the filter is printed")
    browser.call("Emulation.setEmulatedMedia", media="", features=dark)
    paper = base64.b64decode(browser.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
    (output / "report.pdf").write_bytes(paper)
    pages = paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page/") + paper.count(b"/Type/Page/")
    expect(paper.startswith(b"%PDF") and len(paper) > 50_000, f"printing gave {len(paper)} bytes")
    print(f"{total} claims; printed page: {len(paper) // 1024} KiB, {pages} pages")

    # Read at the end, over all that was done above.
    for event in browser.events:
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent" and params["request"]["url"].split("#")[0] != url:
            problems.append(f"a request left: {params['request']['url'][:100]}")
        if event.get("method") == "Runtime.exceptionThrown":
            problems.append(f"script failed: {params['exceptionDetails']['text']}")
        if event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ["error", "warning"]:
            problems.append(f"console: {params['args']}")
        if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ["error", "warning"]:
            problems.append(f"log: {params['entry']['text']}")
    return problems


def main():
    program, report, output = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        problems = check(browser, report.as_uri(), output)
        browser.close()
    for problem in dict.fromkeys(problems):
        print(f"problem: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
