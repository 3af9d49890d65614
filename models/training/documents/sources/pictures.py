"""Pictures drawn as SVG: charts, drawings, logos, photographs' stand-ins. They belong to the page as pictures; letters in them are part of the picture."""

from .markup import tag, text

COLOURS = ["#1b4f72", "#7b241c", "#196f3d", "#b9770e", "#4a235a", "#34495e", "#c0392b", "#2e86c1", "#7f8c8d", "#16a085"]


def _bars(draw, width, height):
    count = draw.randint(3, 12)
    colour, made = draw.choice(COLOURS), []
    for index in range(count):
        tall = draw.uniform(0.1, 0.95) * (height - 24)
        made.append(f'<rect x="{24 + index * (width - 30) / count:.1f}" y="{height - 14 - tall:.1f}" width="{(width - 30) / count * 0.7:.1f}" height="{tall:.1f}" fill="{colour}"/>')
        if draw.chance(0.7):
            made.append(f'<text x="{24 + index * (width - 30) / count:.1f}" y="{height - 3}" font-size="8">{draw.pick(["Q", "", "T"])}{index + 1}</text>')
    return "".join(made) + f'<path d="M20 4V{height - 14}H{width - 2}" stroke="#000" fill="none"/>'


def _curve(draw, width, height):
    made = [f'<path d="M20 4V{height - 14}H{width - 2}" stroke="#000" fill="none"/>']
    for _ in range(draw.randint(1, 4)):
        points, y = [], draw.uniform(0.2, 0.8)
        for step in range(24):
            y = min(0.95, max(0.05, y + draw.uniform(-0.12, 0.12)))
            points.append(f"{20 + step * (width - 24) / 23:.1f},{4 + y * (height - 20):.1f}")
        made.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{draw.choice(COLOURS)}" stroke-width="1.3"/>')
    for tick in range(5):
        made.append(f'<text x="1" y="{10 + tick * (height - 24) / 4:.1f}" font-size="7">{(4 - tick) * draw.choice([5, 10, 25])}</text>')
    return "".join(made)


def _scatter(draw, width, height):
    colour = draw.choice(COLOURS)
    return f'<path d="M14 4V{height - 10}H{width - 2}" stroke="#333" fill="none"/>' + "".join(f'<circle cx="{draw.uniform(18, width - 6):.1f}" cy="{draw.uniform(6, height - 14):.1f}" r="{draw.uniform(1, 3):.1f}" fill="{colour}"/>' for _ in range(draw.randint(15, 90)))


def _pie(draw, width, height):
    from math import cos, pi, sin
    radius, x, y, at, made = min(width, height) / 2 - 4, width / 2, height / 2, 0.0, []
    shares = [draw.uniform(0.3, 1) for _ in range(draw.randint(3, 7))]
    for index, share in enumerate(shares):
        end = at + 2 * pi * share / sum(shares)
        made.append(f'<path d="M{x:.1f} {y:.1f}L{x + radius * cos(at):.1f} {y + radius * sin(at):.1f}A{radius:.1f} {radius:.1f} 0 {int(end - at > pi)} 1 {x + radius * cos(end):.1f} {y + radius * sin(end):.1f}Z" fill="{COLOURS[index % len(COLOURS)]}" stroke="#fff"/>')
        at = end
    return "".join(made)


def _boxes(draw, width, height):
    """A flow chart with words in its boxes."""
    made, count = [], draw.randint(2, 5)
    for index in range(count):
        x = 6 + index * (width - 12) / count
        wide = (width - 12) / count * 0.75
        made.append(f'<rect x="{x:.1f}" y="{height * 0.3:.1f}" width="{wide:.1f}" height="{height * 0.4:.1f}" fill="none" stroke="#000"/><text x="{x + 4:.1f}" y="{height * 0.52:.1f}" font-size="8">{draw.pick("input|parser|model|store|output|queue|user|cache|A|B|test")}</text>')
        if index:
            made.append(f'<path d="M{x - (width - 12) / count * 0.25:.1f} {height / 2:.1f}H{x:.1f}" stroke="#000"/>')
    return "".join(made)


def _photograph(draw, width, height):
    """Many soft shapes over a gradient, where a photograph would be."""
    name = f"g{draw.randrange(10 ** 9)}"
    colours = draw.sample(COLOURS, 3)
    blobs = "".join(f'<ellipse cx="{draw.uniform(0, width):.0f}" cy="{draw.uniform(height * 0.3, height):.0f}" rx="{draw.uniform(8, width / 3):.0f}" ry="{draw.uniform(6, height / 3):.0f}" fill="{draw.choice(COLOURS)}" opacity="{draw.uniform(0.2, 0.8):.2f}"/>' for _ in range(draw.randint(4, 18)))
    return f'<defs><linearGradient id="{name}" x1="0" y1="0" x2="{draw.choice([0, 1])}" y2="1"><stop offset="0" stop-color="{colours[0]}"/><stop offset="1" stop-color="{colours[1]}"/></linearGradient></defs><rect width="{width}" height="{height}" fill="url(#{name})"/>{blobs}'


def picture(draw, width=None, height=None, kinds=None):
    """An `svg` element. Sizes are CSS pixels and shrink to the column."""
    width, height = width or draw.choice([120, 180, 240, 300, 420]), height or draw.choice([80, 120, 160, 220])
    makers = {"bars": _bars, "curve": _curve, "scatter": _scatter, "pie": _pie, "boxes": _boxes, "photograph": _photograph}
    body = makers[draw.choice(kinds or list(makers) + ["photograph"] * 3)](draw, width, height)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{body}</svg>'


def logo(draw):
    width, height = draw.choice([40, 60, 120]), draw.choice([30, 40, 60])
    shape = draw.choice([f'<circle cx="{width / 2}" cy="{height / 2}" r="{min(width, height) / 2 - 1}" fill="{draw.choice(COLOURS)}"/>', f'<rect width="{width}" height="{height}" rx="{draw.choice([0, 4, 10])}" fill="{draw.choice(COLOURS)}"/>', f'<path d="M0 {height}L{width / 2} 0L{width} {height}Z" fill="{draw.choice(COLOURS)}"/>'])
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{shape}</svg>'


def figure(draw, caption, place=None, label=None, kinds=None, above=False):
    """A picture with its caption (HTML); `label` is the bold number before it."""
    written = tag("figcaption", (tag("strong", text(label)) + " " if label else "") + caption)
    contents = [written, picture(draw, kinds=kinds)] if above else [picture(draw, kinds=kinds), written]
    return tag("figure", *contents, data_place=place or None)
