"""Makes ordinary tables as people have them, by the programs that people use, with what is true of each.

    pip install pandas==3.1.1 openpyxl==3.1.5 XlsxWriter duckdb==2.0.1 pyarrow polars==2.1.0
    python make.py

Writes the tables and `expected.json`: of each file the columns by role, items, labelled items, the judge's rate of the good answer
(or its mean) and how often judge and people agree (or how far they are apart).
"""

import io
import json
import pathlib
import random

import duckdb
import openpyxl
import pandas as pd
import polars as pl

HERE = pathlib.Path(__file__).parent
N = 60
draws = random.Random(11)
TRUTH = [draws.random() < 0.6 for _ in range(N)]
JUDGE = [truth == (draws.random() < 0.8) for truth in TRUTH]
# People answered every other row, and once in ten otherwise than what is true.
HUMAN = [(truth == (draws.random() < 0.9)) if i % 2 == 0 else None for i, truth in enumerate(TRUTH)]
TOPIC = [["billing", "delivery", "law"][i % 3] for i in range(N)]
WORDS = [round(draws.uniform(900, 2900), 1) for _ in range(N)]
CONFIDENCE = [round(draws.uniform(0.55, 0.99), 2) for _ in range(N)]
TEXT = [f"Can you tell me what became of order number {i}?" for i in range(N)]
expected = {}


def word(is_good, words=("fail", "pass"), missing=""):
    return missing if is_good is None else words[is_good]


def agreement(judge=JUDGE, human=HUMAN):
    pairs = [(a, b) for a, b in zip(judge, human) if b is not None]
    return sum(a == b for a, b in pairs) / len(pairs)


def rate(judge=JUDGE):
    return sum(judge) / len(judge)


def expect(name, roles, good="pass", items=N, labelled=None, judge_rate=None, agree=None):
    expected[name] = {
        "roles": roles, "items": items, "labelled": labelled or sum(h is not None for h in HUMAN), "good": good,
        "rate": rate() if judge_rate is None else judge_rate, "agreement": agreement() if agree is None else agree,
    }


def refuse(name, error):
    expected[name] = {"error": error}


def write(name, text, encoding="utf-8"):
    (HERE / name).write_bytes(text.encode(encoding))


def rows(header, cells, mark=",", end="\n"):
    def cell(text):
        text = str(text)
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in f'{mark}"\n') else text
    return "".join(mark.join(map(cell, row)) + end for row in [header, *cells])


def frame(judge=("fail", "pass"), human=("fail", "pass"), names=("judge", "human"), missing=None):
    return pd.DataFrame({
        "id": [f"q{i}" for i in range(N)], "question": TEXT, "topic": TOPIC,
        names[0]: [word(j, judge) for j in JUDGE], names[1]: [word(h, human, missing) for h in HUMAN],
    })


PLAIN = {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["question"], "group": ["topic"]}


def of(**roles):
    return {**PLAIN, **{role: names for role, names in roles.items() if names}}


# Excel.
book = openpyxl.Workbook()
sheet = book.active
sheet.append(["Ticket ID", "Customer message", "Topic", "LLM Verdict", "QA result", "Comment"])
for i in range(N):
    sheet.append([1000 + i, TEXT[i], TOPIC[i], word(JUDGE[i], ("Fail ", "PASS")), word(HUMAN[i], ("fail", "Pass"), None), None])
for _ in range(4):
    sheet.append([None] * 6)
book.save(HERE / "excel_openpyxl.xlsx")
expect("excel_openpyxl.xlsx", of(id=["Ticket ID"], verdict=["LLM Verdict"], human=["QA result"], text=["Customer message"], group=["Topic"]), "Pass")
with pd.ExcelWriter(HERE / "excel_pandas.xlsx", engine="xlsxwriter") as writer:
    frame().to_excel(writer, index=False)
expect("excel_pandas.xlsx", PLAIN)
cells = [[f"q{i}", TEXT[i], word(JUDGE[i]), f"{CONFIDENCE[i]}".replace(".", ","), f"{WORDS[i]:,.1f}".replace(",", " ").replace(".", ",").replace(" ", "."), word(HUMAN[i])] for i in range(N)]
write("excel_semicolons.csv", "\ufeff" + rows(["id", "question", "judge", "judge_confidence", "words", "human"], cells, ";", "\r\n"))
expect("excel_semicolons.csv", of(confidence=["judge_confidence"], number=["words"], group=None))
expected["excel_semicolons.csv"]["roles"].pop("group")
cells = [[f"q{i}", TEXT[i], word(JUDGE[i]), f"{round(100 * CONFIDENCE[i])}%", f"{WORDS[i]:,.1f}", word(HUMAN[i])] for i in range(N)]
write("excel_percent.csv", rows(["id", "question", "judge", "confidence", "words", "human"], cells, ",", "\r\n"))
expect("excel_percent.csv", of(confidence=["confidence"], number=["words"]))
expected["excel_percent.csv"]["roles"].pop("group")
blank = [""] * 5
cells = [[f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]
header = ["id", "question", "topic", "judge", "human"]
write("excel_blank_rows.csv", rows(header, cells[:20] + [blank, blank] + cells[20:] + [blank] * 30, ",", "\r\n"))
expect("excel_blank_rows.csv", PLAIN)
write("excel_duplicates.csv", rows(header, cells + cells[:20]))
expect("excel_duplicates.csv", PLAIN)
write("excel_tabs.txt", rows(header, cells, "\t", "\r\n"))
expect("excel_tabs.txt", PLAIN)
write("excel_unicode.txt", rows(header, cells, "\t", "\r\n"), "utf-16")
expect("excel_unicode.txt", PLAIN)
write("excel_latin.csv", rows(header, [[c[0], c[1].replace("order", "Bestellung für"), *c[2:]] for c in cells], ";"), "cp1252")
expect("excel_latin.csv", PLAIN)

# Google Sheets.
cells = [[i, f"Line one of {i},\nand \"line two\"", str(JUDGE[i]).upper(), "" if HUMAN[i] is None else str(HUMAN[i]).upper()] for i in range(N)]
write("sheets.csv", rows(["id", "message", "judge", "human"], cells, ",", "\r\n"))
expect("sheets.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["message"]}, "TRUE")
write("sheets.tsv", rows(["Id", "Message", "Judge", "Reviewed by hand"], [[i, TEXT[i], word(JUDGE[i], ("no", "yes")), word(HUMAN[i], ("n", "y"))] for i in range(N)], "\t", "\r\n"))
expect("sheets.tsv", {"id": ["Id"], "verdict": ["Judge"], "human": ["Reviewed by hand"], "text": ["Message"]}, "y")

# pandas.
frame().to_csv(HERE / "pandas_index.csv")
expect("pandas_index.csv", PLAIN)
for orient in ["records", "columns", "index", "split"]:
    frame().to_json(HERE / f"pandas_{orient}.json", orient=orient)
    expect(f"pandas_{orient}.json", PLAIN)
frame().to_json(HERE / "pandas_pretty.json", orient="records", indent=2)
expect("pandas_pretty.json", PLAIN)
frame().to_json(HERE / "pandas.jsonl", orient="records", lines=True)
expect("pandas.jsonl", PLAIN)
typed = frame().astype({"judge": "category", "topic": "category"})
typed.to_parquet(HERE / "pandas.parquet")
expect("pandas.parquet", PLAIN)
booleans = frame()
booleans["judge"], booleans["human"] = JUDGE, pd.array(HUMAN, dtype="boolean")
booleans.to_parquet(HERE / "pandas_booleans.parquet")
expect("pandas_booleans.parquet", PLAIN, "true")
floats = frame()
floats["judge"], floats["human"] = [int(j) for j in JUDGE], [None if h is None else float(h) for h in HUMAN]
floats.to_csv(HERE / "pandas_floats.csv", index=False)
expect("pandas_floats.csv", PLAIN, "1")
frame(missing="NaN").to_csv(HERE / "pandas_nan.csv", index=False)
expect("pandas_nan.csv", PLAIN)

# DuckDB and Polars.
data = frame()
duckdb.sql("create table t as select * from data")
for name, how in [("duckdb.csv", "header"), ("duckdb.parquet", "format parquet"), ("duckdb.json", "format json, array true"), ("duckdb.jsonl", "format json")]:
    duckdb.sql(f"copy t to '{HERE / name}' ({how})")
    expect(name, PLAIN)
pl.from_pandas(frame()).write_csv(HERE / "polars.csv")
expect("polars.csv", PLAIN)
pl.from_pandas(frame()).write_parquet(HERE / "polars.parquet")
expect("polars.parquet", PLAIN)
pl.from_pandas(frame()).write_ndjson(HERE / "polars.ndjson")
expect("polars.ndjson", PLAIN)

# Vocabularies.
for name, judge, human, good in [
    ("words_pass_true", ("False", "True"), ("fail", "pass"), "pass"), ("words_numbers_yes", ("0", "1"), ("no", "yes"), "yes"),
    ("words_correct", ("incorrect", "correct"), ("Wrong", "Right"), "Right"), ("words_spaces", ("fail ", " pass"), ("FAIL", "Pass\u00a0"), None),
]:
    write(f"{name}.csv", rows(header, [[f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i], judge), word(HUMAN[i], human)] for i in range(N)]))
    expect(f"{name}.csv", PLAIN, good)
