"""HTML of the page builder's vocabulary: elements without classes, with `data-` attributes where HTML has no element.

Beside the vocabulary that the truth is read from, these attributes say how the source wants something displayed; `styles/base.css` implements them and truth ignores them:
`data-grid` (a layout device: a number of equal columns, or a list of their widths), `data-align` (left, right, center), `data-indent` (0 to 4, of a row header), `data-rule` (of a row: total, double, thin),
`data-turn` (a column header turned by 90 degrees), `data-strong` (bold), `data-width` (of a column, percent), `data-boxes` (a field of so many character boxes), `data-line` (a dotted or drawn writing line), `data-size` (xl, l, s, xs),
`data-flow` (columns of text: a number), `data-span` (an element across all columns), `data-box` (a frame or fill around a block), `data-place` (right, left: a float).
"""

import html as escaping

# Elements without an end tag.
VOID = {"br", "hr", "img", "col", "input"}


def text(value):
    return escaping.escape(str(value), quote=False)


def tag(name, *contents, **attributes):
    """`contents` are HTML (see `text`); attributes with the value None are left out, `kind` becomes `data-kind`, `data_x` becomes `data-x`."""
    written = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = "data-kind" if key == "kind" else "data-for" if key == "data_for" else key.rstrip("_").replace("_", "-")
        written.append(f" {key}" if value is True else f' {key}="{escaping.escape(str(value))}"')
    opened = f"<{name}{''.join(written)}>"
    return opened if name in VOID else f"{opened}{''.join(contents)}</{name}>"


def heading(level, content, **attributes):
    return tag(f"h{level}", content if content.startswith("<") else text(content), **attributes)


def paragraph(content, **attributes):
    return tag("p", content, **attributes)


def paragraphs(contents):
    return "".join(paragraph(content) for content in contents)


def block(kind, *contents, **attributes):
    return tag("div", *contents, kind=kind, **attributes)


def items(contents, ordered=False, **attributes):
    return tag("ol" if ordered else "ul", *(tag("li", content) for content in contents), **attributes)


def lines(contents):
    """Lines with breaks between them (an address)."""
    return "<br>".join(text(line) for line in contents if line)


def pair(key, value, between=" "):
    """A key and its value, one line. `between` is what the source writes between them."""
    return block("key-value", tag("span", text(key), data_part="key"), between, tag("span", text(value), data_part="value"))


def grid(columns, *contents, **attributes):
    """A layout device: `columns` equal columns, or widths as in "2 1"."""
    widths = " ".join(f"{width}fr" for width in columns.split()) if isinstance(columns, str) else f"repeat({columns},1fr)"
    return tag("div", *contents, data_grid=columns, style=f"grid-template-columns:{widths}", **attributes)


def note(marker, content):
    return block("footnote", tag("sup", text(marker)), " ", content)


class Cell:
    """One cell of a table. `content` is HTML."""

    def __init__(self, content="", head=False, scope=None, across=1, down=1, **attributes):
        self.content, self.head, self.scope, self.across, self.down, self.attributes = content, head, scope, across, down, attributes

    def html(self):
        return tag("th" if self.head else "td", self.content, scope=self.scope, colspan=self.across if self.across > 1 else None, rowspan=self.down if self.down > 1 else None, **self.attributes)


def row(cells, **attributes):
    """A table row of `Cell`s; text (not HTML) stands for plain cells."""
    return tag("tr", *((cell if isinstance(cell, Cell) else Cell(text(cell))).html() for cell in cells), **attributes)


def heads(contents, **attributes):
    """A row of column headers from texts; None is an empty cell that is no header."""
    return row([Cell() if content is None else Cell(text(content), head=True, scope="col", **attributes) for content in contents])


def table(head_rows, body_rows, foot_rows=(), caption=None, bodies=None, **attributes):
    """Rows are HTML of `row`. `bodies`: several lists of rows, each a `tbody`, in place of `body_rows`."""
    parts = [tag("caption", caption)] if caption else []
    if head_rows:
        parts.append(tag("thead", *head_rows))
    parts.extend(tag("tbody", *rows) for rows in (bodies or [body_rows]))
    if foot_rows:
        parts.append(tag("tfoot", *foot_rows))
    return tag("table", *parts, **attributes)
