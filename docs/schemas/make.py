"""Drafts JSON Schemas (2020-12) of results files from results:

    python make.py NAME FILE... > NAME.schema.json
    python make.py --open NAME FILE... > NAME.schema.json

What is an object with fixed names in the program and what is a table by rule, budget or the like is told by the names below.
A name that some object of a kind lacks is optional; with --open, for results that depend on a user's configuration, names that no
file has are allowed too, and `null` for every value below the top. The drafts are read and corrected by hand; tests hold results against them.
"""

import json
import re
import sys
from pathlib import Path

TABLE = Path(__file__).parents[2] / "crates/core/src/escalation/rule.rs"
# The rules, and in the paper's part what competes with them.
RULES = "|".join([*re.findall(r'key: "(\w+)"', TABLE.read_text()), "oracle", "prior_mean_entropy"])
# Objects all of whose names match one of these are tables.
TABLES = [rf"^({RULES})$", r"^b[0-9]{1,3}$", r"^(simulations|dice|chaosnli|authors)$"]
# So are the values of these names, whatever stands in them.
OPEN = {"inputs", "replicates", "seeds", "settings", "samples", "logs", "groups"}
FORESEEN = True
# Values that are one of a few words.
WORDS = {
    "class": ["exact", "approximate", "monte-carlo"],
    "verdict": ["agrees", "papers-rounding", "within-tolerance", "differs", "not-run", "not-judged"],
    "experiment": ["simulations", "dice", "chaosnli", "authors"],
    "reading": ["chaosnli", "authors"],
    "kind": ["classes", "scores", "ordinal"],
    "budget": r"^b[0-9]{1,3}$",
    "results_sha256": r"^[0-9a-f]{64}$",
}
SUMMARY = {"mean", "se", "lo", "hi"}


def kind_of(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return {str: "string", list: "array", dict: "object"}[type(value)]


def scalar(name, kinds, values):
    if "number" in kinds:
        kinds = kinds - {"integer"}
    schema = {"type": sorted(kinds)[0] if len(kinds) == 1 else sorted(kinds)}
    words = WORDS.get(name)
    if "string" in kinds and words:
        if isinstance(words, str):
            schema["pattern"] = words
        elif all(value is None or value in words for value in values):
            schema["enum"] = words + ([None] if "null" in kinds else [])
    return schema


def schema_of(name, values):
    kinds = {kind_of(value) for value in values}
    if kinds == {"null"} and not FORESEEN:
        return {}
    objects = [value for value in values if isinstance(value, dict)]
    arrays = [value for value in values if isinstance(value, list)]
    forms = []
    if objects:
        forms.append(of_objects(name, objects))
    if arrays:
        items = [item for value in arrays for item in value]
        form = {"type": "array"}
        if items:
            form["items"] = schema_of(name, items)
        forms.append(form)
    rest = kinds - {"object", "array"}
    if rest:
        forms.append(scalar(name, rest, [value for value in values if not isinstance(value, (dict, list))]))
    if not FORESEEN and name and name not in {"schema", "kind"} and "null" not in kinds:
        forms.append({"type": "null"})
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def of_objects(name, objects):
    names = sorted({key for value in objects for key in value})
    if set(names) == SUMMARY:
        return {"$ref": "#/$defs/summary"}
    if name == "settings" and not FORESEEN:
        return {"type": "object", "description": "The study's configuration with its defaults"}
    if names and name in OPEN:
        return {"type": "object", "additionalProperties": schema_of("", [v for value in objects for v in value.values()])}
    for pattern in TABLES:
        if names and all(re.match(pattern, key) for key in names):
            values = [v for value in objects for v in value.values()]
            return {
                "type": "object",
                "minProperties": 1,
                "patternProperties": {pattern: schema_of("", values)},
                "additionalProperties": False,
            }
    return {
        "type": "object",
        "properties": {key: schema_of(key, [value[key] for value in objects if key in value]) for key in names},
        "required": [key for key in names if all(key in value for value in objects)],
    } | ({"additionalProperties": False} if FORESEEN else {})


def main():
    global FORESEEN
    arguments = sys.argv[1:]
    if arguments[0] == "--open":
        FORESEEN = False
        arguments = arguments[1:]
    name, files = arguments[0], arguments[1:]
    schema = schema_of("", [json.load(open(file)) for file in files])
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    summary = {
        "description": "Over replicates: mean, its Monte-Carlo standard error, 2.5 and 97.5 percentiles",
        "type": "object",
        "properties": {key: {"type": ["null", "number"] if key == "se" else "number"} for key in ("mean", "se", "lo", "hi")},
        "required": ["mean", "se", "lo", "hi"],
        "additionalProperties": False,
    }
    if "#/$defs/summary" in json.dumps(schema):
        head["$defs"] = {"summary": summary}
    print(json.dumps(head | schema, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