write("words_missing.csv", rows(header, [[f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i], missing=["N/A", "-", "none", "?"][i % 4])] for i in range(N)]))
expect("words_missing.csv", PLAIN)

# Several people, several answers.
second = [None if h is None or i % 4 else h == (i % 12 != 0) for i, h in enumerate(HUMAN)]
people = [[f"q{i}", TEXT[i], word(JUDGE[i]), word(HUMAN[i]), word(second[i])] for i in range(N)]
both = sum(sum(JUDGE[i] == p for p in given) / len(given) for i in range(N) if (given := [p for p in (HUMAN[i], second[i]) if p is not None]))
both /= sum(h is not None for h in HUMAN)
write("people_names.csv", rows(["id", "question", "judge", "anna", "ben"], people))
expect("people_names.csv", {"id": ["id"], "verdict": ["judge"], "human": ["anna", "ben"], "text": ["question"]}, agree=both)
long = [[f"q{i}", word(JUDGE[i]), who, word(answer)] for i in range(N) for who, answer in [("anna", HUMAN[i]), ("ben", second[i])] if answer is not None or who == "anna"]
write("people_long.csv", rows(["item_id", "judge", "annotator", "label"], long))
expect("people_long.csv", {"id": ["item_id"], "verdict": ["judge"], "human": ["anna", "ben"]}, agree=both)
again = [j == (i % 5 != 0) for i, j in enumerate(JUDGE)]
write("asked_twice.csv", rows(["id", "question", "judge_1", "judge_2", "human"], [[f"q{i}", TEXT[i], word(JUDGE[i]), word(again[i]), word(HUMAN[i])] for i in range(N)]))
expect("asked_twice.csv", {"id": ["id"], "verdict": ["judge_1", "judge_2"], "human": ["human"], "text": ["question"]},
       judge_rate=(rate() + rate(again)) / 2, agree=(agreement() + agreement(again)) / 2)
failed = [None if i % 10 == 9 else j for i, j in enumerate(JUDGE)]
kept = [j for j in failed if j is not None]
write("judge_failed.csv", rows(header, [[f"q{i}", TEXT[i], TOPIC[i], word(failed[i]), word(HUMAN[i])] for i in range(N)]))
expect("judge_failed.csv", PLAIN, items=len(kept), judge_rate=rate(kept))

# Numbers.
places = [1 + int(draws.random() * 5) for _ in range(N)]
given = [min(5, max(1, p + draws.choice([-1, 0, 0, 1]))) if i % 2 == 0 else None for i, p in enumerate(places)]
apart = [abs(p - g) for p, g in zip(places, given) if g is not None]
write("places.csv", rows(["id", "question", "judge_score", "human_score"], [[f"q{i}", TEXT[i], places[i], "" if given[i] is None else f"{given[i]}.0"] for i in range(N)]))
expect("places.csv", {"id": ["id"], "human": ["human_score"], "score": ["judge_score"], "text": ["question"]}, "mean",
       judge_rate=sum(places) / N, agree=sum(apart) / len(apart))

# Nested documents.
nested = [{"uid": f"q{i}", "input": {"question": TEXT[i]}, "metadata": {"topic": TOPIC[i]}, "judge": word(JUDGE[i]), "human": word(HUMAN[i], missing=None)} for i in range(N)]
write("nested.json", json.dumps({"model": "m", "results": nested}))
expect("nested.json", {"id": ["uid"], "verdict": ["judge"], "human": ["human"], "text": ["input_question"], "group": ["metadata_topic"]})
write("nested.jsonl", "".join(json.dumps(row) + "\n" for row in nested))
expect("nested.jsonl", {"id": ["uid"], "verdict": ["judge"], "human": ["human"], "text": ["input_question"], "group": ["metadata_topic"]})

# Conversations.
write("conversations.csv", rows(["id", "conversation_id", "message", "judge", "human"], [[f"q{i}", f"c{i // 4}", TEXT[i], word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]))
expect("conversations.csv", {"id": ["id"], "cluster": ["conversation_id"], "verdict": ["judge"], "human": ["human"], "text": ["message"]})

# A title above the header, as reports have it.
write("title_above.csv", "Export of 26 November 2026,,,,\n,,,,\n" + rows(header, [[f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]))
expect("title_above.csv", PLAIN)
book = openpyxl.Workbook()
for row in [["Export of 26 November 2026"], [None], header, *([f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i], missing=None)] for i in range(N))]:
    book.active.append(row)
