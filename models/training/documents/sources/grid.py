"""The grid of an HTML table by the algorithm of the HTML standard ("forming a table"), and the faults that a training page must not have."""

import re

from lxml import html


def _span(cell, name):
    value = cell.get(name, "1").strip()
    return int(value) if re.fullmatch(r"\d+", value) else 1


def groups_of(table):
    """Row groups of a table: lists of `tr`. Rows that stand in the table itself are groups of their own."""
    groups, loose = [], []
    for child in table:
        if child.tag == "tr":
            loose.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            if loose:
                groups.append(loose)
                loose = []
            groups.append([row for row in child if row.tag == "tr"])
    return groups + ([loose] if loose else [])


def grid_of(table):
    """(rows, columns, faults). A slot that two cells claim, a span past its row group, and a slot without a cell are faults."""
    faults, top, width, widths = [], 0, 0, []
    for group in groups_of(table):
        taken = {}
        for at, row in enumerate(group):
            column = 0
            for cell in row:
                if cell.tag not in ("td", "th"):
                    if isinstance(cell.tag, str):
                        faults.append(f"{cell.tag} in a row")
                    continue
                while (at, column) in taken:
                    column += 1
                across, down = max(1, _span(cell, "colspan")), _span(cell, "rowspan") or len(group) - at
                if at + down > len(group):
                    faults.append(f"row {top + at}: a span of {down} rows leaves its group")
                for y in range(at, min(at + down, len(group))):
                    for x in range(column, column + across):
                        if (y, x) in taken:
                            faults.append(f"row {top + y}: two cells at column {x}")
                        taken[y, x] = True
                column += across
                width = max(width, column)
        for at in range(len(group)):
            widths.append({x for y, x in taken if y == at})
        top += len(group)
    for at, filled in enumerate(widths):
        if len(filled) != width:
            faults.append(f"row {at}: {len(filled)} of {width} columns")
    if not width:
        faults.append("a table without cells")
    return top, width, faults


def parse(fragment):
    """The fragment's root element."""
    return html.fragment_fromstring(fragment, create_parent="div", parser=html.HTMLParser(encoding="utf-8"))
