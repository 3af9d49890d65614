"""Styles of tables, apart from styles of pages: which rules are drawn, which rows and columns are filled, how dense the rows stand."""

INKS = ["#000", "#000", "#333", "#666", "#999", "#bbb", "#1f3a5f", "#7a1f1f", "#2d572c"]
TINTS = ["#f2f2f2", "#eee", "#e8eef6", "#f6efe3", "#eaf4ea", "#f7f7f7", "#fdf3d8", "#ddd"]
FILLS = ["#1f3a5f", "#333", "#7a1f1f", "#2d572c", "#005b96", "#444c5c", "#6b4c9a", "#b5651d", "#000"]
KINDS = ["ruled", "booktabs", "zebra", "rule-less", "dotted", "boxed-heads", "colour-heads", "outer-frame", "tall-rows", "dense", "row-rules", "column-rules", "head-rule", "spreadsheet", "double-rules", "cards", "first-column", "wide-gaps"]
# Kinds for tables whose rows carry rules of their own.
FINANCIAL = ["rule-less", "booktabs", "dense", "zebra", "head-rule"]


def _rules(kind, draw):
    ink, tint, fill = draw.choice(INKS), draw.choice(TINTS), draw.choice(FILLS)
    thin, thick = f"{draw.choice([0.3, 0.5, 0.75])}pt", f"{draw.choice([1, 1.2, 1.5, 2])}pt"
    rules = {
        "ruled": f"th,td{{border:{thin} solid {ink}}}",
        "booktabs": f"table{{border-top:{thick} solid {ink};border-bottom:{thick} solid {ink}}}thead{{border-bottom:{thin} solid {ink}}}tfoot{{border-top:{thin} solid {ink}}}",
        "zebra": f"tbody tr:nth-child({draw.choice(['odd', 'even'])}){{background:{tint}}}thead{{border-bottom:{thin} solid {ink}}}",
        "rule-less": "",
        "dotted": f"tr{{border-bottom:{thin} {draw.choice(['dotted', 'dashed'])} {ink}}}thead tr:last-child{{border-bottom:{thick} solid {ink}}}",
        "boxed-heads": f"thead th,thead td{{border:{thin} solid {ink};background:{tint}}}",
        "colour-heads": f"thead th,thead td{{background:{fill};color:#fff}}tbody tr{{border-bottom:{thin} solid {tint}}}",
        "outer-frame": f"table{{border:{thick} solid {ink}}}",
        "tall-rows": f"tbody th,tbody td{{padding-top:1em;padding-bottom:1em}}{draw.choice(['', f'tr{{border-bottom:{thin} solid {tint}}}'])}",
        "dense": f"table{{font-size:0.85em;line-height:1.1}}{draw.choice(['', f'th,td{{border:{thin} solid {ink}}}', f'thead{{border-bottom:{thin} solid {ink}}}'])}",
        "row-rules": f"tr{{border-bottom:{thin} solid {ink}}}",
        "column-rules": f"th+th,td+td,th+td{{border-left:{thin} solid {ink}}}{draw.choice(['', f'thead{{border-bottom:{thin} solid {ink}}}'])}",
        "head-rule": f"thead{{border-bottom:{thick} solid {ink}}}",
        "spreadsheet": f"th,td{{border:0.4pt solid #c8c8c8;font-size:0.9em}}thead th{{background:{draw.choice(['#e6e6e6', '#fff', '#d9e2f3', '#ffe699'])}}}",
        "double-rules": f"table{{border-top:3pt double {ink};border-bottom:3pt double {ink}}}thead{{border-bottom:{thin} solid {ink}}}",
        "cards": f"table{{border-collapse:separate;border-spacing:0 0.35em}}tbody td,tbody th{{background:{tint}}}",
        "first-column": f"tbody tr>:first-child{{background:{tint};font-weight:bold}}tr{{border-bottom:{thin} solid {ink}}}",
        "wide-gaps": "table{width:100%}td,th{padding-left:1.6em;padding-right:1.6em}",
    }
    return rules[kind]


def make(draw, kind=None):
    """(name of the kind, CSS)."""
    kind = kind or draw.choice(KINDS)
    vertical, across = draw.choice([0.05, 0.15, 0.3, 0.3, 0.5, 0.8]), draw.choice([0.3, 0.5, 0.7, 1.0])
    if kind == "dense":
        vertical, across = 0.05, 0.35
    width = draw.choice(["100%", "100%", "auto", "auto", "80%"])
    css = [f"table{{border-collapse:collapse;border-spacing:0;width:{width};margin:{draw.choice(['1em 0', '1em auto', '0.6em 0', '1.5em 0'])};font-size:{draw.choice([0.8, 0.9, 0.9, 1, 1])}em;{draw.choice(['', '', 'font-variant-numeric:tabular-nums;'])}}}",
           f"th,td{{padding:{vertical}em {across}em;text-align:left}}"]
    weight = draw.choice(["bold", "bold", "normal", "600"])
    css.append(f"thead th{{font-weight:{weight};{draw.choice(['', '', '', 'text-transform:uppercase;font-size:0.85em;', 'font-variant:small-caps;', 'font-style:italic;', 'font-size:0.9em;', 'letter-spacing:0.06em;'])}text-align:{draw.choice(['left', 'left', 'center', 'inherit'])};vertical-align:{draw.choice(['bottom', 'bottom', 'top', 'middle'])}}}")
    css.append(f"tbody th{{font-weight:{draw.choice(['normal', 'normal', 'bold'])}}}tbody th[scope=rowgroup]{{font-weight:{draw.choice(['bold', 'bold', 'normal'])};{draw.choice(['', 'font-style:italic;', 'text-align:center;', f'background:{draw.choice(TINTS)};'])}}}")
    css.append(f"caption{{caption-side:{draw.choice(['top', 'top', 'bottom'])};text-align:{draw.choice(['left', 'left', 'center'])};{draw.choice(['font-style:italic;', 'font-weight:bold;', '', 'font-size:0.9em;'])}padding:0.4em 0;color:inherit}}")
    css.append(_rules(kind, draw))
    if draw.chance(0.15):
        css.append(f"tbody td{{vertical-align:{draw.choice(['middle', 'bottom'])}}}")
    if draw.chance(0.3):
        css.append("tr{break-inside:avoid}thead{display:table-header-group}")
    else:
        css.append("thead{display:table-row-group}")
    return kind, "".join(f"\n{rule}" for rule in css if rule)
