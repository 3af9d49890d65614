"""One whole HTML file of a document in a style, for a first view of a page. The page builder makes its own."""

from sources import markup

def whole(document, style):
    """The HTML file."""
    width = style["page"]["size"][0] - style["page"]["margins"][1] - style["page"]["margins"][3]
    css = style["css"] + f"@media screen{{body{{width:{width}mm}}}}"
    return f"<!DOCTYPE html><html lang=\"{document['lang']}\" dir=\"{document['dir']}\"><head><meta charset=\"utf-8\"><title>{markup.text(document['title'])}</title><style>{css}</style></head><body data-origin=\"{document['origin']}\">{document['html']}</body></html>"
