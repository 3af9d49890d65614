"""HTML of documentation as blocks of the vocabulary: navigation is removed, wrappers are opened, headings, lists, tables, code, notes and figures stay. Attributes and classes go."""

import base64
import os
import re

from lxml import html

from . import grid
from .markup import tag, text

# Elements whose class, id or role says that they are no content.
DROPPED = re.compile(r"(^|[\s_-])(nav\w*|headerlink|sphinxsidebar\w*|related\w*|breadcrumbs?|footer\w*|search\w*|menu\w*|skip\w*|permalink|copiable-link|copiable-anchor|indexterm|header-wrapper|mobile-nav|toolbar|editsection|feedback|pageinfo|noprint|hidden|screen-reader\S*|qindex\w*|ttc|memproto-nav|clearer)([\s_-]|$)", re.I)
DROPPED_ELEMENTS = set("script style nav form noscript iframe object applet button input select textarea link meta head title template audio video map area embed canvas dialog".split())
INLINE = {"a": "a", "em": "em", "i": "em", "var": "em", "cite": "em", "dfn": "em", "strong": "strong", "b": "strong", "code": "code", "tt": "code", "kbd": "code", "samp": "code", "sub": "sub", "sup": "sup", "small": "small", "q": "q", "u": "u", "s": "s", "abbr": "abbr", "del": "del", "ins": "ins", "mark": "mark"}
OPENED = set("span font label big acronym time address bdi bdo nobr data wbr center output".split())
BLOCKS = set("h1 h2 h3 h4 h5 h6 p ul ol dl dir menu blockquote pre table figure div section article hr main aside header details fieldset address center dd dt li".split())
BOXED = re.compile(r"(^|\s)(note|warning|caution|tip|important|admonition\S*|sidebar|attention|hint|danger|seealso)(\s|$)")
CAPTION = re.compile(r"(^|\s)(caption|title|figcaption|table-contents-caption)(\s|$)")
# Files of pictures are embedded up to so many bytes.
MOST_PICTURE_BYTES = 60000
MOST_ROWS, MOST_COLUMNS = 150, 24
# An element is taken for the content of a page only if it holds this share of the page's text: a contents list has the same class in some programs.
MAIN_SHARE = 0.25
# Longer lists are continued in a list of their own, so that documents can be cut there.
LONGEST_LIST = 500
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml"}


def _marks(element):
    return " ".join(filter(None, (element.get("class"), element.get("id"), element.get("role"))))


def _dropped(element):
    return not isinstance(element.tag, str) or element.tag in DROPPED_ELEMENTS or element.get("role") in ("navigation", "search", "banner", "contentinfo") or element.get("hidden") is not None or bool(DROPPED.search(" ".join(filter(None, (element.get("class"), element.get("role"))))))


def main_of(root):
    """The element with the content of a page."""
    for path in ("//*[@role='main']", "//main", "//article", "//div[contains(concat(' ',@class,' '),' body ')]", "//div[@id='page-content']", "//div[@id='content']", "//div[@class='contents']"):
        found = [element for element in root.xpath(path) if len("".join(element.itertext()).strip()) > max(200, MAIN_SHARE * len("".join(root.itertext())))]
        if found:
            return found[0]
    return root.find("body") if root.find("body") is not None else root


def _squeezed(value):
    return re.sub(r"\s+", " ", value or "")


def _flat(blocks):
    """Blocks in a box, an item or a cell: their headings become bold paragraphs, so that levels follow the document alone."""
    return [re.sub(r"<h[1-6]>(.*?)</h[1-6]>", r"<p><strong>\1</strong></p>", block, flags=re.S) for block in blocks]


def _parts(name, entries, begins):
    """Elements `name` of so many entries that none is longer than LONGEST_LIST words; `begins(entry)`: a part may begin there."""
    parts, count = [[]], 0
    for entry in entries:
        if count > LONGEST_LIST and begins(entry):
            parts.append([])
            count = 0
        parts[-1].append(entry)
        count += len(entry.split())
    return [tag(name, *part) for part in parts if part]