book.save(HERE / "title_above.xlsx")
expect("title_above.xlsx", PLAIN)
# Two columns of one name.
write("same_names.csv", rows([*header, "note", "note"], [[f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i]), "", "x"] for i in range(N)]))
expect("same_names.csv", PLAIN)

# Columns that are called otherwise than after judge and human, rows that are no items.
write("words_thumbs.csv", rows(["id", "output", "auto_eval", "human_feedback"], [[f"q{i}", TEXT[i], word(JUDGE[i], ("\U0001f44e", "\U0001f44d")), word(HUMAN[i], ("\U0001f44e", "\U0001f44d"))] for i in range(N)]))
expect("words_thumbs.csv", {"id": ["id"], "verdict": ["auto_eval"], "human": ["human_feedback"], "text": ["output"]}, "\U0001f44d")
write("excel_german.csv", rows(["Nr", "Frage", "Urteil KI", "Prüfer"], [[i, TEXT[i], word(JUDGE[i], ("nein", "ja")), word(HUMAN[i], ("nein", "ja"))] for i in range(N)], ";", "\r\n"), "cp1252")
expect("excel_german.csv", {"id": ["Nr"], "verdict": ["Urteil KI"], "human": ["Prüfer"], "text": ["Frage"]}, "ja")
write("comments_above.csv", "# exported 2026-11-01\n# model: gpt-4o\n" + rows(["id", "judge", "human"], [[f"q{i}", word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]))
expect("comments_above.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"]})
write("judge_is_a_model.csv", rows(["prompt_id", "prompt", "gpt-4o", "label"], [[f"q{i}", TEXT[i], int(JUDGE[i]), "" if HUMAN[i] is None else int(HUMAN[i])] for i in range(N)]))
expect("judge_is_a_model.csv", {"id": ["prompt_id"], "verdict": ["gpt-4o"], "human": ["label"], "text": ["prompt"]}, "1")
runs = [{"trace": {"id": f"q{i}", "time": "2026-01-02T03:04:05Z"}, "eval": {"judge": {"verdict": word(JUDGE[i]), "reason": "because"}}, "annotations": {"human": word(HUMAN[i]) or None}} for i in range(N)]
write("nested_deep.json", json.dumps({"meta": {"rows": N}, "runs": runs}))
expect("nested_deep.json", {"id": ["trace_id"], "verdict": ["eval_judge_verdict"], "human": ["annotations_human"], "transcript": ["eval_judge_reason"]})
# What a tracing tool exports, with the fields of Braintrust's rows and people beside them.
traces = [{"id": f"t-{i}", "name": "chat", "metadata": {"model": "m1"}, "created": "2026-11-02", "input": {"prompt": TEXT[i]}, "output": {"text": f"Reply {i}."}, "scores": {"helpful_judge": word(JUDGE[i], ("no", "yes"))}, "human": {"helpful": word(HUMAN[i], ("no", "yes")) or None, "reviewed_by": "kim"}} for i in range(N)]
write("traces.jsonl", "".join(json.dumps(trace) + "\n" for trace in traces))
expect("traces.jsonl", {"id": ["id"], "verdict": ["scores_helpful_judge"], "human": ["kim"], "text": ["input_prompt", "output_text"]}, "yes")
write("totals_below.csv", rows(["ID", "Response", "Judge (Y/N)", "SME (Y/N)"], [[f"q{i}", TEXT[i], word(JUDGE[i], ("N", "Y ")), " " + word(HUMAN[i], ("n", "y"))] for i in range(N)] + [["Total", "", sum(JUDGE), sum(h is True for h in HUMAN)]]))
expect("totals_below.csv", {"id": ["ID"], "verdict": ["Judge (Y/N)"], "human": ["SME (Y/N)"], "text": ["Response"]}, "y")
write("reviewer_names.csv", rows(["ticket", "date", "llm_grade", "reviewer", "review_result"], [[f"T-{i}", f"2026-01-{1 + i % 28:02d}", word(JUDGE[i]), "" if HUMAN[i] is None else ["ann", "ben"][i % 4 // 2], word(HUMAN[i])] for i in range(N)]))
expect("reviewer_names.csv", {"id": ["ticket"], "verdict": ["llm_grade"], "human": ["ann", "ben"]})
write("human_verdict.csv", rows(["sample", "judge_verdict", "human_verdict"], [[f"q{i}", word(JUDGE[i]), word(TRUTH[i])] for i in range(N)]))
expect("human_verdict.csv", {"id": ["sample"], "verdict": ["judge_verdict"], "human": ["human_verdict"]}, labelled=N, agree=agreement(human=TRUTH))
write("score_of_hundred.csv", rows(["id", "judge_score", "human"], [[f"q{i}", (60 if JUDGE[i] else 5) + i % 35, word(HUMAN[i], ("FALSE", "TRUE"))] for i in range(N)]))
expect("score_of_hundred.csv", {"id": ["id"], "score": ["judge_score"], "human": ["human"]}, "TRUE")
STARS = [1 + (3 * i + i // 7) % 5 for i in range(N)]
PEOPLE = [min(5, max(1, star + [-1, 0, 0, 1][i // 2 % 4])) if i % 2 == 0 else None for i, star in enumerate(STARS)]
write("points_of_five.csv", rows(["id", "judge", "human"], [[f"q{i}", f"{STARS[i]}/5", "" if PEOPLE[i] is None else f"{PEOPLE[i]}/5"] for i in range(N)]))
apart = [abs(a - b) for a, b in zip(STARS, PEOPLE) if b is not None]
expect("points_of_five.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"]}, "mean", judge_rate=sum(STARS) / N, agree=sum(apart) / len(apart))
WORDS_OF_FIVE = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
write("likert_words.csv", rows(["id", "statement", "judge", "human"], [[f"q{i}", TEXT[i], WORDS_OF_FIVE[STARS[i] - 1], "" if PEOPLE[i] is None else WORDS_OF_FIVE[PEOPLE[i] - 1].lower()] for i in range(N)]))
expect("likert_words.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["statement"]}, "mean", judge_rate=sum(STARS) / N, agree=sum(apart) / len(apart))
write("adjudicated.csv", rows(["id", "judge_label", "rater_1", "rater_2", "adjudicated"], [[f"q{i}", word(JUDGE[i]), word(HUMAN[i]), word(None if HUMAN[i] is None else TRUTH[i]), word(HUMAN[i])] for i in range(N)]))
both = [((JUDGE[i] == HUMAN[i]) + (JUDGE[i] == TRUTH[i])) / 2 for i in range(N) if HUMAN[i] is not None]
expect("adjudicated.csv", {"id": ["id"], "verdict": ["judge_label"], "human": ["rater_1", "rater_2"]}, agree=sum(both) / len(both))

# A column that names who gave the label of each row, in one row or several for an item.
WHO = ["" if h is None else ["A. Smith", "B. Jones", "C. Wu"][i % 3] for i, h in enumerate(HUMAN)]
write("checked_by.csv", rows(["Ticket", "Prompt", "AI verdict", "QA verdict", "Checked by", "Checked on"], [[i, TEXT[i], word(JUDGE[i]), word(HUMAN[i]), WHO[i], "2026-01-02"] for i in range(N)]))
expect("checked_by.csv", {"id": ["Ticket"], "verdict": ["AI verdict"], "human": ["A. Smith", "B. Jones", "C. Wu"], "text": ["Prompt"]})
write("labeled_by.csv", rows(["id", "llm_judge", "human_label", "labeled_by"], [[i, word(JUDGE[i]), word(HUMAN[i]), "" if i % 10 == 0 else WHO[i]] for i in range(N)]))
expect("labeled_by.csv", {"id": ["id"], "verdict": ["llm_judge"], "human": ["A. Smith", "B. Jones", "C. Wu", "human_label"]})
given = [[(HUMAN[i], "ann"), (second[i], "ben")] for i in range(N)]
several = [[i, TEXT[i], word(JUDGE[i]), word(answer), who if answer is not None else ""] for i in range(N) for answer, who in given[i] if answer is not None or who == "ann"]
write("reviewer_rows.csv", rows(["item_id", "question", "judge", "human", "reviewer"], several))
both = sum(sum(JUDGE[i] == p for p in g) / len(g) for i in range(N) if (g := [p for p in (HUMAN[i], second[i]) if p is not None])) / sum(h is not None for h in HUMAN)
PAIRED = {"id": ["id"], "verdict": ["judge"], "human": ["ann", "ben"], "text": ["question"]}
expect("reviewer_rows.csv", PAIRED | {"id": ["item_id"]}, agree=both)
write("annotator_numbers.csv", rows(["item_id", "annotator_id", "score", "judge_score"], [[i, 1 + k, STARS[i] if k else 1 + (STARS[i] + i) % 5, STARS[i]] for i in range(N) for k in range(2)]))
expect("annotator_numbers.csv", {"id": ["item_id"], "score": ["judge_score"], "human": ["1", "2"]}, "mean", labelled=N, judge_rate=sum(STARS) / N, agree=sum(abs(1 + (s + i) % 5 - s) / 2 for i, s in enumerate(STARS)) / N)
write("systems_annotators.csv", rows(["question_id", "model", "response", "judge", "annotator", "label"], [[i // 2, ["m1", "m2"][i % 2], TEXT[i], word(JUDGE[i]), "" if HUMAN[i] is None else ["ann", "ben"][i % 4 // 2], word(HUMAN[i])] for i in range(N)]))
expect("systems_annotators.csv", {"id": ["question_id"], "verdict": ["judge"], "human": ["ann", "ben"], "system": ["model"], "text": ["response"]})

# Several labels in a cell.
lists = [[word(p) for p in (HUMAN[i], second[i]) if p is not None] for i in range(N)]
PAIRED["human"] = ["labels 1", "labels 2"]
for name, cell in [("lists_marks", ";".join), ("lists_bars", " | ".join), ("lists_python", lambda all: repr(all) if all else "")]:
    write(f"{name}.csv", rows(["id", "question", "judge", "labels"], [[i, TEXT[i], word(JUDGE[i]), cell(lists[i])] for i in range(N)]))
    expect(f"{name}.csv", PAIRED, agree=both)
nested = [{"id": i, "question": TEXT[i], "judge": {"label": word(JUDGE[i]), "score": 0.5}, "annotations": [{"annotator": who, "label": word(p)} for p, who in given[i] if p is not None]} for i in range(N)]
write("lists_nested.json", json.dumps(nested))
expect("lists_nested.json", PAIRED | {"verdict": ["judge_label"], "human": ["ann", "ben"]}, agree=both)

# What is no answer, and what is on another scale.
write("not_answered.csv", rows(["id", "judge", "human"], [[i, "ERROR: timeout" if i % 10 == 9 else word(JUDGE[i]), "unsure" if i % 10 == 1 else word(HUMAN[i])] for i in range(N)]))
kept = [j for i, j in enumerate(JUDGE) if i % 10 != 9]
expect("not_answered.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"]}, items=len(kept), judge_rate=rate(kept))
for name, times in [("points_of_ten_and_five", 2), ("points_of_hundred_and_five", 20)]:
    write(f"{name}.csv", rows(["id", "judge_score", "human_score"], [[i, times * STARS[i], "" if PEOPLE[i] is None else PEOPLE[i]] for i in range(N)]))
    refuse(f"{name}.csv", "two scales")

# Names of other languages and programs, headers of two rows.
write("german_words.csv", rows(["Kennung", "Eingabe", "KI-Bewertung", "Bewertung Mensch", "Kategorie", "geprüft von", "Bemerkung"], [[f"A-{i}", TEXT[i], word(JUDGE[i], ("falsch", "richtig")), word(HUMAN[i], ("falsch", "richtig")), TOPIC[i], WHO[i], ""] for i in range(N)], ";", "\r\n"))
expect("german_words.csv", {"id": ["Kennung"], "verdict": ["KI-Bewertung"], "human": ["A. Smith", "B. Jones", "C. Wu"], "group": ["Kategorie"], "text": ["Eingabe"]}, "richtig")
write("french_words.csv", rows(["identifiant", "question", "juge_ia", "évaluateur_humain"], [[i, TEXT[i], word(JUDGE[i], ("non", "oui")), word(HUMAN[i], ("non", "oui"))] for i in range(N)], ";"))
expect("french_words.csv", {"id": ["identifiant"], "verdict": ["juge_ia"], "human": ["évaluateur_humain"], "text": ["question"]}, "oui")
write("scikit.csv", rows(["idx", "sentence", "y_pred", "y_true"], [[i, TEXT[i], int(JUDGE[i]), "" if HUMAN[i] is None else int(HUMAN[i])] for i in range(N)]))
expect("scikit.csv", {"id": ["idx"], "verdict": ["y_pred"], "human": ["y_true"], "text": ["sentence"]}, "1")
write("two_headers.csv", "Item,,Scores,\n" + rows(["id", "question", "judge", "human"], [[i, TEXT[i], word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]))
expect("two_headers.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["question"]})

# A probability for each class, with the predicted class beside them and without; an index that is called after its number.
PARTS = ["refund", "delay", "other"]
THIRD = [[(PARTS[(i * 7 + i // 5) % 3]), (0.5, 0.8, 0.65)[i % 3]] for i in range(N)]
PERSON = [(part if i % 8 else PARTS[i // 8 % 3]) if i % 2 == 0 else None for i, (part, _) in enumerate(THIRD)]
shares = [[p if part == name else round((1 - p) / 2, 4) for name in PARTS] for part, p in THIRD]
third = {"judge_rate": sum(part == "refund" for part, _ in THIRD) / N, "agree": agreement([part for part, _ in THIRD], PERSON)}
probabilities = ["prob_refund", "prob_delay", "prob_other"]
write("shares_of_three.csv", rows(["idx", *probabilities, "gold"], [[i, *shares[i], PERSON[i] or ""] for i in range(N)]))
expect("shares_of_three.csv", {"id": ["idx"], "verdict": ["likeliest answer"], "probability": probabilities, "human": ["gold"]}, "refund", **third)
write("shares_and_prediction.csv", rows(["idx", *probabilities, "pred", "gold"], [[i, *shares[i], THIRD[i][0], PERSON[i] or ""] for i in range(N)]))
expect("shares_and_prediction.csv", {"id": ["idx"], "verdict": ["pred"], "probability": probabilities, "human": ["gold"]}, "refund", **third)
sure = [round(c if j else 1 - c, 2) for j, c in zip(JUDGE, CONFIDENCE)]
write("german_probability.csv", rows(["Nr", "Eingabe", "KI_Wahrscheinlichkeit", "Mensch"], [[i, TEXT[i], f"{sure[i]}".replace(".", ","), word(HUMAN[i], ("schlecht", "gut"))] for i in range(N)], ";", "\r\n"))
expect("german_probability.csv", {"id": ["Nr"], "probability": ["KI_Wahrscheinlichkeit"], "human": ["Mensch"], "text": ["Eingabe"]}, "gut")
STEPS = ["poor", "fair", "good", "very good", "excellent"]
write("rating_of_model.csv", rows(["No", "model_rating", "human_rating"], [[i + 1, STEPS[STARS[i] - 1].title(), "" if PEOPLE[i] is None else STEPS[PEOPLE[i] - 1]] for i in range(N)]))
expect("rating_of_model.csv", {"id": ["No"], "verdict": ["model_rating"], "human": ["human_rating"]}, "mean", judge_rate=sum(STARS) / N, agree=sum(apart) / len(apart))

# Surveys, marks and raters as further tools and languages have them.
STIMULUS = [f"Order {i}: what became of it, and who can tell me?" for i in range(N)]
survey = [[f"https://x.org/i/{i}", STIMULUS[i], STEPS[STARS[i] - 1], who, "" if PEOPLE[i] is None else STEPS[given - 1], "OK"]
          for i in range(N) for who, given in ([("", 0)] if PEOPLE[i] is None else [(f"5f{i % 3}", PEOPLE[i]), (f"5f{3 + i % 2}", STARS[i]), ("5f9", PEOPLE[i])])]
write("survey.csv", rows(["item_url", "stimulus", "llm_rating", "PROLIFIC_PID", "rating", "status"], survey))
expect("survey.csv", {"id": ["item_url"], "verdict": ["llm_rating"], "human": ["5f0", "5f1", "5f2", "5f3", "5f9"], "text": ["stimulus"]}, "mean",
       labelled=N // 2, judge_rate=sum(STARS) / N, agree=sum(apart) / len(apart) * 2 / 3)
write("german_marks.csv", rows(["lfd.", "Anfrage", "Note KI", "Note Gutachter", "Bemerkungen"], [[i + 1, TEXT[i], STARS[i], ["k.A.", PEOPLE[i]][i % 10 > 0] if i % 2 == 0 else "", "x" if i % 9 == 0 else ""] for i in range(N)], ";", "\r\n"))
marked = [abs(STARS[i] - PEOPLE[i]) for i in range(0, N, 2) if i % 10]
expect("german_marks.csv", {"id": ["lfd."], "verdict": ["Note KI"], "human": ["Note Gutachter"], "text": ["Anfrage"]}, "mean", labelled=len(marked), judge_rate=sum(STARS) / N, agree=sum(marked) / len(marked))
kinds = [[f"log_{i}", TEXT[i], who, kind, word(answer)] for i in range(N) for who, kind, answer in [("auto-eval", "ai", JUDGE[i]), ("pat", "human", HUMAN[i]), ("lee", "human", second[i])] if answer is not None]
write("kinds_of_raters.csv", rows(["log_id", "input", "evaluator", "evaluator_type", "judgment"], kinds))
both = sum(sum(JUDGE[i] == p for p in g) / len(g) for i in range(N) if (g := [p for p in (HUMAN[i], second[i]) if p is not None])) / sum(h is not None for h in HUMAN)
expect("kinds_of_raters.csv", {"id": ["log_id"], "verdict": ["auto-eval"], "human": ["lee", "pat"], "text": ["input"]}, agree=both)
unsure = [["" if p is None else "Unsure" if (i + k) % 14 == 0 else word(p) for k, p in enumerate((HUMAN[i], second[i]))] for i in range(N)]
write("people_unsure.csv", rows(["Case #", "Message", "Evaluator LLM", "Zoë", "Tomás"], [[3 * i + 7, TEXT[i], word(JUDGE[i]), *unsure[i]] for i in range(N)]))
sure = [[answer == word(JUDGE[i]) for answer in unsure[i] if answer in ("fail", "pass")] for i in range(N)]
sure = [sum(answers) / len(answers) for answers in sure if answers]
expect("people_unsure.csv", {"id": ["Case #"], "verdict": ["Evaluator LLM"], "human": ["Zoë", "Tomás"], "text": ["Message"]}, labelled=len(sure), agree=sum(sure) / len(sure))

# What platforms export: fields in capitals, scores of graders beside those of annotators, lists and JSON in cells.
AGREED = sum(sum(JUDGE[i] == p for p in g) / len(g) for i in range(N) if (g := [p for p in (HUMAN[i], second[i]) if p is not None])) / sum(h is not None for h in HUMAN)
camel = [{"itemId": f"x{i}", "sessionId": f"s{i // 4}", "userMessage": TEXT[i], "llmVerdict": word(JUDGE[i]), "humanVerdict": word(HUMAN[i]) or None, "promptVersion": "v3"} for i in range(N)]
write("camel_names.json", json.dumps({"items": camel}))
expect("camel_names.json", {"id": ["itemId"], "verdict": ["llmVerdict"], "human": ["humanVerdict"], "cluster": ["sessionId"], "text": ["userMessage"]})
write("outcomes.csv", rows(["nlq", "model_critique", "model_outcome", "human_critique", "human_outcome"], [[TEXT[i], f"Query {i} does what was asked for", word(JUDGE[i], ("bad", "good")), "" if HUMAN[i] is None else f"fine {i}", word(HUMAN[i], ("bad", "good"))] for i in range(N)]))
expect("outcomes.csv", {"verdict": ["model_outcome"], "human": ["human_outcome"], "text": ["nlq"], "transcript": ["model_critique"]}, "good")
write("manual_correctness.csv", rows(["id", "question", "question_type", "correctness", "correctness_reason", "manual_correctness"], [[f"q{i}", TEXT[i], ["simple", "complex"][i % 2], JUDGE[i], f"since {i}", "" if HUMAN[i] is None else HUMAN[i]] for i in range(N)]))
expect("manual_correctness.csv", {"id": ["id"], "verdict": ["correctness"], "human": ["manual_correctness"], "text": ["question"], "transcript": ["correctness_reason"]}, "True")
weave = ["id", "inputs.example.question", "output.scores.correctness_scorer.correct", "output.scores.correctness_scorer.reasoning", "feedback.[wandb.annotation.correct].value"]
write("scorer.csv", rows(weave, [[f"c{i}", TEXT[i], JUDGE[i], f"reason {i}", "" if HUMAN[i] is None else HUMAN[i]] for i in range(N)]))
expect("scorer.csv", {"id": ["id"], "verdict": [weave[2]], "human": [weave[4]], "text": [weave[1]], "transcript": [weave[3]]}, "True")
write("traces_with_scores.csv", rows(["id", "timestamp", "sessionId", "input", "output", "helpful (eval)", "helpful (annotation)"], [[f"t{i}", "2026-03-01", f"s{i // 3}", TEXT[i], f"Answer {i}", JUDGE[i], "" if HUMAN[i] is None else HUMAN[i]] for i in range(N)]))
expect("traces_with_scores.csv", {"id": ["id"], "verdict": ["helpful (eval)"], "human": ["helpful (annotation)"], "cluster": ["sessionId"], "text": ["input", "output"]}, "True")
write("eval_and_annotation.csv", rows(["span_id", "input", "eval.Correctness.label", "eval.Correctness.score", "annotation.correctness.label"], [[f"f{i}", TEXT[i], word(JUDGE[i], ("incorrect", "correct")), int(JUDGE[i]), word(HUMAN[i], ("incorrect", "correct"))] for i in range(N)]))
expect("eval_and_annotation.csv", {"id": ["span_id"], "verdict": ["eval.Correctness.label"], "human": ["annotation.correctness.label"], "text": ["input"]}, "correct")
write("json_cell.csv", rows(["id", "question", "judge_output", "human"], [[i, TEXT[i], json.dumps({"reasoning": f"because {i}", "verdict": word(JUDGE[i])}), word(HUMAN[i])] for i in range(N)]))
expect("json_cell.csv", {"id": ["id"], "verdict": ["judge_output_verdict"], "human": ["human"], "text": ["question"], "transcript": ["judge_output_reasoning"]})
feedback = [{"id": f"r{i}", "inputs": {"question": TEXT[i]}, "feedback": [{"key": "correct", "score": int(p), "source": who} for who, p in [("model", JUDGE[i]), ("human", HUMAN[i])] if p is not None]} for i in range(N)]
write("feedback.jsonl", "".join(json.dumps(row) + "\n" for row in feedback))
expect("feedback.jsonl", {"id": ["id"], "verdict": ["model"], "human": ["human"], "text": ["inputs_question"]}, "1")
assessed = [{"trace_id": f"tr-{i}", "request": TEXT[i], "assessments": [{"assessment_name": "correct", "feedback": {"value": word(p, ("no", "yes"))}, "source": {"source_type": kind, "source_id": who}} for kind, who, p in [("LLM_JUDGE", "databricks", JUDGE[i]), ("HUMAN", "kim@x.org", HUMAN[i])] if p is not None]} for i in range(N)]
write("assessments.jsonl", "".join(json.dumps(row) + "\n" for row in assessed))
expect("assessments.jsonl", {"id": ["trace_id"], "verdict": ["LLM_JUDGE"], "human": ["HUMAN"], "text": ["request"]}, "yes")
def choice(i, who, p):
    return {"id": 90 + i, **who, "result": [{"type": "choices", "value": {"choices": [word(p)]}, "from_name": "verdict", "to_name": "text"}], "created_at": "2026-05-01"}
tasks = [{"id": 100 + i, "data": {"text": TEXT[i]}, "predictions": [choice(i, {"model_version": "gpt-4o", "score": 0.5}, JUDGE[i])],
          "annotations": [choice(i, {"completed_by": {"id": k, "email": f"u{k}@x.org"}, "ground_truth": False}, p) for k, p in [(1, HUMAN[i]), (2, second[i])] if p is not None]} for i in range(N)]
write("label_studio.json", json.dumps(tasks))
expect("label_studio.json", {"id": ["id"], "verdict": ["predictions_result_value_choices"], "human": ["u1@x.org", "u2@x.org"], "text": ["data_text"]}, agree=AGREED)
prodigy = [{"text": TEXT[i], "llm": {"label": word(JUDGE[i])}, "options": [{"id": "pass", "text": "Pass"}, {"id": "fail", "text": "Fail"}], "_input_hash": 7919 * i, "accept": [word(HUMAN[i])] if HUMAN[i] is not None else [], "answer": "ignore" if HUMAN[i] is None else "accept", "_annotator_id": "db-anna"} for i in range(N)]
write("prodigy.jsonl", "".join(json.dumps(row) + "\n" for row in prodigy))
expect("prodigy.jsonl", {"verdict": ["llm_label"], "human": ["db-anna"], "text": ["text"], "number": ["_input_hash"]})
argilla = [{"id": f"a{i}", "fields": {"prompt": TEXT[i]}, "suggestions": {"ok": {"value": word(JUDGE[i]), "score": 0.5 + i / 200, "agent": "gpt-4o"}}, "responses": {"ok": [{"value": word(p), "user_id": who} for who, p in [("u-1", HUMAN[i]), ("u-2", second[i])] if p is not None]}} for i in range(N)]
write("argilla.json", json.dumps(argilla))
expect("argilla.json", {"id": ["id"], "verdict": ["suggestions_ok_value"], "human": ["u-1", "u-2"], "text": ["fields_prompt"]}, agree=AGREED)
samples = [[JUDGE[i], again[i], JUDGE[i]] for i in range(N)]
write("samples.jsonl", "".join(json.dumps({"id": i, "question": TEXT[i], "judge_samples": [word(p) for p in samples[i]], "human": word(HUMAN[i]) or None}) + "\n" for i in range(N)))
expect("samples.jsonl", {"id": ["id"], "verdict": ["judge_samples 1", "judge_samples 2", "judge_samples 3"], "human": ["human"], "text": ["question"]},
       judge_rate=(2 * rate() + rate(again)) / 3, agree=(2 * agreement() + agreement(again)) / 3)
write("braintrust.jsonl", "".join(json.dumps({"id": f"b{i}", "span_id": f"s{i}", "input": TEXT[i], "output": f"Answer {i}", "expected": "x", "scores": {"Factuality": int(JUDGE[i]), "Human review": None if HUMAN[i] is None else int(HUMAN[i])}}) + "\n" for i in range(N)))
expect("braintrust.jsonl", {"id": ["id"], "text": ["input", "output"]}, "1")

# Answers that a number or their first line calls, other words for steps, and what is none.
PLACES = ["1 - very poor", "2 - poor", "3 - acceptable", "4 - good", "5 - very good"]
OF_STARS = {"good": "mean", "judge_rate": sum(STARS) / N, "agree": sum(abs(a - b) for a, b in zip(STARS, PEOPLE) if b is not None) / sum(b is not None for b in PEOPLE)}
def stars(name, columns, judge, people=None, text="", sep=","):
    people = people or judge
    write(name, text + rows(columns, [[f"d{i}", TEXT[i], judge(STARS[i]), "" if PEOPLE[i] is None else people(PEOPLE[i])] for i in range(N)], sep))
stars("steps_and_numbers.csv", ["id", "question", "llm_rating", "expert_rating"], str, lambda k: PLACES[k - 1])
expect("steps_and_numbers.csv", {"id": ["id"], "score": ["llm_rating"], "human": ["expert_rating"], "text": ["question"]}, **OF_STARS)
stars("likert_numbers.csv", ["id", "statement", "llm_answer", "participant_answer"], lambda k: f"{WORDS_OF_FIVE[k - 1]} ({k})")
expect("likert_numbers.csv", {"id": ["id"], "verdict": ["llm_answer"], "human": ["participant_answer"], "text": ["statement"]}, **OF_STARS)
stars("points.csv", ["序号", "question", "大模型评分", "人工评分"], lambda k: f"{k}分")
expect("points.csv", {"id": ["序号"], "verdict": ["大模型评分"], "human": ["人工评分"], "text": ["question"]}, **OF_STARS)
ITALIAN = ["scarso", "insufficiente", "sufficiente", "buono", "ottimo"]
stars("italian_steps.csv", ["Numero", "Testo", "Valutazione IA", "Valutazione umana"], lambda k: ITALIAN[k - 1].title(), lambda k: ITALIAN[k - 1], sep=";")
expect("italian_steps.csv", {"id": ["Numero"], "verdict": ["Valutazione IA"], "human": ["Valutazione umana"], "text": ["Testo"]}, **OF_STARS)
SEVERITY = ["none", "low", "medium", "high", "critical"]
stars("severity.csv", ["id", "description", "triage_bot", "analyst"], lambda k: SEVERITY[k - 1], lambda k: SEVERITY[k - 1].upper())
expect("severity.csv", {"id": ["id"], "verdict": ["triage_bot"], "human": ["analyst"], "text": ["description"]}, **OF_STARS)
stars("teacher_points.csv", ["Lfd. Nr", "Aufsatz", "Punkte KI", "Punkte Lehrkraft"], lambda k: f"{k},5", text="\ufeff", sep=";")
expect("teacher_points.csv", {"id": ["Lfd. Nr"], "verdict": ["Punkte KI"], "human": ["Punkte Lehrkraft"], "text": ["Aufsatz"]}, **{**OF_STARS, "judge_rate": sum(STARS) / N + 0.5})
FAILED = ["REFUSED", "TIMEOUT", "parse error", "content_filter"]
write("numbers_refused.csv", rows(["id", "judge_score", "human_score"], [[i, FAILED[i // 10 % 4] if i % 10 == 9 else STARS[i], "" if PEOPLE[i] is None else PEOPLE[i]] for i in range(N)]))
kept = [star for i, star in enumerate(STARS) if i % 10 != 9]
expect("numbers_refused.csv", {"id": ["id"], "verdict": ["judge_score"], "human": ["human_score"]}, items=len(kept), **{**OF_STARS, "judge_rate": sum(kept) / len(kept)})
write("guard_lines.csv", rows(["id", "prompt", "llama_guard", "human_label"], [[i, TEXT[i], "safe" if JUDGE[i] else f"unsafe\nS{1 + i % 9}", word(HUMAN[i], ("unsafe", "safe"))] for i in range(N)]))
expect("guard_lines.csv", {"id": ["id"], "verdict": ["llama_guard"], "human": ["human_label"], "text": ["prompt"]}, "unsafe", judge_rate=1 - rate())
MISSING = ["(blank)", "n/d", "--", "not applicable", "prefer not to say", "no answer"]
write("words_missing_too.csv", rows(header, [[f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i], missing=MISSING[i % 6])] for i in range(N)]))
expect("words_missing_too.csv", PLAIN)

# Columns that are like labels or like the judge's and are neither; sets of labels; a gold label beside people; parts of 1.
write("flags.csv", rows(["id", "is_test", "judge_pass", "human_pass", "has_context", "needs_review"], [[f"e{i}", i % 2, int(JUDGE[i]), "" if HUMAN[i] is None else int(HUMAN[i]), i // 2 % 2, 1 if i % 3 == 0 else ""] for i in range(N)]))
expect("flags.csv", {"id": ["id"], "verdict": ["judge_pass"], "human": ["human_pass"]}, "1")
write("sampling_prob.csv", rows(["id", "question", "judge", "sampling_prob", "human"], [[i, TEXT[i], word(JUDGE[i]), [0.2, 0.5, 0.8][i % 3], word(HUMAN[i])] for i in range(N)]))
expect("sampling_prob.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["question"]})
write("parts_of_one.csv", rows(["id", "judge_refund", "judge_delay", "judge_other", "human"], [[i, *shares[i], PERSON[i] or ""] for i in range(N)]))
expect("parts_of_one.csv", {"id": ["id"], "verdict": ["likeliest answer"], "probability": ["judge_refund", "judge_delay", "judge_other"], "human": ["human"]}, "refund", **third)
SETS = ["toxicity", "toxicity;insult", "none of these"]
write("label_sets.csv", rows(["id", "question", "llm_labels", "human_labels"], [[i, TEXT[i], SETS[PARTS.index(THIRD[i][0])], SETS[PARTS.index(PERSON[i])] if PERSON[i] else ""] for i in range(N)]))
expect("label_sets.csv", {"id": ["id"], "verdict": ["llm_labels"], "human": ["human_labels"], "text": ["question"]}, "toxicity", **third)
write("annotators_and_gold.csv", rows(["id", "judge", "annotator_1", "annotator_2", "gold_label"], [[i, word(JUDGE[i]), word(HUMAN[i]), word(second[i]), word(None if HUMAN[i] is None else TRUTH[i])] for i in range(N)]))
expect("annotators_and_gold.csv", {"id": ["id"], "verdict": ["judge"], "human": ["annotator_1", "annotator_2"]}, agree=AGREED)

# Workbooks with a header over two rows whose cells go over columns, and with a sheet that explains the next.
book = openpyxl.Workbook()
for row in [["Auswertung"], [None], [None, None, "KI", None, "Mensch"], ["Nr.", "Anfrage", "Urteil", "Begründung", "Urteil", "Kommentar"],
            *([i + 1, TEXT[i], word(JUDGE[i], ("nein", "ja")), f"weil {i}", word(HUMAN[i], ("nein", "ja"), None), "x" if i % 11 == 0 else None] for i in range(N)), [None], ["Stand: 12.11.2026"]]:
    book.active.append(row)
book.active.merge_cells("C3:D3")
book.save(HERE / "merged_headers.xlsx")
expect("merged_headers.xlsx", {"id": ["Nr."], "verdict": ["KI Urteil"], "human": ["Mensch Urteil"], "text": ["Anfrage"]}, "ja")
book = openpyxl.Workbook()
for row in [["Column", "Meaning"], ["judge", "what gpt-4o said"], ["human", "what QA said"]]:
    book.active.append(row)
sheet = book.create_sheet("Data")
for row in [header, *([f"q{i}", TEXT[i], TOPIC[i], word(JUDGE[i]), word(HUMAN[i], missing=None)] for i in range(N))]:
    sheet.append(row)
book.save(HERE / "legend_first.xlsx")
expect("legend_first.xlsx", PLAIN)

# Exports of crowds: a row for each answer of a worker, control questions with gold labels, options as columns; surveys with their questions
# below the header.
ASKED = [i for i in range(N) if HUMAN[i] is not None]
GIVEN = [(i, who, of[i]) for i in ASKED for who, of in [("w1", HUMAN), ("w2", second)] if of[i] is not None]
OF_ASKED = {"items": len(ASKED), "judge_rate": sum(JUDGE[i] for i in ASKED) / len(ASKED), "agree": AGREED}
write("toloka.tsv", rows(["INPUT:text", "INPUT:llm_label", "OUTPUT:result", "GOLDEN:result", "HINT:text", "ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"], [[TEXT[i], word(JUDGE[i], ("BAD", "OK")), word(given, ("BAD", "OK")), word(TRUTH[i], ("BAD", "OK")) if i < 6 else "", "", f"t{i}", who, "APPROVED"] for i, who, given in GIVEN], "\t"))
expect("toloka.tsv", {"id": ["ASSIGNMENT:task_id"], "verdict": ["INPUT:llm_label"], "human": ["w1", "w2"], "text": ["INPUT:text"]}, "OK", **OF_ASKED)
write("mturk.csv", rows(["HITId", "WorkerId", "AssignmentStatus", "Input.text", "Input.llm_label", "Answer.verdict.fail", "Answer.verdict.pass"], [[f"3H{i}", who, "Submitted", TEXT[i], word(JUDGE[i]), str(not given).lower(), str(given).lower()] for i, who, given in GIVEN]))
expect("mturk.csv", {"verdict": ["Input.llm_label"], "human": ["w1", "w2"], "text": ["Input.text"]}, **OF_ASKED)
BOTH = [(i, who, of[i]) for i in ASKED for who, of in [("w1", HUMAN), ("w2", TRUTH)]]
write("appen.csv", rows(["_unit_id", "_created_at", "_trust", "_worker_id", "is_correct", "is_correct:confidence", "text", "gpt_is_correct"], [[3000 + i, "1/5/2026 10:00", 0.9 if who == "w1" else 0.8, who, word(given, ("no", "yes")), 0.5 + i / 200, TEXT[i], word(JUDGE[i], ("no", "yes"))] for i, who, given in BOTH]))
expect("appen.csv", {"id": ["_unit_id"], "verdict": ["gpt_is_correct"], "human": ["w1", "w2"], "text": ["text"]}, "yes", **{**OF_ASKED, "agree": sum(JUDGE[i] == given for i, _, given in BOTH) / len(BOTH)})
header = ["ResponseId", "item", "judge_verdict", "human_verdict"]
questions = [["Response ID", "item", "judge_verdict", "Is the answer correct?"], [json.dumps({"ImportId": name}) for name in ["_recordId", "item", "judge_verdict", "QID1"]]]
write("qualtrics.csv", rows(header, questions + [[f"R_{i}q", f"it{i}", word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]))
expect("qualtrics.csv", {"id": ["ResponseId"], "verdict": ["judge_verdict"], "human": ["human_verdict"]})
header = ["id", "question", "judge", "human"]
cells = [[f"q{i}", TEXT[i], word(JUDGE[i]), word(HUMAN[i])] for i in range(N)]
write("joined_files.csv", rows(header, cells[:25] + [["Subtotal", "", "14 pass", "6 pass"], header] + cells[25:]))
expect("joined_files.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["question"]})

# Labels as counts; flags, means and final labels beside people's; people who say why they skip; scores of a reference.
both = [[p for p in (HUMAN[i], second[i]) if p is not None] for i in range(N)]
write("vote_counts.csv", rows(["id", "question", "judge", "n_fail", "n_pass"], [[i, TEXT[i], word(JUDGE[i]), both[i].count(False), both[i].count(True)] for i in range(N)]))
expect("vote_counts.csv", {"id": ["id"], "verdict": ["judge"], "human": ["person 1", "person 2"], "text": ["question"]}, agree=AGREED)
write("flags_of_people.csv", rows(["id", "is_gold", "judge", "human1", "human2", "final_label"], [[i, i % 7 == 0, word(JUDGE[i]), word(HUMAN[i]), word(second[i]), word(None if HUMAN[i] is None else TRUTH[i])] for i in range(N)]))
expect("flags_of_people.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human1", "human2"]}, agree=AGREED)
SKIPS = ["skipped: too long", "cannot judge", "unsure (language)", "\U0001f937"]
write("skip_reasons.csv", rows(["id", "question", "judge", "human"], [[i, TEXT[i], word(JUDGE[i]), word(HUMAN[i], missing=SKIPS[i % 4] if i % 3 else "")] for i in range(N)]))
expect("skip_reasons.csv", {"id": ["id"], "verdict": ["judge"], "human": ["human"], "text": ["question"]})
write("reference_score.csv", "sep=|\r\n" + rows(["orig_score", "prometheus_score", "human_score"], [[1 + (star + i) % 5, star, "" if PEOPLE[i] is None else PEOPLE[i]] for i, star in enumerate(STARS)], "|", "\r\n"))
expect("reference_score.csv", {"score": ["prometheus_score"], "human": ["human_score"]}, **OF_STARS)
write("polish.csv", "\ufeff" + rows(["Nr", "Ocena modelu", "Pewność modelu", "Ocena człowieka"], [[i, word(JUDGE[i], ("NIE", "TAK")), f"{round(100 * CONFIDENCE[i])},5 %", word(HUMAN[i], ("nie", "tak"))] for i in range(N)], ";"))
expect("polish.csv", {"id": ["Nr"], "verdict": ["Ocena modelu"], "confidence": ["Pewność modelu"], "human": ["Ocena człowieka"]}, "tak")
book = openpyxl.Workbook()
for row in [["Case", "LLM", None, "Human raters", None], [None, "Verdict", "Confidence", "Anna", "Ben"], *([f"c{i}", word(JUDGE[i]), CONFIDENCE[i], word(HUMAN[i], missing=None), word(second[i], missing=None)] for i in range(N))]:
    book.active.append(row)
for cells in ["A1:A2", "B1:C1", "D1:E1"]:
    book.active.merge_cells(cells)
book.save(HERE / "merged_both_ways.xlsx")
expect("merged_both_ways.xlsx", {"id": ["Case"], "verdict": ["LLM Verdict"], "confidence": ["LLM Confidence"], "human": ["Human raters Anna", "Human raters Ben"]}, agree=AGREED)

(HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
print(len(expected), "tables")
