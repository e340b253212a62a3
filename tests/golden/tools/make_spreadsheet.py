"""Workbooks written by openpyxl 3.1.5.

    pip install openpyxl==3.1.5
    python make_spreadsheet.py              # writes items.xlsx and spreadsheet.xlsx beside this script
    python make_spreadsheet.py WORKBOOK     # fills in a queue's spreadsheet.xlsx and prints what openpyxl found in it

`items.xlsx` has a sheet without ids before that of the items, numbers and dates as Excel keeps them, and a blank row.
`spreadsheet.xlsx` is a queue that somebody filled in, saved by another program than the one that wrote it.
"""

import datetime
import sys
from pathlib import Path

import openpyxl

HERE = Path(__file__).parent
if len(sys.argv) > 1:
    file = Path(sys.argv[1])
    book = openpyxl.load_workbook(file)
    for sheet in book:
        print(sheet.title, [[cell.value for cell in row] for row in sheet])
        print([(str(found.sqref), found.type, found.formula1, found.prompt) for found in sheet.data_validations.dataValidation])
    sheet = book["queue"]
    header = [cell.value for cell in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        row[header.index("label")].value = book["choices"]["A2"].value
        row[header.index("annotator")].value = "ann"
    book.save(file.with_name("filled.xlsx"))
else:
    when = datetime.datetime(2026, 2, 28, 13, 30)
    book = openpyxl.Workbook()
    book.active.title = "about"
    book.active["A1"] = "Items of a test"
    sheet = book.create_sheet("items")
    for row in [("id", "text", "made", "kept"), (1, "One", when, True), (2.0, 'Two, "or"\nthree', when.date(), False), (), ("3", 0.1, None, None)]:
        sheet.append(row)
    book.save(HERE / "items.xlsx")
    book = openpyxl.Workbook()
    book.active.title = "queue"
    for row in [
        ("id", "text", "choices", "label", "annotator"),
        ("2", "Two", "yes | no", "yes", "ben"),
        ("1", "One", "yes | no", None, None),
        ("3", "=SUM(1)", "yes | no", "no", "ben"),
    ]:
        book.active.append(row)
    choices = book.create_sheet("choices")
    for cell in ("choice", "yes", "no"):
        choices.append((cell,))
    book.save(HERE / "spreadsheet.xlsx")
