"""Exports of Langfuse, Phoenix and Braintrust in their documented schemas of 2026-11; these services were not run.

    python make_platforms.py .

langfuse.com/docs (Export data, Scores data model), arize.com/docs/phoenix (Annotations, Export), braintrust.dev/docs (Experiments:
export and API). Two criteria, one of which people scored too, a failed answer, and the same input under two traces.
"""

import csv
import json
import os
import sys

OUT = sys.argv[1]
CASES = [("t1", "o1", "Where is my parcel?", "It arrives on Monday."), ("t2", "o2", "Refund me!", "No."),
         ("t3", "o3", "Where is my parcel?", "Ask \"somebody\",\nelse."), ("t4", "o4", "Thanks", "You are welcome.")]
HELPFUL = [1, 0, 0, None]
TONE = ["kind", "rude", "rude", "kind"]
HUMAN = {"t1": ("ann", 1), "t2": ("ann", 0), "t3": ("bob", 1)}


def table(name, rows):
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with open(os.path.join(OUT, name), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def lines(name, rows):
    with open(os.path.join(OUT, name), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


scores, observations = [], []
for k, (trace, observation, given, said) in enumerate(CASES):
    observations.append({"id": observation, "trace_id": trace, "type": "GENERATION", "name": "answer", "parent_observation_id": None,
                         "start_time": "2026-11-02T10:00:00Z", "input": given, "output": said, "metadata": {"topic": ["post", "money"][k % 2]}})
    score = {"trace_id": trace, "observation_id": observation, "timestamp": "2026-11-02T10:01:00Z", "environment": "default"}
    if HELPFUL[k] is not None:
        scores.append({"id": f"s{k}", **score, "name": "helpful", "value": HELPFUL[k], "string_value": ["False", "True"][HELPFUL[k]],
                       "data_type": "BOOLEAN", "source": "EVAL", "author_user_id": None, "comment": "by rule"})
    scores.append({"id": f"c{k}", **score, "name": "tone", "value": None, "string_value": TONE[k], "data_type": "CATEGORICAL",
                   "source": "API", "author_user_id": None, "comment": None})
    if trace in HUMAN:
        who, value = HUMAN[trace]
        scores.append({"id": f"h{k}", **score, "name": "helpful", "value": value, "string_value": ["False", "True"][value],
                       "data_type": "BOOLEAN", "source": "ANNOTATION", "author_user_id": who, "comment": None})
table("langfuse-scores.csv", scores)
lines("langfuse-observations.jsonl", observations)
trace, observation, given, said = CASES[0]
with open(os.path.join(OUT, "langfuse-trace.json"), "w", encoding="utf-8") as file:
    json.dump({"trace": {"id": trace, "timestamp": "2026-11-02T10:00:00Z", "name": "chat", "session_id": None, "input": given, "output": said},
               "observations": observations[:1], "scores": [row for row in scores if row["trace_id"] == trace]}, file, indent=1)

spans, annotations = [], []
for k, (_, span, given, said) in enumerate(CASES):
    spans.append({"context.span_id": span, "name": "answer", "span_kind": "LLM", "attributes.input.value": given, "attributes.output.value": said})
    score = HELPFUL[k]
    annotations.append({"span_id": span, "annotation_name": "helpful", "annotator_kind": "LLM", "label": None if score is None else ["no", "yes"][score],
                        "score": score, "explanation": "by rule", "identifier": ""})
    if f"t{k + 1}" in HUMAN:
        who, value = HUMAN[f"t{k + 1}"]
        annotations.append({"span_id": span, "annotation_name": "helpful", "annotator_kind": "HUMAN", "label": ["no", "yes"][value], "score": value,
                            "explanation": None, "identifier": who})
    annotations.append({"span_id": span, "annotation_name": "tone", "annotator_kind": "LLM", "label": TONE[k], "score": None, "explanation": None,
                        "identifier": ""})
table("phoenix-annotations.csv", annotations)
table("phoenix-spans.csv", spans)

lines("braintrust.jsonl", [
    {"id": f"row-{k}", "experiment_id": "e1", "span_id": f"row-{k}", "root_span_id": f"row-{k}", "is_root": True, "input": {"question": given},
     "output": said, "expected": None, "scores": {"Helpful": HELPFUL[k], "Brevity": [0.5, 1, 0.25, 0.75][k]}, "metadata": {"topic": ["post", "money"][k % 2]},
     "tags": None, "created": "2026-11-02T10:00:00Z"}
    for k, (_, _, given, said) in enumerate(CASES)])
