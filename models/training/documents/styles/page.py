"""One whole HTML file of a document in a style, for a first view of a page. The page builder makes its own."""

from sources import markup

# Fills the leaders of contents with dots, as many as fit; a source leaves them empty.
FIT = """
for (const leader of document.querySelectorAll('[data-part=leader]')) {
  const one = leader.dataset.dots || '.'
  leader.textContent = one.repeat(20)
  const range = document.createRange()
  range.selectNodeContents(leader)
  const width = range.getBoundingClientRect().width / 20
  leader.textContent = one.repeat(Math.max(0, Math.floor(leader.getBoundingClientRect().width / width) - 1))
}
"""


def _margin_boxes(running, edge, document):
    if not running:
        return ""
    fields = {"title": document["title"], "date": "2024-03-05", "section": document["title"], "origin": document["family"]}
    boxes = []
    for place in ("left", "center", "right"):
        content = running[place]
        if not content:
            continue
        parts = []
        for piece in content.replace("{pages}", "\0counter(pages)\0").replace("{page}", "\0counter(page)\0").format(**fields).split("\0"):
            parts.append(piece if piece.startswith("counter(") else '"' + piece.replace("\\", "").replace('"', "'") + '"')
        boxes.append(f"@{edge}-{place}{{content:{' '.join(parts)};font-size:{running['size']}pt;{'font-style:italic;' if running['italic'] else ''}{'text-transform:uppercase;' if running['capitals'] else ''}}}")
    return "@page{" + "".join(boxes) + "}"


def whole(document, style):
    """The HTML file."""
    width = style["page"]["size"][0] - style["page"]["margins"][1] - style["page"]["margins"][3]
    css = style["css"] + _margin_boxes(style["running"]["header"], "top", document) + _margin_boxes(style["running"]["footer"], "bottom", document) + f"@media screen{{body{{width:{width}mm}}}}"
    return f"<!DOCTYPE html><html lang=\"{document['lang']}\" dir=\"{document['dir']}\"><head><meta charset=\"utf-8\"><title>{markup.text(document['title'])}</title><style>{css}</style></head><body data-origin=\"{document['origin']}\">{document['html']}<script>{FIT}</script></body></html>"