class Normaliser:
    """`directory`: where pictures of the page lie."""

    def __init__(self, directory):
        self.directory = directory

    def inline(self, element):
        """The contents of an element as inline HTML. Blocks in it are opened."""
        made = [text(_squeezed(element.text))]
        for child in element:
            if not _dropped(child):
                made.append(self._inline_element(child))
            made.append(text(_squeezed(child.tail)))
        return "".join(made)

    def _inline_element(self, child):
        if child.tag == "br":
            return "<br>"
        if child.tag == "img":
            return ""
        inside = self.inline(child)
        if child.tag in INLINE and inside.strip():
            return tag(INLINE[child.tag], inside)
        return f" {inside} " if child.tag in BLOCKS else inside

    def blocks(self, element):
        """The contents of an element as a flat list of block HTML."""
        made, run = [], []

        def flush():
            content = "".join(run).strip()
            content = re.sub(r"^(<br>|\s)+|(<br>|\s)+$", "", content)
            if re.search(r"\w", re.sub(r"<[^>]*>", "", content)):
                made.append(tag("p", content))
            run.clear()

        run.append(text(_squeezed(element.text)))
        for child in element:
            if not _dropped(child):
                if child.tag in BLOCKS or child.tag == "img" or any(inner.tag in BLOCKS for inner in child.iter() if inner is not child):
                    flush()
                    made += self._block(child)
                else:
                    run.append(self._inline_element(child))
            run.append(text(_squeezed(child.tail)))
        flush()
        return made

    def _block(self, element):
        name, marks = element.tag, _marks(element)
        if re.fullmatch("h[1-6]", name):
            content = re.sub(r"(<a>)?\s*[¶§#]\s*(</a>)?\s*$", "", re.sub(r"<br>", " ", self.inline(element)).strip()).strip()
            return [tag(name, content)] if re.search(r"\w", re.sub(r"<[^>]*>", "", content)) else []
        if name == "img":
            return self._picture(element)
        makers = {"pre": self._code, "ul": self._list, "ol": self._list, "menu": self._list, "dir": self._list, "dl": self._terms, "table": self._table, "figure": self._figure, "blockquote": self._quote}
        if name in makers:
            return makers[name](element)
        if name == "hr":
            return []
        if name == "p":
            if CAPTION.search(marks):
                return [tag("p", tag("strong", self.inline(element)))] if self.inline(element).strip() else []
            return self.blocks(element)
        if re.search(r"(^|\s)(toc|toctree-wrapper|contents|shortcontents)(\s|$)", marks) and len(element.findall(".//a")) > 2:
            return self._contents(element)
        if re.search(r"(^|\s)footnote(\s|$)", marks):
            return [tag("div", self.inline(element).strip(), kind="footnote")] if self.inline(element).strip() else []
        if re.search(r"(^|\s)(table|informaltable|figure|informalfigure|table-wrapper|mediaobject)(\s|$)", marks):
            return self._captioned(element)
        if BOXED.search(marks):
            inside = _flat(self.blocks(element))
            return [tag("div", *inside, data_box=True)] if inside else []
        return self.blocks(element)

    def _code(self, element):
        source = "".join(element.itertext()).strip("\n")
        source = "\n".join(line.rstrip() for line in source.expandtabs(8).splitlines()[:120])
        return [tag("pre", text(source))] if source.strip() else []

    def _list(self, element):
        made = []
        for child in element:
            if _dropped(child):
                continue
            if child.tag != "li":
                continue
            inside = _flat(self.blocks(child))
            if inside:
                first = re.fullmatch(r"<p>(.*)</p>", inside[0], re.S)
                made.append(tag("li", *([first.group(1)] + inside[1:] if first and len(inside) < 4 else inside)))
        return _parts("ol" if element.tag == "ol" else "ul", made, lambda entry: True)

    def _terms(self, element):
        made, open_term = [], False
        entries = [inner for child in element for inner in (child if child.tag == "div" else [child])]
        for child in entries:
            if child.tag == "dt" and self.inline(child).strip():
                made.append(tag("dt", re.sub(r"[¶]\s*$", "", self.inline(child).strip())))
                open_term = True
            elif child.tag == "dd" and open_term:
                inside = _flat(self.blocks(child))
                first = re.fullmatch(r"<p>(.*)</p>", inside[0], re.S) if len(inside) == 1 else None
                if inside:
                    made.append(tag("dd", *([first.group(1)] if first else inside)))
        return _parts("dl", made, lambda entry: entry.startswith("<dt"))

    def _quote(self, element):
        inside = self.blocks(element)
        if any(re.match("<(pre|table|h[1-6])", block) for block in inside):
            return inside
        return [tag("blockquote", *inside)] if inside else []

    def _contents(self, element):
        made = []
        for link in element.iter("a"):
            label = _squeezed("".join(link.itertext())).strip()
            depth = sum(1 for parent in link.iterancestors() if parent.tag in ("ul", "dl", "ol"))
            if label:
                made.append(tag("div", tag("span", text(label)), kind="toc-entry", data_indent=min(4, depth - 1) if depth > 1 else None))
        return [tag("div", *made[:60], kind="toc")] if made else []

    def _picture(self, element):
        source = element.get("src", "")
        path = os.path.normpath(os.path.join(self.directory, source.split("#")[0].split("?")[0]))
        kind = PICTURES.get(os.path.splitext(path)[1].lower())
        if "://" in source or kind is None or not os.path.isfile(path) or not 400 < os.path.getsize(path) < MOST_PICTURE_BYTES:
            return []
        data = base64.b64encode(open(path, "rb").read()).decode("ascii")
        return [tag("figure", tag("img", src=f"data:{kind};base64,{data}", alt=""))]

    def _figure(self, element):
        pictures = [made for picture in element.iter("img") for made in self._picture(picture)]
        captions = [child for child in element.iter("figcaption")]
        caption = self.inline(captions[0]).strip() if captions else ""
        if not pictures:
            return [block for child in element if isinstance(child.tag, str) and child.tag != "figcaption" for block in self._block(child)] if element.find(".//table") is not None or element.find(".//pre") is not None else []
        inside = re.sub(r"</?figure[^>]*>", "", "".join(pictures))
        return [tag("figure", inside, tag("figcaption", caption) if caption else "")]

    def _captioned(self, element):
        """A wrapper around a table or picture with a title beside it."""
        titles = [child for child in element.iter() if isinstance(child.tag, str) and child.tag in ("p", "div", "caption") and re.search(r"(^|\s)(title|caption)(\s|$)", child.get("class", ""))]
        caption = self.inline(titles[0]).strip() if titles else ""
        tables = [child for child in element.iter("table")]
        if tables and next((child for child in tables[0].iterancestors("table") if child is not element), None) is None:
            made = self._table(tables[0], caption)
            if made:
                return made
        pictures = [made for picture in element.iter("img") for made in self._picture(picture)]
        if pictures:
            return [tag("figure", re.sub(r"</?figure[^>]*>", "", "".join(pictures)), tag("figcaption", caption) if caption else "")]
        return self.blocks(element)

    def _cell(self, cell, head, first):
        inside = _flat(self.blocks(cell))
        only = re.fullmatch(r"<p>(.*)</p>", inside[0], re.S) if len(inside) == 1 else None
        content = only.group(1) if only else "".join(inside)
        spans = {name: cell.get(name) for name in ("colspan", "rowspan") if re.fullmatch(r"[2-9]|[1-9]\d", cell.get(name, ""))}
        header = cell.tag == "th" or head
        align = cell.get("align") if cell.get("align") in ("right", "center") else None
        return tag("th" if header else "td", content, scope=("col" if head else "row" if first else None) if header else None, data_align=align, **spans)

    def _table(self, element, caption=""):
        """A data table, or the contents of the cells of a layout table."""
        rows = [row for group in grid.groups_of(element) for row in group]
        nested = element.find(".//td//table") is not None
        cells = [cell for row in rows for cell in row if cell.tag in ("td", "th")]
        widest = max((sum(1 for cell in row if cell.tag in ("td", "th")) for row in rows), default=0)
        code = [pre for pre in element.iter("pre")]
        if nested or not cells or len(cells) < 2 or "linenos" in "".join(filter(None, (cell.get("class") for cell in cells))):
            return self._code(code[-1]) if len(code) in (1, 2) and not nested else [made for cell in cells if next(cell.iterancestors("table")) is element for made in self.blocks(cell)]
        if element.get("role") == "presentation" or "simplelist" in _marks(element) or element.find(".//td//h1") is not None or element.find(".//td//h2") is not None or len(rows) == 1 and widest < 4:
            return [made for cell in cells for made in self.blocks(cell)]
        if widest > MOST_COLUMNS:
            return []
        own = element.find("caption")
        caption = caption or (self.inline(own).strip() if own is not None else "")
        head, body = [], []
        for row in rows[:MOST_ROWS]:
            found = [cell for cell in row if cell.tag in ("td", "th")]
            if not found:
                continue
            is_head = row.getparent().tag == "thead" or not body and all(cell.tag == "th" for cell in found) and len(found) > 1
            (body if body or not is_head else head).append(tag("tr", *(self._cell(cell, is_head, at == 0) for at, cell in enumerate(found))))
        if not body:
            return []
        made = tag("table", tag("caption", caption) if caption else "", tag("thead", *head) if head else "", tag("tbody", *body))
        return [made] if not grid.grid_of(html.fragment_fromstring(made))[2] else self._mended(head, body, caption)

    def _mended(self, head, body, caption):
        """The table with short rows filled by empty cells, where no cell spans rows; else none."""
        if any("rowspan" in row for row in head + body):
            return []
        widths = [sum(int(re.search(r'colspan="(\d+)"', cell).group(1)) if "colspan" in cell else 1 for cell in re.findall(r"<t[dh]\b[^>]*>", row)) for row in head + body]
        filled = [row[:-len("</tr>")] + "<td></td>" * (max(widths) - width) + "</tr>" for row, width in zip(head + body, widths)]
        made = tag("table", tag("caption", caption) if caption else "", tag("thead", *filled[:len(head)]) if head else "", tag("tbody", *filled[len(head):]))
        return [made] if not grid.grid_of(html.fragment_fromstring(made))[2] else []


def page(path):
    """(title, language or None, blocks) of a file."""
    raw = open(path, "rb").read()
    if b'CLASS="navigation"' not in raw:
        raw = re.sub(rb"<!--\s*Navigation Panel\s*-->.*?<!--\s*End of Navigation Panel\s*-->", b"", raw, flags=re.S)
    raw = re.sub(rb"^\s*<\?xml[^>]*\?>", b"", raw)
    declared = re.search(rb"charset=[\"']?([\w-]+)", raw[:2000])
    encoding = declared.group(1).decode("ascii") if declared else "utf-8"
    try:
        content = raw.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        content = raw.decode("utf-8", "replace")
    root = html.document_fromstring(content)
    title = root.findtext(".//title") or ""
    language = (root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")[:2].lower() or None
    main = main_of(root)
    return _squeezed(title).strip(), language, Normaliser(os.path.dirname(path)).blocks(main)
